"""tools/evidence/changes.py: a near copy with other words in it."""

import pytest

from tools.evidence.changes import changes

SOURCE = (
    "Moss gardens cool flat roofs by 9 degrees on hot summer afternoons, and gravel roofs by fewer."
)
AROUND = f"{SOURCE} Slate roofs stay hot. Ida Marsh: Moss gardens"


@pytest.mark.parametrize(
    ("line", "altered"),
    [
        (SOURCE, False),
        ("Moss gardens cool flat roofs by 9 degrees.", False),
        (f"Marsh shows that {SOURCE[0].lower()}{SOURCE[1:]}", False),
        (f"Lee shows that {SOURCE[0].lower()}{SOURCE[1:]}", True),
        (f"Beyond this, Marsh shows that {SOURCE[0].lower()}{SOURCE[1:]}", False),
        (f"Beyond this, Lee shows that {SOURCE[0].lower()}{SOURCE[1:]}", True),
        ("Slate gardens cool flat roofs by 9 degrees on hot summer afternoons.", True),
        ("Moss gardens cool flat roofs by 9 metres on hot summer afternoons.", True),
        ("Moss gardens heat flat roofs by 9 degrees on hot summer afternoons.", True),
        ("Gravel gardens cool flat roofs by 9 degrees, and moss roofs by fewer.", True),
        ("Moss gardens never cool flat roofs by 9 degrees on hot summer afternoons.", True),
        ("Whales sing at night.", False),
    ],
)
def test_near_copy_may_leave_out_and_not_put_in(line: str, altered: bool) -> None:
    assert bool(changes(line, SOURCE, AROUND)) is altered
