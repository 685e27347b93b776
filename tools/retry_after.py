"""How long a server asks its callers to wait."""

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that the server asks for, given as a number or a date; None if it does not."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        raw = headers.get(name)
        if not raw:
            continue
        try:
            return max(float(raw) * unit, 0.0)
        except ValueError:
            pass
        try:
            return max(parsedate_to_datetime(raw).timestamp() - time.time(), 0.0)
        except ValueError:
            continue
    return None
