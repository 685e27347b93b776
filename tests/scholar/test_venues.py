"""tools/scholar/venues.py: whether two names are of one venue."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.scholar.venues import gives_dois, is_meeting, same_venue


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("NeurIPS", "Advances in Neural Information Processing Systems", True),
        ("NIPS", "NeurIPS", True),
        ("AAAI", "Proceedings of the AAAI Conference on Artificial Intelligence", True),
        ("Mach. Learn.", "Machine Learning", True),
        ("J. Mach. Learn. Res.", "Journal of Machine Learning Research", True),
        ("Proc. Natl. Acad. Sci. U.S.A.", "Proceedings of the National Academy of Sciences", True),
        (
            "CVPR",
            "2021 IEEE/CVF Conference on Computer Vision and Pattern Recognition (CVPR)",
            True,
        ),
        (
            "EMNLP 2020",
            "Proceedings of the 2020 Conference on Empirical Methods in Natural Language Processing",
            True,
        ),
        (
            "KDD",
            "Proceedings of the 22nd ACM SIGKDD Conference on Knowledge Discovery and Data Mining",
            True,
        ),
        ("ICCV", "2021 IEEE/CVF Conference on Computer Vision and Pattern Recognition", False),
        ("AAAI", "International Conference on Machine Learning", False),
        ("ICML", "Mach. Learn.", False),
        ("NeurIPS Workshop on Deep Learning", "Neural Information Processing Systems", False),
        ("Nature", "Science", False),
        ("Nature", "Nature Communications", None),
        ("ECCV", "Lecture Notes in Computer Science", None),
        ("QMXR", "Annals of Lichenology", None),
        ("", "Science", None),
    ],
)
def test_names_of_one_venue_are_told_from_those_of_two(
    one: str, two: str, same: bool | None
) -> None:
    assert same_venue(one, two) is same
    assert same_venue(two, one) is same


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_is_compared_alike_from_both_sides(one: str, two: str) -> None:
    assert same_venue(one, two) is same_venue(two, one)


def test_what_has_no_dois_and_what_is_a_meeting_is_known() -> None:
    assert not gives_dois("Advances in Neural Information Processing Systems")
    assert not gives_dois("JMLR")
    assert gives_dois("CVPR")
    assert gives_dois("Annals of Lichenology")
    assert is_meeting("CVPR")
    assert is_meeting("Proceedings of the 3rd Symposium on Lichens")
    assert not is_meeting("Machine Learning")
