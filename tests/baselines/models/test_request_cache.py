"""RequestCache: what is kept, for whom, and that nothing kept is lost."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import pytest

from opsgym.baselines.chat import ChatModel, ChatReply, ChatRequest, Message, Usage
from opsgym.baselines.models import BudgetedModel, MockServer, RequestCache, ScriptedModel, request_cache
from opsgym.core.errors import ModelError, TaskError
from tests.baselines.models.support import ask, client, run, talk, together

PAID = Usage(prompt_tokens=10, completion_tokens=5, cached_tokens=2, cost=0.25)


def counting(**options: Any) -> ScriptedModel:
    """A model whose replies are numbered."""
    numbers = iter(range(1000))
    return ScriptedModel(lambda request: str(next(numbers)), usage=PAID, **options)


def says(model: ChatModel, *requests: ChatRequest) -> list[str]:
    return [reply.message.content for reply in run(model, *requests)]


@pytest.fixture
def cache(tmp_path: Path) -> Any:
    cache = RequestCache(tmp_path / "replies.sqlite")
    yield cache
    cache.close()


def test_a_trial_that_starts_over_is_told_what_it_was_told(cache: RequestCache) -> None:
    model = counting()
    first = says(cache.around(model, trial="a"), talk(), ask("x"), talk())
    again = says(cache.around(model, trial="a"), talk(), ask("x"), talk(), ask("new"))
    assert again == [*first, "3"]
    assert len(model.requests) == 4


def test_the_same_request_again_in_a_trial_is_another_sample(cache: RequestCache) -> None:
    assert says(cache.around(counting(), trial="a"), ask(), ask(), ask()) == ["0", "1", "2"]


@pytest.mark.parametrize("temperature", [None, 0.0, 0.7])
def test_trials_do_not_share_samples(cache: RequestCache, temperature: float | None) -> None:
    model = counting()
    assert [says(cache.around(model, trial=trial), ask(temperature=temperature)) for trial in "ab"] == [["0"], ["1"]]


def test_trials_share_greedy_replies_where_that_is_wanted(tmp_path: Path) -> None:
    cache, model = RequestCache(tmp_path / "r", share_greedy=True), counting()
    greedy, warm, unknown = ask(temperature=0.0), ask(temperature=0.7), ask(temperature=None)
    assert says(cache.around(model, trial="a"), greedy, greedy, warm, unknown) == ["0", "0", "1", "2"]
    assert says(cache.around(model, trial="b"), greedy, warm, unknown) == ["0", "3", "4"]
    cache.close()


@pytest.mark.parametrize(
    "other",
    [
        ask("hello "),
        ask(max_tokens=5),
        ask(temperature=0.1),
        ask(seed=1),
        ask(stop=("x",)),
        ask(response_schema={"type": "object"}),
        ask(tools=({"type": "function", "function": {"name": "x"}},)),
        ChatRequest(messages=(Message(role="system", content="hello"),)),
    ],
    ids=repr,
)
def test_every_part_of_a_request_counts(cache: RequestCache, other: ChatRequest) -> None:
    model = counting()
    says(cache.around(model, trial="a"), ask())
    assert says(cache.around(model, trial="a"), other) == ["1"]


def test_the_model_counts_and_its_options_do_but_not_its_address(cache: RequestCache) -> None:
    with MockServer(lambda request: "one") as first, MockServer(lambda request: "two") as second:

        def told(server: MockServer, **options: Any) -> str:
            model = client("openai", server, **options)
            reply: ChatReply = together(model, lambda: cache.around(model, trial="a").complete(ask()))
            return reply.message.content

        assert told(first) == "one"
        assert told(second) == "one"  # another port on another day is the same server
        assert told(second, extra={"reasoning_effort": "low"}) == "two"
        assert told(second, structured="json_object") == "two"
    assert says(cache.around(counting(name="x"), trial="a"), ask()) == ["0"]
    assert says(cache.around(counting(name="y"), trial="a"), ask()) == ["0"]


def test_a_replayed_reply_costs_nothing_and_says_so(cache: RequestCache) -> None:
    model = counting()
    paid = run(cache.around(model, trial="a"), talk())[0]
    replayed = run(cache.around(model, trial="a"), talk())[0]
    assert paid.usage == PAID
    assert replayed.usage == Usage(prompt_tokens=10, completion_tokens=5, cached_tokens=2, replayed=1, replayed_cost=0.25)
    assert replayed.model_copy(update={"usage": PAID}) == paid


def test_a_replayed_reply_counts_for_no_budget(cache: RequestCache) -> None:
    model = counting()
    run(cache.around(model, trial="a"), ask())
    limited = BudgetedModel(cache.around(model, trial="a"), dollars=0.1, tokens=1)
    assert run(limited, ask())[0].usage.replayed == 1
    assert limited.usage.cost == 0
    run(limited, ask("new"))
    with pytest.raises(ModelError, match="budget"):
        run(limited, ask("newer"))


def test_errors_are_not_kept_and_asking_again_is_no_repetition(cache: RequestCache) -> None:
    model = ScriptedModel([ModelError("server", "down"), "up", "second"])
    view = cache.around(model, trial="a")
    with pytest.raises(ModelError, match="down"):
        run(view, ask())
    assert says(view, ask()) == ["up"]
    assert says(cache.around(model, trial="a"), ask(), ask()) == ["up", "second"]


def test_two_that_share_a_greedy_request_at_once_pay_once(tmp_path: Path) -> None:
    cache = RequestCache(tmp_path / "r", share_greedy=True)
    calls = []

    class Slow(ScriptedModel):
        async def complete(self, request: ChatRequest) -> ChatReply:
            calls.append(request)
            await asyncio.sleep(0)
            return await super().complete(request)

    async def both() -> list[ChatReply]:
        model = Slow(["one", "two"], usage=PAID)
        return await asyncio.gather(*(cache.around(model, trial=trial).complete(ask()) for trial in "ab"))

    replies = asyncio.run(both())
    assert [reply.message.content for reply in replies] == ["one", "one"]
    assert len(calls) == 1 and sum(reply.usage.cost for reply in replies) == 0.25
    cache.close()


def test_threads_with_loops_of_their_own_may_share_a_greedy_request(tmp_path: Path) -> None:
    cache, started = RequestCache(tmp_path / "r", share_greedy=True), threading.Barrier(2, timeout=30)

    class Slow(ScriptedModel):
        async def complete(self, request: ChatRequest) -> ChatReply:
            await asyncio.to_thread(started.wait)  # both are asked before either answers
            return await super().complete(request)

    async def two() -> list[str]:
        model = Slow(["one", "two"])
        replies = await asyncio.gather(*(cache.around(model, trial=trial).complete(ask()) for trial in "ab"))
        return [reply.message.content for reply in replies]

    with ThreadPoolExecutor(2) as pool:
        found = [thread.result() for thread in [pool.submit(asyncio.run, two()) for _ in range(2)]]
    assert found == [["one", "one"]] * 2
    cache.close()


def test_two_processes_may_write_one_file(tmp_path: Path) -> None:
    """Here two connections, whose writes alternate."""
    caches = [RequestCache(tmp_path / "r") for _ in range(2)]
    for number in range(20):
        says(caches[number % 2].around(counting(), trial=str(number)), ask())
    assert [len(cache) for cache in caches] == [20, 20]
    for cache in caches:
        cache.close()


class Busy:
    """A connection to a file that another process is opening too."""

    def __init__(self, refusals: int, code: int) -> None:
        self.refusals, self.code = refusals, code

    def execute(self, statement: str) -> None:
        if self.refusals:
            self.refusals -= 1
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorcode = self.code
            raise error


def test_a_file_that_another_process_is_opening_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_cache, "PAUSE", 0.001)
    database: Any = Busy(3, sqlite3.SQLITE_BUSY)
    request_cache._use_log(database)
    assert database.refusals == 0
    with pytest.raises(sqlite3.OperationalError):
        request_cache._use_log(cast(Any, Busy(1, sqlite3.SQLITE_READONLY)))


WRITER = """
import asyncio, sys
from opsgym.baselines.models import RequestCache, ScriptedModel
from tests.baselines.models.support import ask
async def main():
    cache, model = RequestCache(sys.argv[1]), ScriptedModel(lambda request: request.messages[-1].content * 500)
    for number in range(1_000_000):
        await cache.around(model, trial=str(number)).complete(ask(str(number)))
        print(number, flush=True)
asyncio.run(main())
"""


def test_a_killed_process_loses_no_reply_that_it_had(tmp_path: Path) -> None:
    path, acknowledged = tmp_path / "replies.sqlite", -1
    root = Path(__file__).resolve().parents[3]
    for stop in (40, 90, 5):
        with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True, cwd=root) as process:
            assert process.stdout is not None
            for line in process.stdout:
                acknowledged = max(acknowledged, int(line))
                if int(line) >= stop:
                    os.kill(process.pid, signal.SIGKILL)
                    break
    assert process.returncode == -signal.SIGKILL
    with sqlite3.connect(path) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()
    cache, model = RequestCache(path), counting()
    for number in range(acknowledged + 1):
        assert says(cache.around(model, trial=str(number)), ask(str(number))) == [str(number) * 500]
    assert not model.requests
    cache.close()


def test_a_file_that_is_something_else_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("These are notes. " * 100)
    with pytest.raises(TaskError, match="file of replies"):
        RequestCache(path)
    assert path.read_text().startswith("These are notes.")


def test_folders_are_made(tmp_path: Path) -> None:
    RequestCache(tmp_path / "runs" / "x" / "replies.sqlite").close()
    assert (tmp_path / "runs" / "x" / "replies.sqlite").is_file()
