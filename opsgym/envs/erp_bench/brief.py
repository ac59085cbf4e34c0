"""Brief: the instruction of a task, from its specification, under three levels of disclosure.

The brief is made from a :class:`Scenario` alone: no plan is at hand here, so none can leak.  It covers the whole
specification family, released scenarios included.  The sections of the full brief are at the same time the policy
documents that an agent looks up under disclosure ``"policy"``.
"""

from __future__ import annotations

import datetime as dt
import zlib
from collections.abc import Callable

from opsgym.core.errors import RegistryError
from opsgym.envs.erp_bench.domains import domains
from opsgym.envs.erp_bench.phrases import PHRASES, counted
from opsgym.envs.erp_bench.spec import TERM_NAMES, Document, Scenario

DISCLOSURES = ("full", "brief", "policy")
"""How much the brief says; see :func:`brief`."""


def brief(scenario: Scenario, disclosure: str = "full") -> str:
    """The instruction of ``scenario``.

    Args:
        scenario: The task.
        disclosure: ``"full"``: the exact objective, tie-break, tolerance and every rule of the verifier.
            ``"brief"``: the same in business words, without the fine print.  ``"policy"``: only the requests and what
            happened; rules are in the policy documents.

    Raises:
        RegistryError: Unknown disclosure.
    """
    if disclosure not in DISCLOSURES:
        raise RegistryError("disclosure", disclosure, DISCLOSURES)
    writer = _Writer(scenario)
    blocks = [writer.say(writer.opening(), **writer.names()), _bullets(writer.orders()), " ".join(writer.supply())]
    if disclosure == "full":
        blocks += [f"## {title}\n{_bullets(lines)}" for title, lines in writer.sections()]
    elif disclosure == "brief":
        blocks += [" ".join(lines) for lines in writer.summary() if lines]
    else:
        blocks += [" ".join([*writer.event(), writer.say("policies")])]
    return "\n\n".join([*blocks, writer.say("closing")]) + "\n"


def policy_documents(scenario: Scenario) -> tuple[Document, ...]:
    """The rules of ``scenario`` as documents of the ERP: what the full brief says in its sections."""
    return tuple(Document(title=title, body=_bullets(lines)) for title, lines in _Writer(scenario).sections())


def money(cents: int) -> str:
    """Cents as dollars with thousands separators, for example ``1,234.50``."""
    return f"{cents / 100:,.2f}"


def percent(basis_points: int) -> str:
    """Basis points as a percentage, for example ``27.5``."""
    return f"{basis_points / 100:g}"


