"""Replays the reference plan over JSON-2, with the key that the agent has. Needs nothing but Python."""

from __future__ import annotations

import json
import os
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # the ERP is on this machine: no proxy


def call(model: str, method: str, body: dict[str, Any]) -> Any:
    """Make one call and return its result."""
    request = urllib.request.Request(
        f"{os.environ.get('ERP_URL', 'http://127.0.0.1:8069')}/json/2/{model}/{method}",
        data=json.dumps(body).encode(),
        headers={
            "Authorization": "Bearer " + Path(os.environ.get("ERP_KEY_FILE", "/etc/odoo/api_key")).read_text().strip(),
            "Content-Type": "application/json",
            "X-Odoo-Database": os.environ.get("ERP_DATABASE", "bench"),
        },
    )
    try:
        with OPENER.open(request, timeout=60) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:
        sys.exit(f"{model}.{method} is refused ({error.code}): {error.read().decode(errors='replace')}")


def main() -> None:
    """Make every call of the plan; stop at the first that gives anything else than planned."""
    plan = json.loads(Path(__file__).with_name("plan.json").read_text(encoding="utf-8"))
    for number, step in enumerate(plan, 1):
        returns = call(step["model"], step["method"], step["body"])
        if returns != step["returns"]:
            sys.exit(f"call {number}, {step['model']}.{step['method']}: expected {step['returns']!r}, got {returns!r}")
    print(f"{len(plan)} calls")


if __name__ == "__main__":
    main()
