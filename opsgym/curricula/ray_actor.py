"""RayDesk: one desk as a Ray actor, for environments in Ray tasks and actors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from opsgym.core.errors import OpsGymError
from opsgym.curricula.desk import Desk
from opsgym.curricula.sampler import Sampler
from opsgym.curricula.ticket import Outcome, Ticket

__all__ = ["RayDesk"]


class RayDesk:
    """A :class:`~opsgym.curricula.desk.Source` behind which a Ray actor owns the sampler.

    It is picklable: make one in the driver and give it to the workers.  The actor needs no CPU of its own, answers one call
    at a time, and ends with the driver.  A worker that dies leaves its trials open until the sampler's ``ttl``.

    Args:
        make: Makes the sampler, in the actor.
        group: How many times each ticket is played.
        state: State of an earlier ``state_dict`` to go on from.

    Raises:
        OpsGymError: Ray, of the extra ``ray``, is not installed.
    """

    def __init__(self, make: Callable[[], Sampler], *, group: int = 1, state: dict[str, Any] | None = None) -> None:
        try:
            import ray
        except ImportError as error:
            raise OpsGymError('RayDesk needs ray: pip install "opsgym[ray]"') from error

        self._actor: Any = ray.remote(max_concurrency=1, num_cpus=0)(_Actor).remote(make, group, state)

    def draw(self) -> tuple[Ticket, int]:
        """See :class:`~opsgym.curricula.desk.Source`."""
        ticket, trial = self._call("draw")
        return Ticket.from_dict(ticket), trial

    def tell(self, outcome: Outcome) -> None:
        """See :class:`~opsgym.curricula.desk.Source`."""
        self._call("tell", outcome.as_dict())

    def metrics(self) -> dict[str, float]:
        """Those of the sampler."""
        found: dict[str, float] = self._call("metrics")
        return found

    def state_dict(self) -> dict[str, Any]:
        """State of the desk, as JSON."""
        found: dict[str, Any] = self._call("state_dict")
        return found

    def _call(self, name: str, *arguments: Any) -> Any:
        import ray

        return ray.get(getattr(self._actor, name).remote(*arguments))


class _Actor:
    """What runs in the actor: a desk that speaks JSON."""

    def __init__(self, make: Callable[[], Sampler], group: int, state: dict[str, Any] | None) -> None:
        self._desk = Desk(make(), group=group)
        if state is not None:
            self._desk.load_state_dict(state)

    def draw(self) -> tuple[dict[str, Any], int]:
        ticket, trial = self._desk.draw()
        return ticket.as_dict(), trial

    def tell(self, outcome: dict[str, Any]) -> None:
        self._desk.tell(Outcome.from_dict(outcome))

    def metrics(self) -> dict[str, float]:
        return self._desk.metrics()

    def state_dict(self) -> dict[str, Any]:
        return self._desk.state_dict()
