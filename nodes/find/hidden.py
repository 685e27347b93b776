"""Which papers may not appear, at any step of `find`."""

from state.channels import FindState


def hidden_in(state: FindState) -> set[str]:
    """Return what screening hid, and what a person has excluded since by an edit of the request."""
    same = state["same"]
    return {*state["hidden"], *(same.get(key, key) for key in state["request"].exclude)}


def selected_in(state: FindState) -> list[str]:
    """Return the papers that are kept, without those that a person has excluded since."""
    hidden = hidden_in(state)
    return [paper for paper in state["selected"] if paper not in hidden]
