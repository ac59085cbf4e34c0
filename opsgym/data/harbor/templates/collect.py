"""Writes the ERP's end state to a file, from which the verifier judges it. Runs beside the server, where the agent cannot."""

from __future__ import annotations

import os
import urllib.request
from pathlib import Path

OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # the server is on this machine: no proxy


def main() -> None:
    """Ask the server's admin port for the state."""
    run = Path(os.environ.get("ERP_RUN", "/var/erp"))
    request = urllib.request.Request(
        f"http://127.0.0.1:{os.environ.get('ERP_ADMIN_PORT', '8070')}/databases/bench/snapshot",
        headers={"Authorization": "Bearer " + (run / "admin.key").read_text().strip()},
    )
    with OPENER.open(request, timeout=60) as response:
        image = response.read()
    target = run / "state" / "end.sqlite"
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name("end.sqlite.partial")
    partial.write_bytes(image)
    partial.replace(target)
    print(f"{len(image)} bytes in {target}")


if __name__ == "__main__":
    main()
