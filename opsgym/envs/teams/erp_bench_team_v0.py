"""ERPBenchTeam-v0: the tasks of ERPBench for a team of sales, purchasing, production and finance."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from opsgym.core.errors import RegistryError, TaskError, ToolError
from opsgym.core.task import Task, ToolCall
from opsgym.core.tools import Tool, ToolResult
from opsgym.core.verify import Verdict
from opsgym.envs.erp_bench.brief import brief as full_brief
from opsgym.envs.erp_bench.brief import policy_documents
from opsgym.envs.erp_bench.env import ERPBenchEnv
from opsgym.envs.erp_bench.erp.errors import ErpError
from opsgym.envs.erp_bench.erp.registry import MODELS
from opsgym.envs.erp_bench.family import scenario_of
from opsgym.envs.middleware import Proceed, Reply, answer
from opsgym.envs.teams.access import COMMON_MODELS, ROLES, check_read, denied, offers, refusal
from opsgym.envs.teams.forms import TeamAEC, TeamParallel
from opsgym.envs.teams.game import TeamGame
from opsgym.envs.teams.oracle_team import OracleRole, oracle_team
from opsgym.envs.teams.tools import wait

__all__ = ["ERPBenchTeamEnv", "ERPBenchTeamParallelEnv", "env", "parallel_env", "raw_env"]

INFORMATION = ("shared", "partial")
CREDIT = ("team", "role")
_READERS = ("search_records", "read_records", "count_records")

RESPONSIBLE: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        (
            "demand_coverage",
            "deadline_fulfillment",
            "list_price",
            "sale_revenue",
            "budget_compliance",
            "task_state_transitions_completed",
            "seeded_order_confirmed",
            "seeded_order_cancelled",
            "so_confirmed",
            "prompt_request_not_confirmed",
            "sales_licensed",
            "retained_order_has_expected_payment_term",
        ),
        ("sales_0",),
    ),
    **dict.fromkeys(
        (
            "retained_order_has_expected_invoice_flow",
            "linked_posted_invoices_match_order_partner",
            "linked_posted_invoices_have_expected_payment_term",
            "regular_invoice_amount_matches_policy",
            "linked_posted_invoices_are_tax_free",
            "downpayment_invoice_amount_matches_policy",
            "rejected_order_not_invoiced",
            "invoices_licensed",
        ),
        ("finance_0",),
    ),
    **dict.fromkeys(
        (
            "po_delivery_schedule_compliance",
            "po_consolidation_compliance",
            "po_min_qty_compliance",
            "po_price_tier_compliance",
            "purchases_licensed",
            "forbidden_finished_po_absent",
            "finished_vendor_max_qty_compliance",
            "component_vendor_max_qty_compliance",
            "po_origin_traceability",
        ),
        ("purchasing_0",),
    ),
    **dict.fromkeys(
        (
            "manufacturing_activity_present",
            "mo_schedule_compliance",
            "productions_licensed",
            "assembly_capacity_compliance",
            "mrp_origin_traceability",
        ),
        ("production_0",),
    ),
    **dict.fromkeys(
        ("supply_timing_feasible", "supply_coverage", "component_stock_capacity_compliance", "mo_component_feasibility"),
        ("purchasing_0", "production_0"),
    ),
}
"""The roles that answer for a rule; the whole team for rules that are not here."""


class ErpTeamGame(TeamGame):
    """Who may do what in :class:`ERPBenchTeamEnv`."""

    possible_agents = tuple(ROLES)

    def __init__(self, env: ERPBenchEnv, *, information: str, credit: str, **budgets: Any) -> None:
        self.partial, self.credit = information == "partial", credit
        super().__init__(env, **budgets)

    @property
    def config(self) -> tuple[Any, ...]:
        """See :class:`~opsgym.envs.teams.game.TeamGame`."""
        return *super().config, self.partial, self.credit

    def team(self, task: Task) -> list[str]:
        """Roles for which the request has work, whatever the solution makes of it."""
        problem = scenario_of(task).problem
        needed = {
            "sales_0": True,
            "purchasing_0": bool(problem.offers),
            "production_0": bool(problem.making or (problem.repair and problem.repair.productions)),
            "finance_0": problem.invoicing is not None,
        }
        return [agent for agent in ROLES if needed[agent]]

    def offers(self, agent: str, tool: Tool) -> bool:
        """See :func:`opsgym.envs.teams.access.offers`."""
        return tool in self.extras or offers(agent, tool, partial=self.partial)

    def readable(self, agent: str) -> frozenset[str]:
        """Models that a role may read."""
        return ROLES[agent].models | COMMON_MODELS if self.partial else frozenset(MODELS)

    def brief(self, agent: str, task: Task) -> str:
        """The role's duty and colleagues, then the request, or the role's part of it."""
        agents = self.team(task)
        others = ", ".join(other for other in agents if other != agent)
        request = _part(agent, task) if self.partial else self.env.episode.brief
        return (
            f"You are {agent}, one of a team that works in one ERP. {ROLES[agent].duty} Your colleagues: {others or 'none'}.\n"
            f"Each of you writes only its own documents. Use `message` to tell colleagues what they need to know (at most "
            f"{self.messages} messages), `wait` while you have nothing to do, and `submit` once your part is done; the work is "
            f"judged when all have submitted.\n\n{request}"
        )

    def refusal(self, agent: str, tool: str) -> ToolError:
        """An AccessError, in Odoo's words."""
        return refusal(tool)

    def perform(self, agent: str, call: ToolCall, proceed: Proceed) -> Reply:
        """Carry a call on with the rights of the role."""
        arguments = dict(call.arguments)
        if call.name == "add_note" and arguments["kind"] not in ROLES[agent].notes_on:
            model = {"sales order": "sale.order", "purchase order": "purchase.order", "manufacturing order": "mrp.production"}
            raise denied("write", model.get(arguments["kind"], "account.move"))
        if not self.partial:
            return proceed(call)
        if call.name == "describe_model" and arguments.get("model") in MODELS.keys() - self.readable(agent):
            raise denied("access", arguments["model"])
        if call.name in _READERS:
            call = call.model_copy(update={"arguments": self._read(agent, call.name, arguments)})
        return _without_hint(proceed(call)) if _names_unseen(agent, call) else proceed(call)

    def _read(self, agent: str, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a reading tool, with the fields that the role may read."""
        fields = arguments.get("fields")
        if tool != "read_records" and not fields:
            fields = ["display_name"]
        models = self.readable(agent)
        allowed = check_read(models, arguments["model"], arguments.get("domain"), fields, arguments.get("order"))
        return arguments if tool == "count_records" or allowed is None else {**arguments, "fields": allowed}

    def hand_in(self, agent: str, call: ToolCall, proceed: Proceed) -> Reply:
        """The last one to hand in ends the episode."""
        state = self.state
        left = [other for other in state.agents if other != agent and other not in state.done]
        if not left:
            return proceed(call)
        state.done.append(agent)
        line = ToolResult(call.name, {"submitted": agent, "waiting_for": left}).to_json()
        return Reply(ToolResult(wait.name), line)  # under this name it does not end the episode

    def rewards(self, reward: float) -> dict[str, float]:
        """All of the team's reward to each, or with ``credit="role"`` each its part of it."""
        parts = self.credits(reward) if self.credit == "role" else None
        return super().rewards(reward) if parts is None else parts

    def credits(self, reward: float) -> dict[str, float] | None:
        """The reward divided by :func:`shares`, once there is a verdict."""
        verdict = self.env.episode.verdict
        if verdict is None:
            return None
        return {agent: reward * share for agent, share in shares(verdict, self.state.agents).items()}

    def oracle(self, agent: str, *, talks: bool = True) -> OracleRole:
        """A role of :func:`~opsgym.envs.teams.oracle_team.oracle_team`."""
        return oracle_team(self.env.task, self.state.agents, talks=talks)[agent]


def shares(verdict: Verdict, agents: list[str]) -> dict[str, float]:
    """How a team's reward is divided: by the passed checks for which each role is responsible; the shares add up to 1."""
    earned = dict.fromkeys(agents, 0.0)
    for check in verdict.checks:
        owners = [agent for agent in RESPONSIBLE.get(check.spec.rule, ()) if agent in earned] or agents
        for agent in owners:
            earned[agent] += (check.status == "pass") / len(owners)
    total = sum(earned.values())
    return {agent: part / total if total else 1 / len(agents) for agent, part in earned.items()}


def _part(agent: str, task: Task) -> str:
    """What a role is told of the request when information is partial."""
    scenario = scenario_of(task)
    head = full_brief(scenario).split("\n\n## ")[0].split("\n\n")
    titles = ROLES[agent].sections | {"What to leave alone"}
    sections = [f"## {text.title}\n{text.body}" for text in policy_documents(scenario) if text.title in titles]
    requests = head if agent == "sales_0" else ["The requests of the customers are known to sales_0."]
    return "\n\n".join([f"Today is {scenario.today.isoformat()}.", *requests, *sections]) + "\n"


def _names_unseen(agent: str, call: ToolCall) -> bool:
    """Whether a call looks up a document of others, so that the ERP's hint would name some."""
    return agent == "finance_0" and "order" in call.arguments


def _without_hint(reply: Reply) -> Reply:
    error = reply.result.error
    if error is None or error.code != "not_found":
        return reply
    return answer(ToolResult(reply.result.name, error=ErpError("MissingError", error.message)))


class _Made:
    """Makes the game of both forms."""

    def make_game(
        self,
        *,
        information: Literal["shared", "partial"] = "shared",
        credit: Literal["team", "role"] = "team",
        max_cycles: int = 200,
        messages: int = 64,
        message_chars: int = 4000,
        **arguments: Any,
    ) -> TeamGame:
        """The game of these arguments.

        Raises:
            RegistryError: Unknown information or credit, or another harness than ``"tools"``.
            TaskError: Arguments that do not go together.
        """
        given = (("information", information, INFORMATION), ("credit", credit, CREDIT))
        for kind, name, known in (*given, ("team harness", arguments.get("harness") or "tools", ("tools",))):
            if name not in known:
                raise RegistryError(kind, name, known)
        if credit == "role" and arguments.get("reward_mode") == "dense":
            raise TaskError('expected "paper" or "binary" with credit="role", got "dense"', field="reward_mode")
        if information == "partial" and arguments.get("disclosure") not in (None, "full"):
            message = f'expected "full" with information="partial", got {arguments["disclosure"]!r}'
            raise TaskError(message, field="disclosure")
        inner = ERPBenchEnv(**arguments)
        budgets = {"max_cycles": max_cycles, "messages": messages, "message_chars": message_chars}
        return ErpTeamGame(inner, information=information, credit=credit, **budgets)


class ERPBenchTeamEnv(_Made, TeamAEC):
    """The tasks of ERPBench for a team of roles, who act by turns.

    ## Description

    The task is one of `ERPBench-v0`, split over the roles of a company.  All work in one ERP, each with its own brief, tools
    and rights; what one role writes, the others can use.  A task has the roles for which its request has work: finance only where
    invoices are asked for, production only where something can be made.

    | agent | writes | reads when `information="partial"`, beside products, partners and stock |
    |---|---|---|
    | `sales_0` | sales orders | sales orders, invoices, payment terms, policy documents |
    | `purchasing_0` | purchase orders | purchase orders, vendor offers |
    | `production_0` | manufacturing orders | manufacturing orders, work orders, work centers, bills of materials |
    | `finance_0` | invoices | invoices, payment terms, taxes |

    With `information="shared"` (default) everyone has the whole brief and reads everything.  With `"partial"` the requests, and
    what went wrong in a repair task, are known to sales alone, rules and offers of purchasing to purchasing alone, and so
    on: facts have to be told.  What a role has no right to is answered as Odoo does, with an AccessError; rights also hold for
    conditions, sort orders and computed fields that lead to other records.  Product pages show everyone how many offers and
    bills of materials there are.

    ## Observation

    `{"text": ...}`: at first the role's brief, later one line of JSON for each of its calls, then one for each message,
    `{"message": {"from", "text", "to"}}`.

    ## Actions

    Text that holds tool calls, as for ERPBench; `infos[agent]["tools"]` at reset holds the role's tools.  Beside those of the ERP
    there are `message` (to one colleague or to all) and `wait`.  `submit` hands in the role's part; its turn comes again only
    if a colleague writes to it alone.

    ## Reward

    0 until the end, then the verdict of ERPBench.  `credit="team"`: each agent earns it whole.  `credit="role"`: it is divided by
    the passed checks for which each role is responsible; the parts add up to the team's reward.

    ## End of episode

    - Termination: all roles have submitted.
    - Truncation: the turns of the pool, `max_cycles` for each agent, are used up; judged all the same.

    ## Arguments

    `information`, `credit`, `max_cycles` (200), `messages` (64 for each agent), `message_chars` (4000), `render_mode`, and all
    arguments of :class:`~opsgym.envs.tool_env.ToolEnv` but `max_steps`; only the harness `"tools"`, and with partial
    information only full disclosure.

    ## Example

    >>> from opsgym.envs.teams import erp_bench_team_v0
    >>> env = erp_bench_team_v0.env(tier="easy", information="partial", cache=None)
    >>> env.reset(seed=7)
    >>> env.agents
    ['sales_0', 'purchasing_0', 'finance_0']
    >>> env.step('{"name": "create_purchase_order", "arguments": {}}')
    >>> print(env.observe("sales_0")["text"].partition('"message":')[2])
    "You are not allowed to create 'Purchase Order' (purchase.order) records."}}
    """

    metadata: ClassVar[dict[str, Any]] = {**TeamAEC.metadata, "name": "erp_bench_team_v0"}


class ERPBenchTeamParallelEnv(_Made, TeamParallel):
    """The same team, all acting at once.

    In every cycle the actions are carried out one after the other, each whole, in an order drawn anew from the episode's seed.
    An action finds what those before it in the cycle have written, and conflicts are answered as the ERP does, for example that
    an order is already cancelled.  A message is read in the next cycle, whatever the order.  Actions of agents that have
    submitted are passed over.  When the episode ends within a cycle, the actions after that are not carried out.

    Everything else is as for :class:`ERPBenchTeamEnv`.

    >>> from opsgym.envs.teams import erp_bench_team_v0
    >>> env = erp_bench_team_v0.parallel_env(tier="easy", cache=None)
    >>> observations, infos = env.reset(seed=7)
    >>> _, rewards, terminations, _, _ = env.step({agent: '{"name": "submit"}' for agent in env.agents})
    >>> all(terminations.values()), set(rewards.values()), env.agents
    (True, {0.0}, [])
    """

    metadata: ClassVar[dict[str, Any]] = {**TeamParallel.metadata, "name": "erp_bench_team_v0"}


raw_env = ERPBenchTeamEnv


def env(**arguments: Any) -> ERPBenchTeamEnv:
    """The AEC form; it checks actions itself, so that no wrapper is needed."""
    return ERPBenchTeamEnv(**arguments)


def parallel_env(**arguments: Any) -> ERPBenchTeamParallelEnv:
    """The Parallel form."""
    return ERPBenchTeamParallelEnv(**arguments)
