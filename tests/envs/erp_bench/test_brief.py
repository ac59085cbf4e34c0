"""The brief says everything an agent needs under "full", and never anything of the solution."""

from __future__ import annotations

import datetime as dt
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from opsgym.core.errors import RegistryError
from opsgym.data.erp_bench_release import find_releases, read_release
from opsgym.envs.erp_bench.brief import DISCLOSURES, GOALS, brief, money, percent, policy_documents
from opsgym.envs.erp_bench.params import PATTERNS
from opsgym.envs.erp_bench.phrases import PHRASES, counted
from opsgym.envs.erp_bench.spec import Scenario
from opsgym.envs.erp_bench.world import center_note, vendor_limits
from tests.envs.erp_bench import scenarios as hand_made
from tests.envs.erp_bench.draws import drawn


def generated() -> Iterator[Scenario]:
    """Scenarios of every pattern."""
    for pattern in sorted(PATTERNS):
        for seed in range(6):
            yield drawn(seed, pattern=pattern)


def everything() -> Iterator[Scenario]:
    """Generated and hand-made scenarios: with and without production, screening, invoicing and disruption."""
    yield from generated()
    for make in (hand_made.buying, hand_made.making, hand_made.screened, hand_made.repairing):
        scenario = make()[0]
        for phrasing in range(8):
            yield scenario.model_copy(update={"phrasing": phrasing})


def facts(scenario: Scenario) -> Iterator[tuple[str, str]]:
    """What must be in the full brief, with a name for the failure message."""
    problem = scenario.problem
    names = {partner.ref: partner.name for partner in problem.customers}
    yield "today", scenario.today.isoformat()
    for product in problem.finished:
        yield "product", product.name
        yield "code", product.code
        yield "stock", counted(problem.stock.get(product.code, 0), "unit")
        yield "list price", f"${money(product.list_price)}"
    yield "margin", f"{percent(problem.margin_bps)} %"
    for order in problem.orders:
        due = (scenario.today + dt.timedelta(days=order.due)).isoformat()
        line = next(row for row in brief(scenario).split("\n") if names[order.customer] in row)
        assert counted(order.quantity, "unit") in line and due in line
        assert len(problem.finished) == 1 or problem.ordered(order).name in line
        assert order.budget is None or f"${money(order.budget)}" in line
    if problem.screening:
        rules = problem.screening
        for bound in (rules.min_qty, rules.max_qty):
            if bound is not None:
                yield "quantity bound", counted(bound, "unit")
        if rules.min_lead is not None:
            yield "earliest due day", (scenario.today + dt.timedelta(days=rules.min_lead)).isoformat()
            yield "lead bound", counted(rules.min_lead, "day")
    if problem.invoicing:
        policy = problem.invoicing
        yield "payment term", {"immediate": "Immediate Payment", "net_30": "30 Days"}[policy.payment_term]
        if policy.downpayment_threshold is not None and policy.downpayment_value is not None:
            fixed = policy.downpayment_mode == "fixed"
            yield "threshold", f"${money(policy.downpayment_threshold)}"
            yield "down payment", f"${money(policy.downpayment_value)}" if fixed else f"{percent(policy.downpayment_value)} %"
    if problem.repair:
        broken = problem.repair.broken_offer
        if broken:
            vendor = problem.offer_by_key[broken].vendor
            yield "broken vendor", next(partner.name for partner in problem.vendors if partner.ref == vendor)
        else:
            yield "broken center", str(problem.repair.broken_center)
    yield from ((f"goal {index}", sentence) for index, sentence in enumerate(GOALS[problem.objective]))
    yield "tolerance", "$0.25" if problem.objective != "constraint_only" else "full score"


def test_the_full_brief_has_every_number_that_the_agent_needs() -> None:
    for scenario in everything():
        text = brief(scenario, "full")
        missing = [name for name, fact in facts(scenario) if fact not in text]
        assert not missing, (scenario.name, missing)


def test_released_scenarios_are_briefed_in_full(released_erpbench: Path) -> None:
    folders = find_releases(released_erpbench)
    assert folders
    for folder in folders:
        scenario = read_release(folder).scenario
        text = brief(scenario)
        missing = [name for name, fact in facts(scenario) if fact not in text]
        assert not missing, (folder.name, missing)
        _assert_nothing_leaks(scenario)


def _assert_nothing_leaks(scenario: Scenario) -> None:
    """No vendor, offer, component or work center is named, but the one that broke: those are to be found in the ERP."""
    problem = scenario.problem
    broken: set[str | None] = set()
    if problem.repair and problem.repair.broken_offer:
        broken = {problem.offer_by_key[problem.repair.broken_offer].vendor}
    elif problem.repair:
        broken = {problem.repair.broken_center}
    hidden = [vendor.name for vendor in problem.vendors if vendor.ref not in broken]
    hidden += [vendor.ref for vendor in problem.vendors] + [offer.key for offer in problem.offers]
    hidden += [product.code for product in problem.products if product not in problem.finished]
    hidden += [center.code for center in problem.centers if center.code not in broken]
    texts = [brief(scenario, level) for level in DISCLOSURES] + [document.body for document in policy_documents(scenario)]
    for text in texts:
        assert not [name for name in hidden if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)], scenario.name