def _bullets(lines: list[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


class _Writer:
    """Says what a scenario demands, in the wording that its phrasing number picks."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.problem = scenario.problem

    def say(self, key: str, **fields: object) -> str:
        """One sentence, in one of its wordings."""
        options = PHRASES[key]
        return options[zlib.crc32(f"{self.scenario.phrasing}:{key}".encode()) % len(options)].format(**fields)

    def date(self, day: int) -> str:
        """A day as a calendar date with its weekday."""
        date = self.scenario.today + dt.timedelta(days=day)
        return f"{date.isoformat()} ({date:%A})"

    def names(self) -> dict[str, object]:
        """Fields of the opening sentence."""
        known = domains().get(self.scenario.domain)
        company = known.company if known else "a manufacturing company"
        *others, last = (product.name for product in self.problem.finished)
        return {"company": company, "today": self.date(0), "product": f"{', '.join(others)} and {last}" if others else last}

    def opening(self) -> str:
        """Key of the opening sentence."""
        if self.problem.repair:
            return "opening_repair"
        return "opening_screened" if self.problem.screening else "opening_firm"

    def orders(self) -> list[str]:
        """One line per request."""
        names = {partner.ref: partner.name for partner in self.problem.customers}
        lines = []
        for order in self.problem.orders:
            budget = self.say("budget", amount=money(order.budget)) if order.budget is not None else ""
            state = {"draft": "a draft sales order", "sale": "a confirmed sales order"}.get(order.seeded or "")
            known = self.say("known", state=state, ref=order.ref) if state and self.problem.repair else ""
            fields = {"customer": names[order.customer], "units": counted(order.quantity, "unit"), "due": self.date(order.due)}
            if self.is_mixed:
                product = self.problem.ordered(order)
                line = self.say("order_of", **fields, product=f"{product.name} ({product.code})", budget=budget, known=known)
            else:
                line = self.say("order", **fields, budget=budget, known=known)
            lines.append(line + ".")
        return lines

    @property
    def is_mixed(self) -> bool:
        """Whether there are several finished products."""
        return len(self.problem.finished) > 1

    def supply(self) -> list[str]:
        """Where the requests stand, stock, and routes."""
        problem = self.problem
        route = f"make_{problem.make_only}" if problem.make_only else ("both" if problem.making else "buy")
        known = "maybe_known" if any(order.seeded for order in problem.orders) else "not_known"
        stock = [
            self.say(
                "stock", stock=counted(problem.stock.get(finished.code, 0), "unit"), product=finished.name, code=finished.code
            )
            for finished in problem.finished
        ]
        return [self.say(known), *stock, self.say(f"routes_{'mixed_' * self.is_mixed}{route}"), self.say("look_up")]

    def summary(self) -> list[list[str]]:
        """The sections in business words, a paragraph each."""
        goal = [self.say(f"goal_{self.problem.objective}"), *self.margin()]
        return [self.event(), self.acceptance(), goal, self.invoicing() if self.problem.invoicing else [], [self.say("links")]]

    def sections(self) -> list[tuple[str, list[str]]]:
        """Titles and lines of all rules."""
        parts: tuple[tuple[str, Callable[[], list[str]]], ...] = (
            ("What happened", self.event),
            ("Acceptance of requests", self.acceptance),
            ("Goal", self.goal),
            ("Margin", self.margin),
            ("Sales orders", self.sales),
            ("Invoicing", self.invoicing),
            ("Purchasing", self.purchasing),
            ("Manufacturing", self.manufacturing),
            ("Source links", self.links),
            ("What to leave alone", self.housekeeping),
        )
        return [(title, lines) for title, make in parts if (lines := make())]

    # -- sections -------------------------------------------------------------------------------------------

    def event(self) -> list[str]:
        """The disruption of a repair task."""
        repair, problem = self.problem.repair, self.problem
        if repair is None:
            return []
        if repair.kind == "supplier_cancellation":
            offer = problem.offer_by_key[repair.broken_offer or ""]
            vendor = next(partner.name for partner in problem.vendors if partner.ref == offer.vendor)
            plural = "s" if len(repair.broken_purchases) > 1 else ""
            lines = [
                self.say("broken_supplier", vendor=vendor, product=problem.product_by_code[offer.product].name, plural=plural)
            ]
        else:
            center = next(row for row in problem.centers if row.code == repair.broken_center)
            lines = [self.say("broken_center", center=center.name, code=center.code)]
        customer_of = {order.ref: order.customer for order in problem.orders}
        impacted = {customer_of.get(ref, ref) for ref in repair.impacted}
        hit = [partner.name for partner in problem.customers if partner.ref in impacted]
        return [*lines, *([self.say("impacted", customers=", ".join(hit))] if hit else []), self.say("repair_cancel")]

    def acceptance(self) -> list[str]:
        """The screening rules."""
        rules = self.problem.screening
        if rules is None:
            return []
        lines = [self.say("accept")]
        if rules.budget:
            lines.append(self.say("accept_budget"))
        if rules.min_qty is not None:
            lines.append(self.say("accept_min_qty", least=counted(rules.min_qty, "unit")))
        if rules.max_qty is not None:
            lines.append(self.say("accept_max_qty", most=counted(rules.max_qty, "unit")))
        if rules.min_lead is not None:
            lines.append(self.say("accept_min_lead", days=counted(rules.min_lead, "day"), day=self.date(rules.min_lead)))
        return [*lines, self.say("accept_rest")]

    def goal(self) -> list[str]:
        """The objective with its exact measure, tie-break and tolerance."""
        objective = self.problem.objective
        return [self.say(f"goal_{objective}"), self.say("spend"), *GOALS[objective]]

    def margin(self) -> list[str]:
        """The margin rule."""
        return [self.say("margin_mixed" if self.is_mixed else "margin", margin=percent(self.problem.margin_bps))]

    def sales(self) -> list[str]:
        """How sales orders are to look."""
        accepted = "accepted " if self.problem.screening else ""
        lines = [
            f"One confirmed sales order for each {accepted}customer, for exactly the requested quantity.",
            self.price(),
            "Set the delivery (commitment) date on every sales order, no later than the day on which the request is due.",
        ]
        if any(order.budget is not None for order in self.problem.orders):
            lines.append("No sales order may exceed its customer's budget.")
        return lines

    def price(self) -> str:
        """What to sell at."""
        prices = [f"${money(product.list_price)} a unit" for product in self.problem.finished]
        if not self.is_mixed:
            return f"Sell at the list price of {prices[0]}, without discounts or other products."
        each = [f"{product.code} at {price}" for product, price in zip(self.problem.finished, prices, strict=True)]
        return f"Sell each customer the product asked for and no other, at its list price without discounts: {', '.join(each)}."

    def invoicing(self) -> list[str]:
        """Which invoices are wanted."""
        policy = self.problem.invoicing
        if policy is None:
            return [self.say("no_invoice")]
        screened = self.problem.screening is not None
        lines = [self.say("invoice", orders="accepted order" if screened else "order")]
        if policy.downpayment_mode and policy.downpayment_value is not None and policy.downpayment_threshold is not None:
            value = policy.downpayment_value
            shown = money(value) if policy.downpayment_mode == "fixed" else percent(value)
            key = f"invoice_{policy.downpayment_mode}"
            lines.append(self.say(key, threshold=money(policy.downpayment_threshold), value=shown))
        lines.append(self.say("invoice_term", term=f'"{TERM_NAMES[policy.payment_term]}"'))
        return [*lines, *([self.say("invoice_not")] if screened else [])]

    def purchasing(self) -> list[str]:
        """Rules on purchase orders."""
        lines = list(PURCHASING)
        if self.scenario.style == "release":
            lines.append(
                f"Plan purchases and production of {self.finished} so that, with stock, they meet demand without surplus."
            )
        else:
            lines.append(
                "You may buy more than is needed, within a vendor's minimum quantity: the surplus is paid for and "
                "stays on the shelf. "
                "Of a purchase at the minimum, one unit must be needed; of a larger one, at least the minimum, and the surplus "
                "must be smaller than the minimum."
            )
        if not self.problem.buying:
            lines.append(f"No purchase order for {' or '.join(self.problem.finished_codes)}, not even a draft.")
        return lines

    def manufacturing(self) -> list[str]:
        """Rules on manufacturing orders."""
        if not self.problem.making:
            return []
        lines = [*MANUFACTURING, DATED_CAPACITY if self.problem.bucket_days else CAPACITY]
        if self.has_sub_assemblies:
            lines.append(
                "Sub-assemblies are made, never bought; each has its own manufacturing orders, done before the parent starts."
            )
        if self.problem.repair and self.problem.repair.broken_center:
            lines.append("A work center that is out of order has no minutes.")
        return lines

    def links(self) -> list[str]:
        """How documents are to name one another."""
        lines = ["The source field (origin) holds document names separated by commas, for example S00001, S00002."]
        if self.problem.buying:
            lines.append(f"A purchase order for {self.finished} names the sales orders that it serves.")
        if self.problem.making:
            lines.append(f"A manufacturing order for {self.finished} names the sales orders that it serves.")
            lines.append("A purchase order for a component names the manufacturing orders that use it.")
        if self.has_sub_assemblies:
            lines.append("A manufacturing order for a sub-assembly names the manufacturing orders of its parents.")
        return [
            *lines,
            "Name no document twice, and none that does not need the product; each named document gets at least one unit.",
            "All documents of a product together must fit into what the named documents need: no need is counted twice.",
            "Whatever is named must need the product on or after the day on which it is there.",
        ]

    @property
    def has_sub_assemblies(self) -> bool:
        """Whether anything is made that is no finished product."""
        return any(bom.product not in self.problem.finished_codes for bom in self.problem.boms)

    @property
    def finished(self) -> str:
        """The finished product, or any of several, in words."""
        return "a finished product" if self.is_mixed else "the finished product"

    def housekeeping(self) -> list[str]:
        """What must stay as it is."""
        return [
            "Do not change, create or delete partners, products, prices, bills of materials, work centers, stock or settings, "
            "and do not receive, deliver or finish anything: the plan is booked, not carried out.",
            "Other customers' orders and other products are none of your business; book nothing for them.",
            "Leave no drafts of your own behind: confirm what you create, or cancel it.",
        ]


PURCHASING = (
    "Buy only from price-list rows that are valid today, from a vendor who offers exactly the product that is needed.",
    "One purchase order per offer (vendor and product), confirmed, for the whole horizon: whole units, at least the "
    "offer's minimum "
    "quantity, at most the maximum that the vendor's internal notes state for the product.",
    "The price on the line is the offer's price.",
    "The delivery date of a line is no earlier than today plus the offer's lead time, and no later than the day on "
    "which the linked "
    "documents need the goods: the delivery date of a sales order, the start of a manufacturing order.",
    "At every sales order's delivery date, stock plus what has arrived and been finished by then must cover all that "
    "is due by then.",
)
MANUFACTURING = (
    "Confirm each manufacturing order, for whole units that the linked documents need, with the bill of materials' "
    "components unchanged.",
    "Its work orders are all on one work center that has an operation for the product and is in service. Minutes and "
    "cost per unit "
    "are those of that work center's operation.",
    "Start no earlier than today; the due date (deadline) is at least the manufacturing lead time of the bill of "
    "materials after the start.",
    "Components must be on hand when it starts: stock at the beginning, plus what has arrived or been finished by that "
    "day, less what "
    "was used before.",
)
CAPACITY = "The minutes in a work center's notes are its limit for the whole horizon, shared by all products."
DATED_CAPACITY = (
    "A work center's notes list its minutes by period. A manufacturing order takes all its minutes (minutes per unit times "
    "quantity) from the period in which it starts, whenever it ends. All products share the minutes of a period, and minutes "
    "that are not used do not carry over."
)
_SPEND_SCALE = (
    "A plan within $0.25 of the least possible new spend counts as best; the score falls with the relative gap, to "
    "about 95 % at one "
    "per cent and 61 % at ten per cent more."
)
_TIES = "Reaching the optimum counts 90 % of this score, the tie-break (new spend, tolerance $0.25) the other 10 %."
GOALS: dict[str, tuple[str, ...]] = {
    "constraint_only": ("Every plan that keeps the rules gets the full score.",),
    "min_new_spend": (_SPEND_SCALE,),
    "vendor_consolidation": (
        "Counted are distinct vendors with a confirmed purchase order, for finished units or components. There is no tolerance.",
        _TIES,
    ),
    "capacity_preservation": (
        "Counted are minutes per unit times quantity over all manufacturing orders, sub-assemblies included; tolerance "
        "0.01 minutes.",
        _TIES,
    ),
    "repair_plan": (
        "The change is the sum of absolute differences between new and booked quantities, over the total of each "
        "finished-goods offer and "
        "over the total of each product on each work center. Component purchases and dates do not count. There is no tolerance.",
        _TIES,
    ),
}
