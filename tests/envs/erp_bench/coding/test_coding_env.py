"""The coding harness: the same tasks and verdicts, worked on by programs that reach this episode's ERP and nothing else."""

from __future__ import annotations

import json
import pickle
import warnings
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env

import opsgym
from opsgym.core.errors import BackendError, TaskError
from opsgym.core.task import ToolCall
from opsgym.data.fixed_sets import shipped
from opsgym.envs.erp_bench.coding.desk import DATABASE, KEY, URL, CodingDesk
from opsgym.envs.erp_bench.coding.oracle import coding_oracle, oracle_program
from opsgym.envs.erp_bench.coding.world import CodingSnapshot, CodingWorld
from opsgym.envs.erp_bench.env import ERPBenchEnv
from opsgym.envs.erp_bench.family import ErpBenchFamily
from opsgym.sandbox.sandbox import why_no_default
from opsgym.vector import ToolVectorEnv

pytestmark = pytest.mark.skipif(bool(why_no_default()), reason=why_no_default())

TASKS = list(shipped(ErpBenchFamily(), "test") or ())
SMALL = min(TASKS[:40], key=lambda task: len(task.oracle))

CREATE = """
import json, urllib.error, urllib.request
erp = json.load(open("erp.json"))
headers = {"Authorization": "Bearer " + erp["key"], "X-Odoo-Database": erp["database"], "Content-Type": "application/json"}
def call(model, method, **arguments):
    request = urllib.request.Request(erp["url"] + f"/json/2/{model}/{method}", json.dumps(arguments).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)
partner = call("res.partner", "search", domain=[["customer_rank", ">", 0]], limit=1)[0]
print(call("sale.order", "create", vals_list=[{"partner_id": partner}]))
"""


def make(**arguments: Any) -> ERPBenchEnv:
    return ERPBenchEnv(harness="coding", cache=None, tasks=[SMALL], **arguments)


def write(path: str, content: str) -> ToolCall:
    return ToolCall(name="write_file", arguments={"path": path, "content": content})


def run(path: str) -> ToolCall:
    return ToolCall(name="run_python", arguments={"path": path})


def command(text: str) -> ToolCall:
    return ToolCall(name="run_command", arguments={"command": text})


def result(observation: str) -> Any:
    answer = json.loads(observation.splitlines()[-1])
    assert answer["ok"], answer
    return answer["result"]


def test_a_program_that_books_the_reference_solution_solves_the_task() -> None:
    env = make()
    env.reset(seed=0)
    for call in coding_oracle(SMALL):
        observation, reward, terminated, _, info = env.step(call)
    assert (reward, terminated, info["is_success"], info["errors"]) == (1.0, True, True, {}), observation


@pytest.mark.slow
@pytest.mark.parametrize("index", range(0, 300, 25))
def test_reference_programs_of_the_fixed_set_score_one(index: int) -> None:
    env = ERPBenchEnv(harness="coding", cache=None, tasks=[TASKS[index]], reward_mode="dense")
    env.reset(seed=0)
    rewards = [env.step(call)[1] for call in coding_oracle(TASKS[index])]
    assert sum(rewards) == 1.0


def test_handing_in_nothing_scores_nothing() -> None:
    env = make()
    env.reset(seed=0)
    assert env.step(ToolCall(name="submit"))[1:3] == (0.0, True)


def test_the_brief_says_how_to_reach_the_erp_and_the_tools_are_those_of_a_coder() -> None:
    brief, info = make().reset(seed=0)
    names = [tool["function"]["name"] for tool in info["tools"]]
    assert brief.startswith(SMALL.instruction)
    assert "http://127.0.0.1:8069" in brief and KEY in brief and "There is no submit here" not in brief
    assert names[-1] == "submit" and {"list_files", "read_file", "write_file", "edit_file", "run_python"} < set(names)
    assert "call" not in names and "create_sales_order" not in names


def test_the_erp_is_reached_with_the_usual_client() -> None:
    env = make()
    brief, _ = env.reset(seed=0)
    program = brief.split("```python\n")[1].split("```")[0]
    done = result(env.step([write("a.py", program), run("a.py")])[0])
    assert done["exit_code"] == 0 and len(done["stdout"].splitlines()) == 3, done


def test_wrong_keys_and_databases_are_refused() -> None:
    env = make()
    env.reset(seed=0)
    for good, bad in ((f'"{KEY}"', '"another-key-altogether"'), (f'"{DATABASE}"', '"other"')):
        env.step(write("erp.json", json.dumps({"url": URL, "key": KEY, "database": DATABASE})))
        edited = ToolCall(name="edit_file", arguments={"path": "erp.json", "old": good, "new": bad})
        done = result(env.step([edited, write("a.py", CREATE), run("a.py")])[0])
        assert done["exit_code"] == 1 and "HTTPError" in done["stderr"]


def test_nothing_else_is_reached() -> None:
    env = make()
    env.reset(seed=0)
    port = 8070
    program = f"import urllib.request\nurllib.request.urlopen('http://127.0.0.1:{port}')"
    assert "URLError" in result(env.step([write("a.py", program), run("a.py")])[0])["stderr"]
    assert result(env.step(command("ls /run/opsgym; ls /; ls"))[0])["stdout"].count("opsgym") == 0


