"""One call's place in the ledger: what it may cost, and what it did."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from tools.errors import kind_of

Price = tuple[float, float]
"""USD for a million input tokens and for a million output tokens."""


@dataclass(frozen=True)
class Cost:
    """What one or more calls cost."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    thinking_tokens: int = 0
    """Of the output tokens."""

    @classmethod
    def of(cls, calls: int, input_tokens: int, output_tokens: int, price: Price | None) -> "Cost":
        """Price these tokens; with no price known they cost 0 USD."""
        per_input, per_output = price or (0.0, 0.0)
        usd = (input_tokens * per_input + output_tokens * per_output) / 1e6
        return cls(calls, input_tokens, output_tokens, usd)

    @property
    def tokens(self) -> int:
        """Tokens in and out."""
        return self.input_tokens + self.output_tokens


class Spending:
    """Settles one call: exactly, as free, or, when nobody says, as the worst case.

    A call that was cut off (a time-out, a cancelled run) may well be billed, so silence means the
    worst; a call that never began costs nothing.
    """

    def __init__(
        self, price: Price | None, worst: Cost, clock: Callable[[int], None], *, limit: int = 0
    ) -> None:
        self.worst = worst
        self.limit = limit
        """The most output tokens to ask for; `worst` is more where the endpoint is known to go past it."""
        self.told = False
        """Whether somebody has said what it used."""
        self.seconds = 0.0
        self.sent = False
        self.failed = ""
        self._price = price
        self._clock = clock
        self._began: float | None = None
        self._cost = Cost()

    def begin(self) -> None:
        """Say that the call is being sent now."""
        self._began = time.monotonic()
        self.sent = True
        self._cost = self.worst
        self._clock(+1)

    def used(self, input_tokens: int, output_tokens: int, thinking_tokens: int = 0) -> None:
        """Say what the call really used; output includes thinking."""
        self.told = True
        cost = Cost.of(1, input_tokens, output_tokens, self._price)
        self._cost = replace(cost, thinking_tokens=thinking_tokens)

    def charged(self, usd: float) -> None:
        """Say what the call really cost, where the price is not one of tokens."""
        self._cost = Cost(calls=self.worst.calls, usd=usd)

    def missed(self, error: BaseException) -> None:
        """Say why the call brought no usable answer, whatever it cost."""
        self.failed = kind_of(error)

    def free(self) -> None:
        """Say that the endpoint turned the call away, unpaid."""
        self._cost = Cost()

    def end(self) -> Cost:
        """Stop the clock and return the cost."""
        if self._began is not None:
            self.seconds = time.monotonic() - self._began
            self._clock(-1)
            self._began = None
        return self._cost
