"""The six planning domains: item attributes, slot rules and the global rules of the paper's release.

Attribute names, ranges, rule kinds and slacks are facts of the release; category values are ours, except the few
that a rule names.  Source: ACE-Bench, section 3.4 and appendix B.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from opsgym.core.errors import RegistryError
from opsgym.envs.ace_bench.spec import Attribute, RuleKind, Scope

Sense = Literal["min", "max"]


@dataclass(frozen=True, slots=True)
class GlobalRule:
    """One global rule of the ``paper`` preset.

    Attributes:
        name: Name of the rule.
        kind: How it measures; see :class:`~opsgym.envs.ace_bench.spec.Rule`.
        attribute: What it measures.
        sense: Whether the bound is a minimum or a maximum.
        slack: Greatest distance of the bound from the truth's value.
        scope: ``grid`` or ``each_row``.
        value: Category name or threshold that is counted.
    """

    name: str
    kind: RuleKind
    attribute: str
    sense: Sense
    slack: int = 0
    scope: Scope = "grid"
    value: str | int | None = None


@dataclass(frozen=True, slots=True)
class Domain:
    """A planning domain.

    Attributes:
        name: Name, as in the tools' names.
        prefix: Letters with which item ids begin.
        noun: What an item is, in the singular.
        title: What the grid is.
        row_noun: What a row is.
        col_noun: What a column is.
        attributes: Attributes of an item.
        slot_rules: Attribute and sense of the slot rules that the paper's release uses.
        global_rules: Global rules of the ``paper`` preset.
    """

    name: str
    prefix: str
    noun: str
    title: str
    row_noun: str
    col_noun: str
    attributes: tuple[Attribute, ...]
    slot_rules: tuple[tuple[str, Literal["<=", ">="]], ...]
    global_rules: tuple[GlobalRule, ...]

    @property
    def numeric(self) -> tuple[Attribute, ...]:
        """The numeric attributes."""
        return tuple(attribute for attribute in self.attributes if attribute.numeric)

    @property
    def categorical(self) -> tuple[Attribute, ...]:
        """The categorical attributes."""
        return tuple(attribute for attribute in self.attributes if not attribute.numeric)


def number(name: str, low: int, high: int) -> Attribute:
    """A numeric attribute."""
    return Attribute(name=name, low=low, high=high)


def choice(name: str, values: str) -> Attribute:
    """A categorical attribute; ``values`` are separated by commas."""
    names = tuple(value.strip() for value in values.split(","))
    return Attribute(name=name, high=len(names) - 1, values=names)


COURSE = Domain(
    name="course",
    prefix="C",
    noun="course",
    title="course schedule",
    row_noun="day",
    col_noun="period",
    attributes=(
        choice("category", "analysis, programming, writing, laboratory, history, design"),
        number("difficulty", 1, 5),
        number("credits", 1, 4),
        number("price", 100, 500),
        choice(
            "teacher",
            "Abara, Brandt, Castillo, Dufour, Eriksen, Farouk, Gallo, Haddad, "
            "Ivanova, Jansen, Kimura, Lindqvist, Mbeki, Novak, Okafor, Petrov",
        ),
        number("workload", 1, 8),
    ),
    slot_rules=(("difficulty", "<="), ("credits", ">="), ("price", "<=")),
    global_rules=(
        GlobalRule("total_credits", "sum", "credits", "min", 8),
        GlobalRule("total_price", "sum", "price", "max", 1500),
        GlobalRule("teacher_repeat", "repeat", "teacher", "max"),
        GlobalRule("category_repeat", "repeat", "category", "max"),
        GlobalRule("total_workload", "sum", "workload", "max", 20),
    ),
)

SHOPPING = Domain(
    name="shopping",
    prefix="P",
    noun="product",
    title="shopping plan",
    row_noun="week",
    col_noun="basket",
    attributes=(
        choice("category", "bakery, vegetables, fruit, drinks, frozen, pantry"),
        number("price", 2, 25),
        number("calories", 50, 800),
        number("protein", 0, 40),
        choice("brand", "Almora, Bexley, Corva, Dalby, Elmsford, Fenwick, Grana, Hollis"),
        number("weight", 200, 1500),
    ),
    slot_rules=(("price", "<="), ("calories", ">="), ("protein", ">=")),
    global_rules=(
        GlobalRule("total_price", "sum", "price", "max", 60),
        GlobalRule("total_calories", "sum", "calories", "min", 600),
        GlobalRule("total_protein", "sum", "protein", "min", 90),
        GlobalRule("brand_repeat", "repeat", "brand", "max"),
        GlobalRule("total_weight", "sum", "weight", "max", 3000),
        GlobalRule("category_repeat", "repeat", "category", "max"),
    ),
)

TRAVEL = Domain(
    name="travel",
    prefix="A",
    noun="activity",
    title="travel itinerary",
    row_noun="day",
    col_noun="part of the day",
    attributes=(
        choice("category", "museum, outdoor, concert, tasting, bazaar, viewpoint"),
        number("cost", 10, 200),
        number("duration", 1, 6),
        number("crowd_level", 1, 5),
        choice("location", "North Bank, South Bank, Old Port, Castle Hill, Lakeside, Arcades, Orchard, Station"),
        number("rating", 1, 5),
    ),
    slot_rules=(("cost", "<="), ("duration", "<="), ("crowd_level", "<=")),
    global_rules=(
        GlobalRule("total_cost", "sum", "cost", "max", 300),
        GlobalRule("museum_count", "count", "category", "min", 1, value="museum"),
        GlobalRule("outdoor_count", "count", "category", "min", 1, value="outdoor"),
        GlobalRule("location_repeat", "repeat", "location", "max"),
        GlobalRule("row_duration", "sum", "duration", "max", 2, scope="each_row"),
        GlobalRule("total_rating", "sum", "rating", "min", 10),
    ),
)

WORKFORCE = Domain(
    name="workforce",
    prefix="W",
    noun="worker",
    title="staffing plan",
    row_noun="day",
    col_noun="shift",
    attributes=(
        number("skill", 1, 5),
        number("hourly_cost", 20, 100),
        number("experience", 1, 20),
        choice("department", "assembly, dispatch, reception, archive, laboratory, kitchen"),
        number("reliability", 1, 5),
        number("overtime_capacity", 0, 10),
    ),
    slot_rules=(("skill", ">="), ("hourly_cost", "<="), ("experience", ">=")),
    global_rules=(
        GlobalRule("total_hourly_cost", "sum", "hourly_cost", "max", 160),
        GlobalRule("total_skill", "sum", "skill", "min", 15),
        GlobalRule("senior_count", "count_at_least", "experience", "min", 2, value=12),
        GlobalRule("department_repeat", "repeat", "department", "max"),
        GlobalRule("total_reliability", "sum", "reliability", "min", 18),
        GlobalRule("total_overtime_capacity", "sum", "overtime_capacity", "min", 40),
    ),
)

MEAL = Domain(
    name="meal",
    prefix="D",
    noun="dish",
    title="meal plan",
    row_noun="day",
    col_noun="meal",
    attributes=(
        number("calories", 150, 900),
        number("protein", 5, 60),
        number("price", 5, 35),
        choice("cuisine", "nordic, levantine, iberian, sichuan, punjabi, creole"),
        choice("chef", "Aziz, Bellini, Cho, Danso, Esposito, Flores, Greene, Hosseini"),
        number("spiciness", 1, 5),
    ),
    slot_rules=(("calories", "<="), ("protein", ">="), ("price", "<=")),
    global_rules=(
        GlobalRule("total_calories", "sum", "calories", "max", 700),
        GlobalRule("total_protein", "sum", "protein", "min", 100),
        GlobalRule("cuisine_repeat", "repeat", "cuisine", "max"),
        GlobalRule("chef_repeat", "repeat", "chef", "max"),
        GlobalRule("total_price", "sum", "price", "max", 90),
        GlobalRule("total_spiciness", "sum", "spiciness", "max", 18),
    ),
)

PC_BUILD = Domain(
    name="pc_build",
    prefix="PC",
    noun="component",
    title="set of computer builds",
    row_noun="build",
    col_noun="bay",
    attributes=(
        choice("category", "processor, graphics, memory, disk, cooler, power supply"),
        number("price", 50, 1500),
        number("performance", 10, 100),
        number("power", 20, 450),
        choice("brand", "Arcton, Borealis, Cygnet, Drava, Exion, Ferrum, Gyrus, Helix"),
        number("compatibility", 60, 100),
    ),
    slot_rules=(("price", "<="), ("performance", ">="), ("power", "<=")),
    global_rules=(
        GlobalRule("total_price", "sum", "price", "max", 1200),
        GlobalRule("total_power", "sum", "power", "max", 500),
        GlobalRule("brand_repeat", "repeat", "brand", "max"),
        GlobalRule("category_repeat", "repeat", "category", "max"),
        GlobalRule("high_performance_count", "count_at_least", "performance", "min", 2, value=75),
        GlobalRule("total_compatibility", "sum", "compatibility", "min", 180),
    ),
)

DOMAINS: dict[str, Domain] = {domain.name: domain for domain in (COURSE, SHOPPING, TRAVEL, WORKFORCE, MEAL, PC_BUILD)}
"""The domains by name."""


def find_domain(name: str) -> Domain:
    """The domain of that name.

    Raises:
        RegistryError: There is none; the message lists those that exist.
    """
    if name not in DOMAINS:
        raise RegistryError("domain", name, DOMAINS)
    return DOMAINS[name]