def test_what_a_refused_call_of_the_api_says_reaches_the_program() -> None:
    env = make()
    env.reset(seed=0)
    before = env.world.erp.digest()
    program = CREATE.replace('"create", vals_list=[{"partner_id": partner}]', '"create", vals_list=[{"partner_id": 10**6}]')
    program = program.replace("print(", "try:\n    ").replace(
        "}]))", "}])\nexcept urllib.error.HTTPError as error:\n    print(error.code)"
    )
    done = result(env.step([write("a.py", program), run("a.py")])[0])
    assert done["stdout"].strip() in ("404", "422"), done
    assert env.world.erp.digest() == before


def test_a_snapshot_holds_the_records_and_the_files() -> None:
    env = make()
    env.reset(seed=0)
    env.step([write("a.py", CREATE), run("a.py")])
    saved, digest = pickle.loads(pickle.dumps(env.snapshot())), env.world.digest()
    assert isinstance(saved.world, CodingSnapshot)
    env.step([run("a.py"), write("b.py", "")])
    assert env.world.digest() != digest
    env.restore(saved)
    assert (env.world.digest(), list(env.world.workspace.files)) == (digest, ["a.py", "erp.json"])
    twin = env.fork()
    assert twin.step(run("a.py"))[0] == env.step(run("a.py"))[0]
    assert twin.world.digest() == env.world.digest() != digest


def test_environments_pickle_amid_an_episode() -> None:
    env = make()
    env.reset(seed=0)
    env.step(write("a.py", CREATE))
    twin = pickle.loads(pickle.dumps(env))
    assert twin.harness == "coding"
    assert twin.step(run("a.py"))[0] == env.step(run("a.py"))[0]
    assert twin.world.digest() == env.world.digest()


def test_a_snapshot_of_another_harness_is_refused() -> None:
    env, other = make(), ERPBenchEnv(cache=None, tasks=[SMALL])
    env.reset(seed=0)
    other.reset(seed=0)
    with pytest.raises(TaskError):
        env.restore(other.snapshot())
    assert not isinstance(other.world, CodingWorld)


def test_a_sandbox_that_breaks_marks_the_episode_and_undoes_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    env = make()
    env.reset(seed=0)
    digest = env.world.digest()

    def broken(desk: CodingDesk, *arguments: Any) -> Any:
        desk.workspace.replace({})
        desk.erp.execute("DELETE FROM ir_attachment" if "ir_attachment" in desk.erp.tables() else "DELETE FROM stock_quant")
        raise BackendError("the sandbox broke")

    monkeypatch.setattr(CodingDesk, "run", broken)
    _, reward, terminated, truncated, info = env.step(command("true"))
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert "the sandbox broke" in info["backend_error"] and "verdict" not in info
    assert env.world.digest() == digest


def test_programs_may_call_from_several_threads() -> None:
    env = make()
    env.reset(seed=0)
    threads = (
        "\nfrom concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(8) as pool:\n    made = list(pool.map("
    )
    work = 'lambda _: call("sale.order", "create", vals_list=[{"partner_id": partner}])[0], range(24)))\nprint(len(set(made)))'
    done = result(env.step([write("a.py", CREATE + threads + work), run("a.py")])[0])
    assert done["stdout"].splitlines()[-1] == "24", done
    assert env.world.erp.check() == []


def test_a_program_stopped_amid_a_call_leaves_a_sound_erp() -> None:
    env = make()
    env.reset(seed=0)
    endless = CREATE + '\nwhile True:\n    call("sale.order", "create", vals_list=[{"partner_id": partner}] * 20)\n'
    call = ToolCall(name="run_python", arguments={"path": "a.py", "seconds": 0.7})
    assert "stopped" in result(env.step([write("a.py", endless), call])[0])
    assert env.world.check() == []
    assert env.step(ToolCall(name="submit"))[2]


def test_the_transcript_shows_the_files() -> None:
    env = make(render_mode="ansi")
    env.reset(seed=0)
    env.step(write("notes.txt", "x"))
    shown = env.render()
    assert shown is not None and "notes.txt: 1 bytes" in shown


def test_check_env_is_silent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(gym.make("ERPBench-v0", harness="coding", cache=None, tasks=[SMALL], render_mode="ansi").unwrapped)


def test_batches_play_it() -> None:
    for envs in (
        gym.make_vec("ERPBench-v0", num_envs=2, harness="coding", cache=None, tasks=[SMALL]),
        ToolVectorEnv("ERPBench-v0", num_envs=2, harness="coding", cache=None, tasks=[SMALL]),
    ):
        envs.reset(seed=0)
        for action in coding_oracle(SMALL):
            _, rewards, terminated, _, _ = envs.step((action, action))
        assert list(rewards) == [1.0, 1.0] and all(terminated)
        envs.close()


def test_a_backend_has_no_coding_harness() -> None:
    from opsgym.envs.erp_bench.backends import EmbeddedBackend

    with pytest.raises(TaskError, match="embedded ERP only"):
        ERPBenchEnv(harness="coding", backend=EmbeddedBackend(), cache=None)


def test_the_program_is_text_for_any_task() -> None:
    for task in TASKS[::60]:
        compile(oracle_program(task), "book_plan.py", "exec")


def test_the_id_offers_it() -> None:
    assert "ERPBench-v0" in opsgym.ENV_IDS
    assert "coding" in ErpBenchFamily.harnesses
