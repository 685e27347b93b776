"""Words that name no topic of any field.

Prose words end a phrase wherever they stand: verbs and adjectives that say what is done with a topic, or
praise it. Common nouns may be part of a term ('time series', 'heart rate'), yet tell little by themselves.
Both lists are general English, chosen without regard to a field.
"""

from functools import lru_cache

_VERBS = """\
    accompany accomplish accord accumulate achieve acknowledge acquire adapt add address adhere
    adjust adopt aid aim alleviate allow alter analyse analyze anticipate appear apply appreciate
    approach argue arise ascertain ask aspire assess assign assist assume attain attempt attract
    avoid await become begin believe belong benefit bring broaden calculate call capture carry cause
    cease challenge characterise characterize choose cite clarify collect combine come compare
    complement comprise conceive conceptualise conceptualize concern conclude conduct confirm
    confront consider consist constitute constrain consume contain continue contradict contribute
    convey convince cope correspond create culminate customise customize deal decide dedicate deem
    define delve demand demonstrate denote depend depict derive describe deserve desire detail
    detect determine develop devise differ differentiate discourage discover discuss distinguish
    ease elaborate elicit elucidate embrace emerge emphasise emphasize employ empower enable
    encompass encounter encourage endeavor endeavour enforce enhance enlarge enrich ensure entail
    establish evaluate examine exceed exemplify exhibit exist expand expect explain exploit explore
    express extend extract facilitate fail favor favour find focus follow foster fulfil fulfill gain
    gather generalise generalize generate give go grow guarantee guide hamper handle happen harness
    help highlight hinder hold identify ignore illuminate illustrate implement imply improve include
    incorporate increase indicate infer inform inhibit inspect inspire intend introduce investigate
    involve justify keep know lack lead leave lend leverage lie limit look lose maintain make manage
    manipulate meet mention merge miss mitigate modify motivate necessitate need neglect note notice
    observe obtain occur offer operate optimise optimize organise organize outline outperform
    overcome own perceive perform permit pertain pick pinpoint pose posit possess predict prefer
    prepare present preserve prevail prevent proceed produce promise promote propose prove provide
    publish pursue put raise reach realise realize receive recognise recognize recommend reduce
    refer refine reflect regard relate rely remain remember remove replace report represent request
    require resemble resolve respond result retain retrieve reveal review run satisfy save say see
    seek seem select separate serve share shed show simplify solve specialise specialize specify
    spend stand start stay strengthen strive struggle study submit succeed suffer suggest suit
    summarise summarize support suppose surpass survey tackle tailor take tell tend thank treat try
    turn uncover undergo underlie understand undertake unfold unify unveil use utilise utilize
    validate vary verify want widen wish worsen write""".split()  # noqa: SIM905
