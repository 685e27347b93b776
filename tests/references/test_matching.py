"""tools/references/matching.py: an entry finds its paper in any common form."""

import pytest

from state.paper import Author, Paper
from tools.references.matching import find_paper
from tools.references.reference_list import read_reference


def paper(title: str, year: int, *authors: str, doi: str | None = None) -> Paper:
    return Paper(
        id=f"title:{title}",
        title=title,
        year=year,
        doi=doi,
        authors=tuple(Author(name=name) for name in authors),
    )


OWLS = paper("Night hearing: how barn owls find mice under snow", 2020, "Ann Lee", "Bo Müller-Voss")
RATS = paper("Night hearing: how barn owls find rats under snow", 2020, "Ann Lee")
DEEP = paper("Deep roots", 2015, "Carla Diaz", doi="10.1234/roots")
MAPS = paper("Deep roots of maps", 2016, "Dee Ek")
PAPERS = [RATS, DEEP, OWLS, MAPS]
FORMS = (
    "Lee, Ann, Müller-Voss, Bo. Night hearing: How barn owls find mice under snow. 2020.",
    "Lee, A., & Müller-Voss, B. (2020). Night hearing: How barn owls find mice under snow. J. Owls, 4, 1–9.",
    "A. Lee and B. Müller-Voss, “Night hearing: how barn owls find mice under snow,” J. Owls, 2020.",
    "Ann Lee and Bo Müller-Voss. 2020. Night Hearing: How Barn Owls Find Mice under Snow. In Proc. of OWL.",
    "LEE A, MULLER-VOSS B. Night hearing: how barn owls find mice under snow. J Owls. 2020;4(1):1-9.",
    r"Lee, A. and M\"uller-Voss, B. \newblock Night hearing: {H}ow barn owls find mice under snow. \newblock 2020.",
    "Ann Lee, Bo Müller-Voss: Night hearing - how barn owls find mice under snow. OWL 2020: 1-9",
    "[Lee20] Lee et al. *Night hearing: how barn owls find mice under the snow*, 2020.",
    "Night hearing: how barn owls find mice under snow",
)


@pytest.mark.parametrize("raw", FORMS)
def test_entry_finds_its_paper_in_any_common_form(raw: str) -> None:
    assert find_paper(read_reference(raw), PAPERS) == OWLS


@pytest.mark.parametrize(
    ("raw", "found"),
    [
        ("Diaz, Carla. Deep roots. Nature, 2015.", DEEP),
        ("Ek, Dee. Deep roots of maps. Nature, 2016.", MAPS),
        ("Diaz, Carla. Deep roots in clay. Nature, 2015.", None),
        ("Somebody, Else. Deep roots. Nature, 2015.", None),
        ("Diaz, Carla. Deep roots. Nature, 1915.", None),
        ("Some title that is quite another. https://doi.org/10.1234/roots", DEEP),
        ("Diaz, Carla. Deep roots. 2015. doi:10.1234/other", None),
        ("Lee, Ann. Night hearing: how barn owls find voles under snow. 2020.", None),
        ("", None),
    ],
)
def test_entry_of_another_paper_finds_none(raw: str, found: Paper | None) -> None:
    assert find_paper(read_reference(raw), PAPERS) == found
