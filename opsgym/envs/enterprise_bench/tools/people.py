"""Tools of the HR system."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from opsgym.core.errors import ToolError
from opsgym.core.records.records import Row
from opsgym.core.records.signature import Argument
from opsgym.envs.enterprise_bench.session import Desk
from opsgym.envs.enterprise_bench.sources.people import EMPLOYEE, LEAVES
from opsgym.envs.enterprise_bench.tools.makers import PAGES, Given, creating, made, search, updating

_TOTALS = " ".join(f"total_{kind}_leaves" for kind in LEAVES)
_REMAINING = " ".join(f"remaining_{kind}_leaves" for kind in LEAVES)


def _fresh(desk: Desk, values: Row) -> Row:
    """All leave of a new employee remains."""
    return {f"remaining_{kind}_leaves": values.get(f"total_{kind}_leaves") for kind in LEAVES}


_ASKED = search(EMPLOYEE, "", "emp_id email department level reports_to is_valid")

_NAMED = "instr(' ' || lower(name) || ' ', ' ' || lower(?) || ' ') > 0"
"""Whether words stand in a name, one after the other, in upper or lower case."""


def _fetch(desk: Desk, given: Given) -> Any:
    name = given.get("name")
    where, bound = ("", []) if name is None else (_NAMED, [" ".join(name.split())])
    equal = _ASKED.values(given)
    rows, total = desk.page(EMPLOYEE, equal, limit=given["limit"], offset=given["offset"], where=where, bound=bound)
    return {"employees": rows, "total": total}


def _by_ids(desk: Desk, given: Given) -> Any:
    rows = [desk.find(EMPLOYEE, {"emp_id": emp_id}) for emp_id in given["emp_ids"]]
    missing = [emp_id for emp_id, found in zip(given["emp_ids"], rows, strict=True) if not found]
    if missing:
        raise ToolError("not_found", f"no employee with emp_id {missing[0][:60]!r}")
    names = ("emp_id", "name", "email", "department", "level")
    return {"employees": [{name: row[name] for name in names} for (row,) in rows]}


def _leave(desk: Desk, given: Given) -> Any:
    return desk.update(EMPLOYEE, {"emp_id": given["emp_id"]}, {"dol": given["dol"], "is_valid": False})


TOOLS = (
    made(
        "fetch_employee_record",
        "Read the records of employees; private columns of others are masked",
        (Argument("name", str, "The name, or one of its words.", required=False), *_ASKED.arguments, *PAGES),
        _fetch,
    ),
    made(
        "fetch_employees_by_ids",
        "Read basic details of employees",
        (Argument("emp_ids", Annotated[list[str], Field(max_length=100)], "Employee ids, at most 100."),),
        _by_ids,
    ),
    creating(
        "create_employee_record",
        "Register an employee",
        EMPLOYEE,
        f"name email doj department level title skills experience_years salary {_TOTALS} age performance_rating"
        " marital_status gender reports_to",
        fill=_fresh,
    ),
    updating(
        "update_employee_record",
        "Change an employee's record; give what changes",
        EMPLOYEE,
        "emp_id",
        f"name email department level title skills experience_years reports_to salary {_TOTALS} {_REMAINING} age"
        " performance_rating marital_status gender",
    ),
    made(
        "deactivate_employee_record",
        "Record that an employee leaves",
        (Argument("emp_id", str, "Employee id."), Argument("dol", str, "Date of leaving, YYYY-MM-DD.")),
        _leave,
        mutates=True,
    ),
)
"""The tools."""
