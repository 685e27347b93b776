"""Thirty made-up papers whose facts have no word of content in common."""

from typing import Any

_FACTS = """\
lichens|copper roofs|sulphur rain|bleach|tiled chapels|Abel|Corvin
otters|estuary weirs|tidal locks|cross|brackish harbours|Brandt|Dalca
glaciers|basalt ridges|meltwater pulses|carve|alpine basins|Castell|Ekholm
violins|spruce plates|varnish layers|dampen|concert halls|Dorn|Faber
tramways|steep junctions|braking sand|wear|hillside suburbs|Estrada|Galan
yeasts|rye sourdough|lactic acids|outlive|village bakeries|Fromm|Hessel
comets|dusty comae|cyanide jets|release|outer orbits|Gruber|Ilves
termites|clay mounds|airflow channels|ventilate|dry savannas|Haakon|Jansky
manuscripts|oak galls|iron inks|corrode|monastery archives|Iversen|Kaplan
turbines|offshore blades|salt erosion|pit|windy shoals|Joubert|Lindqvist
vaccines|frozen vials|thermal shocks|degrade|rural clinics|Kovacs|Moreau
bridges|steel hangers|traffic gusts|twist|canyon roads|Lambert|Nemec
cuckoos|reed nests|egg mimicry|exploit|marsh thickets|Marchetti|Oduya
sonar|murky canals|buried anchors|detect|ship graveyards|Novak|Petrov
chess|endgame tables|pawn races|decide|club tournaments|Okafor|Quist
volcanoes|crater lakes|gas plumes|heat|island chains|Palmgren|Rossi
potatoes|blight spores|fungicide sprays|survive|highland terraces|Quintero|Sato
elevators|counterweight ropes|evening crowds|delay|office towers|Ruiz|Tanaka
dialects|vowel shifts|school radio|spread|fishing towns|Sorensen|Ubeda
beehives|brood frames|mite loads|weaken|orchard rows|Tverdal|Valk
satellites|solar panels|micrometeor hits|scratch|polar tracks|Ulrich|Wynn
mosques|dome mosaics|candle soot|darken|coastal capitals|Vargas|Xu
salmon|gravel redds|dam spills|flush|cold tributaries|Weber|Yilmaz
teachers|marking rubrics|peer panels|calibrate|evening colleges|Xanthos|Zidan
corals|reef lagoons|moonlit spawning|synchronise|warm atolls|Yamada|Arslan
markets|haggling stalls|price boards|undercut|border squares|Zeller|Bjork
tapirs|seed dung|forest gaps|replant|lowland jungles|Anders|Cizek
lighthouses|fresnel lenses|fog halos|scatter|rocky capes|Bellini|Dusek
hospitals|ward rosters|night handovers|garble|teaching wings|Cardoso|Eriksen
mosses|bog hummocks|peat fires|smother|northern moors|Dimitrov|Fuentes"""


def made_papers(count: int = 30) -> list[dict[str, Any]]:
    """Return records of papers; the first two words of a paper's facts are its own."""
    papers: list[dict[str, Any]] = []
    for number, row in enumerate(_FACTS.splitlines()[:count]):
        what, part, cause, does, place, first, second = row.split("|")
        year = 1990 + number
        papers.append(
            {
                "id": f"10.5555/made.{number + 1}",
                "title": f"How {cause} reach {what} near {place}",
                "year": year,
                "authors": [f"Ann {first}", f"Bo {second}"],
                "abstract": f"In {place} the {part} of {what} {does} under {cause}. "
                f"Observers counted {what} among {part} on {100 + 7 * number} days. "
                f"Without {cause} the {what} kept their {part} unharmed. "
                f"Nothing was learnt of {what} outside {place}.",
            }
        )
    return papers


def subject_of(record: dict[str, Any]) -> str:
    """Return the word that names what a made-up paper is about, and no other of them."""
    return str(record["title"]).split(" reach ")[1].split(" near ")[0]
