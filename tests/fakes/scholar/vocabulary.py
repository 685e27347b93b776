"""The words of the made-up field: twelve topics, the phrases around them, and names of people."""

import re

TOPICS: dict[str, tuple[str, ...]] = {
    "query writing": (
        "query", "keyword", "facet", "synonym", "expansion", "reformulation", "boolean", "thesaurus",
        "phrase", "relaxation", "intent", "search strategy", "librarian", "vocabulary", "term",
    ),
    "citation graphs": (
        "citation", "bibliography", "snowballing", "cocitation", "coupling", "walk", "reference",
        "neighbourhood", "hop", "network", "centrality", "lineage", "backlink", "graph", "expansion",
    ),
    "screening": (
        "screening", "eligibility", "reviewer", "inclusion", "exclusion", "workload", "stopping rule",
        "prioritisation", "label", "recall", "triage", "abstract", "protocol", "simulation", "dual",
    ),
    "ranking": (
        "ranking", "reranker", "relevance", "pairwise", "listwise", "score", "calibration", "debate",
        "argument", "judge", "cutoff", "fusion", "permutation", "precision", "tournament",
    ),
    "summarisation": (
        "summary", "synthesis", "paragraph", "outline", "plan", "draft", "coherence", "related work",
        "sentence", "comparison", "contrast", "narrative", "compression", "section", "writing",
    ),
    "attribution": (
        "attribution", "quote", "claim", "evidence", "support", "verification", "entailment", "span",
        "hallucination", "faithfulness", "source", "passage", "provenance", "check", "grounding",
    ),
    "dense retrieval": (
        "embedding", "retrieval", "encoder", "vector", "nearest neighbour", "index", "contrastive",
        "similarity", "bi-encoder", "quantisation", "recall", "distillation", "hybrid", "corpus", "token",
    ),
    "scholarly records": (
        "metadata", "identifier", "deduplication", "preprint", "retraction", "registry", "open access",
        "venue", "authorship", "record linkage", "licence", "provenance", "version", "dump", "harvest",
    ),
    "hive monitoring": (
        "hive", "sensor", "brood", "temperature", "humidity", "acoustics", "weight", "swarm", "colony",
        "telemetry", "foraging", "anomaly", "winter", "beekeeper", "alarm",
    ),
    "queen rearing": (
        "queen", "rearing", "larva", "royal jelly", "grafting", "mating", "drone", "cell", "nucleus",
        "pheromone", "lineage", "selection", "breeder", "fertility", "caste",
    ),
    "honey quality": (
        "honey", "nectar", "pollen", "adulteration", "spectroscopy", "sugar", "moisture", "floral origin",
        "enzyme", "crystal", "antioxidant", "viscosity", "harvest", "label", "storage",
    ),
    "hive health": (
        "mite", "varroa", "virus", "treatment", "acid", "resistance", "hygiene", "grooming", "infestation",
        "mortality", "nosema", "immunity", "pesticide", "inspection", "colony",
    ),
}  # fmt: skip

METHODS = (
    "a careful comparison",
    "a field trial",
    "a simulation study",
    "a probabilistic model",
    "a simple baseline",
    "an annotated collection",
    "an interactive tool",
    "a replication",
    "a longitudinal survey",
    "a shared benchmark",
)
SENTENCES = (
    "We study how {a} and {b} shape {topic} in practice.",
    "Earlier approaches to {topic} treat {a} as fixed, although {b} changes from case to case.",
    "Our starting point is {method}, in which every {a} is tied to one {b}.",
    "Across {count} cases the link between {a} and {b} was stronger than expected.",
    "A second experiment removes {a} and keeps {b}, which costs {percent} percent of the gain.",
    "The results suggest that {a} matters less than {b} when little is known in advance.",
    "We discuss what this means for {topic}, for {a} and for those who depend on {b}.",
    "All data on {a} and the code for {b} are available on request.",
    "Limits remain: {a} was measured once, and {b} was never observed directly.",
)
TITLES = (
    "{A} and {b} in {topic}",
    "Towards {a} for {topic}: {method}",
    "Does {a} help {topic}?",
    "{A}-aware {b}: {method} of {topic}",
    "What {b} tells us about {a}",
    "On {a}, {b} and the limits of {topic}",
    "{Topic} with {a} under scarce {b}",
    "Learning {a} from {b} for {topic}",
)
SUBTITLES = (
    "the role of {b}",
    "evidence from {count} cases",
    "{a} reconsidered",
    "a view from {b}",
    "{percent} percent less {a}",
    "lessons of {method}",
)
GIVEN = (
    "Ada",
    "Björn",
    "Chen",
    "Dalia",
    "Emeka",
    "Fiona",
    "Goran",
    "Hana",
    "Ines",
    "Jonas",
    "Kofi",
    "Lena",
    "Mira",
    "Nadia",
    "Oskar",
    "Pia",
    "Qing",
    "Rosa",
    "Søren",
    "Tariq",
)
FAMILY = (
    "Almond",
    "Birke",
    "Castellan",
    "Dromedar",
    "Eibenholz",
    "Fjordheim",
    "Ginster",
    "Holunder",
    "Immergrün",
    "Juniper",
    "Kestrel",
    "Lindenau",
    "Marigold",
    "Nettle",
    "Oakes",
    "Pimpernel",
    "Quitten",
    "Rosmarin",
    "Sanddorn",
    "Thistle",
    "van der Ulme",
    "Vogelbeer",
    "Wacholder",
    "Yarrow",
)
VENUES = (
    "Annals of Made-up Apiculture",
    "Journal of Imagined Retrieval",
    "Loom Conference on Reviews",
    "Proceedings of the Workshop on Patient Reading",
    "Transactions on Invented Evidence",
    "Letters on Unwritten Surveys",
)

_DULL_WORDS = (
    "about above after again also although always among another because been before being between both "
    "could does each every from further have having here however into itself many more most much must only "
    "other over same several should show since some such than that their them then there these they this "
    "those through under upon very well were what when where which while will with within without would your "
    "paper propose present approach results using based towards study"
)
_DULL = frozenset(_DULL_WORDS.split())


def terms_of(text: str, most: int = 15) -> tuple[str, ...]:
    """Return the first `most` different content words of a text."""
    words = re.findall(r"[^\W\d_]{4,}", text.lower())
    return tuple(dict.fromkeys(word for word in words if word not in _DULL))[:most]