"""Regular verbs by their base form."""
_OTHER = frozenset(
    """\
    abilities ability able absence absent abundance abundant acceptable accessible accordance
    account accuracies accurate achievement achievements across actual addition additional adequate
    adjacent admit admits adoption advance advanced advancement advancements advances advantage
    advantageous advantages advent aforementioned agenda agnostic alike alone along alongside
    already alternate alternative altogether ambition amenable amid amidst amount amounts ample
    analogous annotates anyone apart apparent appealing appearance applicability applicable
    application applications appropriate appropriateness approximate arbitrary area areas arguable
    arisen arose around aside aspect aspects assumption assumptions attractive available aware away
    back bad barrier barriers basic basics basis became began beginning begun beneficial besides
    best beyond big-picture breadth breakthrough brief bring-your-own broad broader brought build
    builds built bulk capabilities capability capable capacity careful cases categories category
    cautious central certain chance chances chapter chief choice choices chose chosen circumstance
    circumstances claim claims clear close closer coherent combination combinations comfortable
    common comparisons compelled compelling competitive complete completeness complex complexities
    comprehensive compute computed computes concise conclusion conclusions concrete conducive
    consensus consequence consequences considerable consideration considerations consistent constant
    constructed constructing constructs contemporary continual continuous contrary contrast
    convenient conventional converts correct correctness counterpart counterparts course covers
    criteria criterion crucial cumbersome customary cutting-edge dealt debate decade decades decent
    deeper deficiency definite definition definitions degree degrees deliberate demonstration
    dependent depth desirable despite development developments difference differences difficult
    difficulties difficulty diligent direct direction directions disadvantage disadvantages
    discussion discussions disparate displaying distinct distinctive diverse downstream dramatic
    drastic draw drawback drawbacks drawn draws drew dropped drops easier easy easy-to-use efficacy
    efficiency effort effortless efforts elegant else elsewhere emergence emphasis encodes end
    end-to-end ends enormous enough entire error-prone especial essence essential estimates
    evaluations ever everyday everyone everything evident exact example examples excellent except
    exception exceptional excess excessive exciting exclusive exhaustive existence expectation
    expectations expensive explicit explorations extension extensions extensive extent extra
    extraordinary face facet facets facility fact facts familiar far fashion fashionable fast faster
    feasibility feasible felt fewer final fine-grained fine-tunes finer first-of-its-kind fits
    fitted flexibility flexible foremost form forms formulation forth forward found fraction
    frameworks frequent fresh full functionalities functionality fundamental fundamentals future gap
    gaps gave general generality generic genuine getting goals gone good got great greater grew
    grounded grown guidance guideline guidelines half halfway hand hands handy hard hard-to-use
    harder held helpful hereby herein high-level high-quality higher highest hitherto holistic hope
    huge human-like idea ideal ideas identical immediate immense imperative implementations
    implication implications importance impossible impressive improvement improvements inability
    inadequate incomplete inconsistent incorporation indeed indication indispensable inefficient
    inexpensive ingredient inherent initial initiative injects innovative inside insight insightful
    insights inspiration instance instances instant insufficient integral integrates intention
    interested interesting interests interleaves intricate intrinsic introduction intuitive
    invaluable investigation investigations issue issues joins kept keys kind kinds knew known
    laborious large-scale larger largest last later latest latter learn learned learns led left
    lengthy lesser lesson lessons lets linked linking list little longer lost lots low low-level
    lower lowest lying mainstream majority manner manners maturity meaningful means meant meanwhile
    measure measured measures mere prior priors met methodologies methodology mind mines minimal
    minor minority mix moderate modern modest multifaceted narrow nascent nature nearby necessary
    necessity negligible never nevertheless newer next non-trivial nonetheless nontrivial notable
    noteworthy nothing noticeable notion notions notorious novelty nowadays numbers numerous
    objective objectives obstacle obstacles obvious occasion occurred occurrence occurring
    off-the-run_store omitted on-going ones ongoing open-ended opportunities opportunity opposite option
    optional options orders ordinary original otherwise outcome outcomes outside outstanding overall
    overarching overcame overtime overview overwhelming painstaking pair pairs paradigm paradigms
    part particular parts past peculiar percent percentage perfect perhaps permanent permitted
    permitting perspective perspectives pertinent pervasive phenomena phenomenon picture piece
    pieces pitfall pitfalls places plain plan planned plans plausible played plays pleasant
    plentiful plethora plus point points poor popular portion position possibilities possibility
    potentials powerful practical practices precise predominant preferable preliminary premise
    presence present-day prevalent principal principle principled principles prior probable
    problematic productive profound progress prohibitive prominent prompts proof proper proportion
    proposal proposals prospect prospective prospects proven pure purpose purposes pushes putting
    quantity quick quicker ran ranges rapid rationale reads ready real real-life real-world
    realistic realm reason reasonable reasons recommendations reduction referred referring
    regardless regular released relevance relevant reliable remarkable requirement requirements
    requisite researcher researchers respect respective returns rich richer right rigorous rise
    robust role roles rough routine rule-of-thumb running sake salient satisfactory saw scarce
    scenario scenarios scientist scientists scope seamless seen sends sense sensible serious setting
    settings setup shallow sheer shortcoming shortcomings shorter side sides significance similar
    simpler simplest simplistic single situation situations sizable sizes slight small-scale smaller
    so-called solution solutions someone something sometimes somewhat soon sophisticated sort sorts
    sought special specialist specialists specific spent splits standard standpoint step
    step-by-step steps still stood straightforward strange strengths striking stronger stuck
    submitted submitting subsequent substantial subtle success successful sudden sufficient
    suggestion suggestions suitability suitable suite sum superior superiority supplementary
    supplies sure surprising systematic taken talk talks tangible tedious temporary tendency
    tentative tested therein thereof thing things think thinks thorough thought thoughts throughout
    till time-consuming today told tomorrow took top tough track trade-off trade-offs tradeoff
    tradeoffs tradition trained trains transferred transfers tremendous trial-and-error trivial true
    twice typical ubiquitous ultimate unable unavailable unaware unclear under-explored
    under-studied underexplored undergone underlying underneath understood understudied undertaken
    underwent unexpected unexplored unfamiliar unfortunate uniform unique unknown unnecessary
    unprecedented unresolved unseen unsolved unsuitable upcoming upfront usability usage useful
    usefulness usual valid validity valuable varieties variety vast versa versatile version versions
    versus viable vice view viewpoint viewpoints views weakness weaknesses well-defined
    well-established well-known went whatever whenever whereby wherever whichever whoever whole wide
    wider widespread willing wisdom won worked worth worthwhile worthy written wrong wrote year
    years""".split()  # noqa: SIM905
)
COMMON_NOUNS = frozenset(
    """\
    accuracy activities activity algorithm algorithms attribute attributes automated automatic
    automation awareness behavior behaviour case changes class classes communities community
    comparison complexity component components comprehension concept concepts condition conditions
    constraint constraints context contexts corpus cost costs data dataset datasets description
    descriptions design designed designs domain domains effect effects element elements empirical
    environment environments evaluation experience experiences expert experts exploration factor
    factors feature features feedback field fields frequency function functions group groups
    hypotheses hypothesis impact impacts implementation individual individuals influence influences
    information input inputs integration intent interview interviews item items iterative knowledge
    length level levels line lines magnitude manual matter measurement measurements mechanism
    mechanisms mode model modeling modelling models modes object objects operation operations order
    output outputs page pages parameter parameters participant participants pattern patterns people
    period phase phases place practice presentation procedure procedures process processes product
    products properties property prototype qualitative quality quantitative question questionnaire
    questions rate rates recommendation relation relations relationship relationships representation
    representations response sample samples scholar scholars section set sets shift similarities
    similarity simulation size source sources stage stages statistic statistical statistics
    strategies strategy strength structure structures style subject subjects summary system systems
    table tables target targets team technical technologies technology test testing tests theme
    themes threshold time times tool toolkit tools topic topics treatment trend trends unit units
    user users validation value values variable variables variant variants variation variations word
    words workflow workflows yield""".split()  # noqa: SIM905
)
"""Nouns (and a few adjectives) that papers of every field use; part of a term, never all of it."""
_LY_NOUNS = frozenset({"anomaly", "assembly", "butterfly", "family", "monopoly", "supply"})


def is_prose(word: str) -> bool:
    """Whether a lower-case word names no topic: a verb of reporting, praise, an adverb."""
    adverb = word.endswith("ly") and len(word) > 5 and "-" not in word and word not in _LY_NOUNS
    return adverb or word in _OTHER or word in _verb_forms()


@lru_cache(maxsize=1)
def _verb_forms() -> frozenset[str]:
    return frozenset(form for verb in _VERBS for form in _forms(verb))


def _forms(verb: str) -> tuple[str, ...]:
    if verb.endswith("e"):
        return verb, f"{verb}s", f"{verb}d", f"{verb[:-1]}ing"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb, f"{verb[:-1]}ies", f"{verb[:-1]}ied", f"{verb}ing"
    ending = "es" if verb.endswith(("s", "x", "ch", "sh", "z")) else "s"
    return verb, verb + ending, f"{verb}ed", f"{verb}ing"
