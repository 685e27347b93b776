"""How far a run is and what its caller does next, in words."""

from citeloom.runs.runs import RunSnapshot


def next_step(view: RunSnapshot) -> str:
    """Return what whoever called a tool does next."""
    far = view.progress and f" ({progress_text(view)})"
    told = "problem" if view.problem else "text"
    table = (
        (
            view.status == "working",
            f"Call get_run with this run in a while{far or ''}; it goes on by itself.",
        ),
        (
            view.status == "input_required",
            "Put the question to a person, then call get_run with `answer`: '' goes on as proposed, "
            "'stop' ends the run, other text replaces the proposal.",
        ),
        (
            not view.has_ended,
            "get_run with action 'resume' lets it go on from where it stopped.",
        ),
        (
            view.status == "failed",
            "Do what `problem` says, then call the tool again: this run cannot go on.",
        ),
        (view.outcome == "nothing", f"Done, with no results: `{told}` says why."),
        (
            bool(view.problem),
            "Not complete: `problem` says why. get_run pages through `parts` for what it has; the linked files "
            "have all of it.",
        ),
        (
            view.outcome == "partial",
            "Done in part: `parts` say what is missing. get_run pages through them; the linked files have all.",
        ),
    )
    done = "Done. get_run pages through `parts`; the linked files have all of it."
    return next((what for holds, what in table if holds), done)


def progress_text(view: RunSnapshot) -> str:
    """Return how far a run is, in words."""
    if not (progress := view.progress):
        return ""
    counted = f" {progress.done} of {progress.total}" if progress.total else ""
    return f"{progress.title or progress.stage}{counted}"