def test_the_brief_and_the_documents_hold_nothing_of_the_solution() -> None:
    for scenario in generated():
        _assert_nothing_leaks(scenario)


def test_prices_of_offers_are_not_told() -> None:
    for seed in range(10):
        scenario = drawn(seed, "medium")
        texts = [brief(scenario, level) for level in DISCLOSURES]
        for offer in scenario.problem.offers:
            assert not any(re.search(rf"(?<![\d,.]){re.escape(money(offer.price))}(?!\d)", text) for text in texts)


def test_the_documents_are_what_the_full_brief_says() -> None:
    for scenario in everything():
        text = brief(scenario, "full")
        documents = policy_documents(scenario)
        assert documents and len({document.title for document in documents}) == len(documents)
        assert all(f"## {document.title}\n{document.body}" in text for document in documents)


def test_under_policy_the_rules_are_in_the_documents_and_not_in_the_brief() -> None:
    for scenario in everything():
        text = brief(scenario, "policy")
        assert f"{percent(scenario.problem.margin_bps)} %" not in text and "policy documents" in text
        assert not any(sentence in text for sentence in GOALS[scenario.problem.objective])
        assert all(partner.name in text for partner in scenario.problem.customers if _ordered(scenario, partner.ref))


def _ordered(scenario: Scenario, customer: str) -> bool:
    return any(order.customer == customer for order in scenario.problem.orders)


def test_the_brief_gets_shorter_with_each_level() -> None:
    for scenario in everything():
        full, short, policy = (len(brief(scenario, level)) for level in DISCLOSURES)
        assert full > short > policy - 200 and full > policy


def test_the_same_scenario_always_reads_the_same_and_phrasings_differ() -> None:
    scenario = drawn(0, "easy")
    versions = {brief(scenario.model_copy(update={"phrasing": number})) for number in range(40)}
    assert brief(scenario) == brief(scenario)
    assert len(versions) > 30


@pytest.mark.parametrize("key", sorted(PHRASES))
def test_all_wordings_of_a_sentence_state_the_same_facts(key: str) -> None:
    fields = [{name for _, name, _, _ in string.Formatter().parse(wording) if name} for wording in PHRASES[key]]
    assert len(fields) >= 2 and all(found == fields[0] for found in fields), key


NOUN = "(?:unit|day|minute|hour|order|request|vendor|customer|invoice|document)"
WRONG_NUMBER = re.compile(rf"(?<![\d.,])(?:1 {NOUN}s|(?!1 )\d+ {NOUN})\b")
"""One before a plural, or another number before a singular."""


def counting(scenario: Scenario, number: int) -> Scenario:
    """The scenario with ``number`` wherever its texts count something."""
    problem = scenario.problem
    rules = problem.screening and problem.screening.model_copy(update=dict.fromkeys(("min_qty", "max_qty", "min_lead"), number))
    changes = {
        "stock": {problem.product: number},
        "screening": rules,
        "orders": tuple(order.model_copy(update={"quantity": number}) for order in problem.orders),
        "offers": tuple(offer.model_copy(update={"max_qty": number}) for offer in problem.offers),
        "centers": tuple(center.model_copy(update={"capacity": 1000 * number}) for center in problem.centers),
    }
    return scenario.model_copy(update={"problem": problem.model_copy(update=changes)})


def texts(scenario: Scenario) -> Iterator[str]:
    """Briefs, policy documents and notes on records."""
    yield from (brief(scenario, level) for level in DISCLOSURES)
    yield from (document.body for document in policy_documents(scenario))
    yield from (line for lines in vendor_limits(scenario.problem.offers).values() for line in lines)
    yield from (center_note(center, scenario.problem.bucket_days, scenario.today) for center in scenario.problem.centers)


def test_a_noun_is_in_the_plural_unless_its_number_is_one() -> None:
    for scenario in everything():
        for given in (scenario, *(counting(scenario, number) for number in (0, 1, 2, 101))):
            wrong = [found[0] for text in texts(given) for found in WRONG_NUMBER.finditer(text)]
            assert not wrong, (scenario.name, scenario.phrasing, wrong)


def test_what_is_in_the_wrong_number_is_noticed() -> None:
    assert all(WRONG_NUMBER.search(text) for text in ("for 1 units", "(1 days from today)", "Stock: 2 unit.", "0 minute"))
    assert not any(WRONG_NUMBER.search(text) for text in ("1 unit", "at least 1 unit or more", "21 units", "1.1 minutes"))


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(RegistryError, match="brief, full, policy"):
        brief(drawn(0, "easy"), "none")
