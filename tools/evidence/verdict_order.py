"""Verdicts of support: their order, and which of them a text may not keep."""

from state.writing import SupportVerdict

FAILING_VERDICTS: frozenset[SupportVerdict] = frozenset({"contradicted", "not_in_source"})
"""Verdicts with which a citation or a sentence may not stay."""
UNBORNE = FAILING_VERDICTS | {"not_in_abstract"}
"""Those with which a sentence that was written from what was read may not stay: it says more than that."""
ORDER: tuple[SupportVerdict, ...] = (
    "supported",
    "not_checked",
    "partly",
    "not_in_abstract",
    "not_in_source",
    "contradicted",
)
"""From the best verdict to the worst."""
