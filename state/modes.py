"""How a run may go about its work: the words that its settings take."""

from typing import Literal

AskMethod = Literal["claims", "kar"]
RelevanceMode = Literal["cascade", "each"]
UpdateMode = Literal["packed", "each"]
