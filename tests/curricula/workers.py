"""What the worker processes of the tests do; imports little, because each of them imports it."""

from __future__ import annotations

import os
from typing import Any

from opsgym.curricula import Client


def work(client: Client, episodes: int) -> None:
    """Draw and tell, out of order and some twice."""
    waiting: list[Any] = []
    for _ in range(episodes):
        waiting.append(client.draw())
        if len(waiting) == 3:
            for ticket, trial in reversed(waiting):
                outcome = ticket.outcome(success=ticket.seed % 3 > 0, trial=trial)
                client.tell(outcome)
                if ticket.id % 7 == 0:
                    client.tell(outcome)
            waiting.clear()
    client.close()


def die(client: Client) -> None:
    """Draw twice, answer once, die."""
    ticket, trial = client.draw()
    client.draw()
    client.tell(ticket.outcome(success=True, trial=trial))
    os._exit(3)
