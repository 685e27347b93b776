"""What all runs of the process share of a host: pace, gate, breaker, quota, prices."""

import threading
from dataclasses import dataclass, field

from tools.gate import Gate
from tools.http.breaker import Breaker
from tools.http.host import Host
from tools.http.pace import Pace
from tools.http.quota import Quota


@dataclass
class HostState:
    """Pace, gate, breaker and quota of one host and key."""

    gate: Gate
    pace: Pace
    breaker: Breaker = field(default_factory=Breaker)
    quota: Quota = field(default_factory=Quota)
    prices: dict[float, float] = field(default_factory=dict)
    """What calls of a listed price really cost, where the host charged more, in USD."""
    latency: float | None = None
    """Seconds of the last answer."""


_states: dict[tuple[str, ...], HostState] = {}
_registry = threading.Lock()


def state_of(host: Host) -> HostState:
    """Return the process's one state of this host with this key; the latest rate holds."""
    secrets = (*host.secret_headers.values(), *host.secret_params.values())
    place = (host.url, *(secret.get_secret_value() for secret in secrets))
    with _registry:
        state = _states.get(place)
        if state is None:
            state = _states[place] = HostState(Gate(host.concurrency), Pace(host.rate))
    state.pace.rate = host.rate
    state.gate.limit = host.concurrency
    return state
