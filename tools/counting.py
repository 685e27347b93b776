"""Counts in words, so that numbers agree: '1 paper', '2 papers', '12,000 papers'."""


def counted(count: int, one: str, many: str = "") -> str:
    """Return a count with its noun, and with its verb where `one` and `many` bring it."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
