"""Records: how they are created, written, deleted and copied."""

from __future__ import annotations

import dataclasses
import inspect
import json
from collections.abc import Callable, Container, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, TypeVar

from opsgym.envs.erp_bench.erp.errors import ErpError, bad_value, clipped, invalid, missing
from opsgym.envs.erp_bench.erp.fields import X2MANY, Char, Datetime, Field, Integer, Many2one, table_of
from opsgym.envs.erp_bench.erp.registry import MODELS, field_of

if TYPE_CHECKING:
    from opsgym.envs.erp_bench.erp.engine import Erp

Vals = dict[str, Any]
Operation = Literal["create", "write", "unlink"]
FULL: frozenset[Operation] = frozenset({"create", "write", "unlink"})
READ_ONLY: frozenset[Operation] = frozenset()

_MAX_NESTING = 6
_COMMAND_RIGHTS: dict[int, Operation] = {0: "create", 1: "write", 2: "unlink"}


F = TypeVar("F", bound=Callable[..., Any])


class Method(NamedTuple):
    """A method that the public API offers.

    Attributes:
        function: The Python function.
        signature: Its arguments without the model and the ids.
        on_records: Whether it acts on ids (else it is Odoo's ``@api.model``).
        mutates: Whether it may change the world.
        takes: Names of its arguments.
        needs: Names of those without a default.
    """

    function: Callable[..., Any]
    signature: inspect.Signature
    on_records: bool
    mutates: bool
    takes: frozenset[str]
    needs: frozenset[str]


def public(*, on: Literal["records", "model"] = "records", mutates: bool = True, name: str = "") -> Callable[[F], F]:
    """Offer a method of a model through the public API; arguments are given by name.

    Args:
        on: Whether it takes ids (second parameter of the function) or not.
        mutates: Whether it may change the world.
        name: Public name; the function's own by default.
    """

    def decorate(function: F) -> F:
        parameters = list(inspect.signature(function).parameters.values())[2 if on == "records" else 1 :]
        takes = frozenset(parameter.name for parameter in parameters)
        needs = frozenset(parameter.name for parameter in parameters if parameter.default is parameter.empty)
        method = Method(function, inspect.Signature(parameters), on == "records", mutates, takes, needs)
        function.__dict__["public"] = (name or function.__name__, method)
        return function

    return decorate


class Records:
    """The records of a model; base of :class:`~opsgym.envs.erp_bench.erp.model.Model`.

    The methods trust their caller and may set read-only fields; the public API goes through
    :meth:`check_rights` first.  A subclass declares fields, and fills the hooks with its business rules.

    Args:
        erp: The engine, through which other models are reached.
    """

    _name: ClassVar[str] = ""
    _description: ClassVar[str] = ""
    _order: ClassVar[str] = "id"
    _rec_name: ClassVar[str] = "name"
    _display: ClassVar[str | None] = None
    """SQL of the display name over ``{t}``; the field ``_rec_name`` by default."""
    _names_search: ClassVar[tuple[str, ...]] = ("name",)
    _access: ClassVar[frozenset[Operation]] = FULL
    """What the public API may do besides reading."""
    _sql_constraints: ClassVar[tuple[str, ...]] = ()
    _ignored_on_create: ClassVar[frozenset[str]] = frozenset()
    """Computed fields that a caller of ``create`` may name without effect."""
    _inherits: ClassVar[tuple[str, str] | None] = None
    """A many2one and its model, whose fields this model shows as its own."""

    fields: ClassVar[dict[str, Field]] = {}
    methods: ClassVar[dict[str, Method]] = {}
    _with_default: ClassVar[tuple[Field, ...]] = ()
    _required: ClassVar[tuple[Field, ...]] = ()

    id = Integer("ID", readonly=True, copy=False)
    display_name = Char(readonly=True, copy=False, sql="")
    create_date = Datetime("Created on", readonly=True, copy=False, default=lambda self: self.now())
    create_uid = Many2one("res.users", "Created by", readonly=True, copy=False, sql="2")
    write_uid = Many2one("res.users", "Last Updated by", readonly=True, copy=False, sql="2")

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        declared: dict[str, Any] = {}
        for base in reversed(cls.__mro__):
            declared |= vars(base)
        cls.methods = dict(value.__dict__["public"] for value in declared.values() if hasattr(value, "public"))
        if not cls._name:
            return
        cls.fields = {name: dataclasses.replace(value) for name, value in declared.items() if isinstance(value, Field)}
        if cls._inherits is not None:
            link, parent = cls._inherits
            shared = {name: field for name, field in MODELS[parent].fields.items() if name not in cls.fields}
            cls.fields |= {
                name: dataclasses.replace(field, related=f"{link}.{name}", sql=None, default=None, required=False, relation=None)
                for name, field in shared.items()
            }
        for name, field in cls.fields.items():
            field.bind(cls._name, name)
        cls._with_default = tuple(field for field in cls.fields.values() if field.default is not None)
        cls._required = tuple(field for field in cls.fields.values() if field.required and field.stored)
        MODELS[cls._name] = cls

    def __init__(self, erp: Erp) -> None:
        self.erp = erp
        self.table = table_of(self._name)

    # -- small tools for business rules -----------------------------------------------------------------

    def now(self) -> str:
        """The virtual time as a datetime value."""
        return self.erp.world.now.isoformat(" ", "seconds")

    def today(self) -> str:
        """The virtual date as a date value."""
        return self.erp.world.today.isoformat()

    def rows(self, sql: str, *params: Any) -> list[tuple[Any, ...]]:
        """Rows of a query; lists among the parameters are passed as JSON, for ``json_each``."""
        bound = [json.dumps(one) if isinstance(one, list) else one for one in params]
        return self.erp.world.execute(sql, bound).fetchall()

    def alter(self, table: str, sql: str, *params: Any) -> None:
        """Run a statement that writes rows of ``table``, with parameters as in :meth:`rows`."""
        self.erp.world.alter(table, sql, [json.dumps(one) if isinstance(one, list) else one for one in params])

    def value(self, sql: str, *params: Any) -> Any:
        """First column of the first row of a query, or None."""
        found = self.rows(sql, *params)
        return found[0][0] if found else None

    def get(self, record: int, *names: str) -> Any:
        """Stored values of one existing record: one value, or a tuple for several names."""
        found = self.erp.world.execute(f"SELECT {', '.join(names)} FROM {self.table} WHERE id = ?", (record,)).fetchone()
        if found is None:
            raise missing(self._name, [record])
        return found[0] if len(names) == 1 else found

    def put(self, ids: Sequence[int], **values: Any) -> None:
        """Set stored columns without hooks, rights or checks."""
        if ids:
            assignments = ", ".join(f"{name} = ?" for name in values)
            rows = [(*values.values(), one) for one in ids]
            self.erp.world.write(self.table, f"UPDATE {self.table} SET {assignments} WHERE id = ?", rows, ids)

    def children(self, ids: Sequence[int], field: str) -> list[int]:
        """Ids of the records of a one2many of ``ids``, in order of id."""
        link = self.fields[field]
        sql = f"SELECT id FROM {table_of(link.comodel)} WHERE {link.inverse} IN (SELECT value FROM json_each(?)) ORDER BY id"
        return [row[0] for row in self.rows(sql, list(ids))]

    def in_state(self, ids: Sequence[int], *states: str) -> list[int]:
        """Those of ``ids`` whose state is one of ``states``."""
        return [one for one in ids if self.get(one, "state") in states]

    def names(self, ids: Iterable[int]) -> str:
        """Names of records for a message."""
        return ", ".join(str(self.get(one, self._rec_name)) for one in ids)

    def require(self, ids: Sequence[int]) -> None:
        """Refuse ids that do not exist.

        Raises:
            ErpError: ``MissingError`` with the missing ids.
        """
        if len(ids) == 1:
            known = self.erp.world.execute(f"SELECT id FROM {self.table} WHERE id = ?", (ids[0],)).fetchall()
        else:
            known = self.rows(f"SELECT id FROM {self.table} WHERE id IN (SELECT value FROM json_each(?))", list(ids))
        if len(known) != len(set(ids)):
            raise missing(self._name, set(ids) - {row[0] for row in known})

    def refuse_cycles(self, ids: Sequence[int], parent: str) -> None:
        """Refuse records that are above themselves by their field ``parent``.

        Raises:
            ErpError: ``ValidationError``.
        """
        step = f"SELECT r.{parent} FROM {self.table} r JOIN above ON r.id = above.id WHERE r.{parent} IS NOT NULL"
        start = f"SELECT {parent} FROM {self.table} WHERE id = ?"
        for one in ids:
            if self.value(f"WITH RECURSIVE above(id) AS ({start} UNION {step}) SELECT 1 FROM above WHERE id = ?", one, one):
                raise invalid(f"You cannot create recursive {self._description} hierarchies.")

    # -- hooks ---------------------------------------------------------------------------------------------

    def complete(self, vals: Vals) -> None:
        """Fill in what depends on other values or on other records, before a record is inserted."""

    def created(self, record: int, vals: Vals) -> None:
        """Check and follow up a new record."""

    def changing(self, ids: list[int], vals: Vals) -> None:
        """Check or amend values before they are written."""

    def changed(self, ids: list[int], vals: Vals) -> None:
        """Check and follow up a write."""

    def deleting(self, ids: list[int]) -> None:
        """Check or prepare a deletion."""

    # -- create, write, unlink -------------------------------------------------------------------------------

    def default_values(self, given: Container[str] = ()) -> Vals:
        """Default values of the fields that are not ``given``."""
        return {
            field.name: field.default(self) if callable(field.default) else field.default
            for field in self._with_default
            if field.name not in given
        }

    def create(self, vals: Vals) -> int:
        """Create one record and return its id.

        Raises:
            ErpError: A value or a rule of the model is against it.
        """
        vals = {**vals, **self.default_values(vals)}
        for name in self._ignored_on_create:
            vals.pop(name, None)
        self.complete(vals)
        columns, delegated, commands = self._split(vals)
        for field in self._required:
            if columns.get(field.name) is None:
                raise self._mandatory(field)
        marks = ", ".join("?" * len(columns))
        sql = f"INSERT INTO {self.table} ({', '.join(columns)}) VALUES ({marks})"
        record = self.erp.world.insert(self.table, sql, tuple(columns.values()))
        self._delegate([record], delegated)
        for field, command in commands:
            self._command(record, field, command)
        self.created(record, vals)
        return record

    def write(self, ids: Sequence[int], vals: Vals) -> None:
        """Write values on records.

        Raises:
            ErpError: A record does not exist, or a value or a rule of the model is against it.
        """
        ids = list(dict.fromkeys(ids))
        self.require(ids)
        vals = dict(vals)
        self.changing(ids, vals)
        columns, delegated, commands = self._split(vals)
        for name, value in columns.items():
            if value is None and self.fields[name].required:
                raise self._mandatory(self.fields[name])
        if columns:
            self.put(ids, **columns)
        self._delegate(ids, delegated)
        for field, command in commands:
            for one in ids:
                self._command(one, field, command)
        self.changed(ids, vals)

    def unlink(self, ids: Sequence[int]) -> None:
        """Delete records.

        Raises:
            ErpError: A record does not exist, or a rule of the model is against it.
        """
        ids = list(dict.fromkeys(ids))
        self.require(ids)
        self.deleting(ids)
        self.erp.world.write(self.table, f"DELETE FROM {self.table} WHERE id = ?", [(one,) for one in ids], ids)
        notes = "DELETE FROM mail_message WHERE model = ? AND res_id IN (SELECT value FROM json_each(?))"
        self.alter("mail_message", notes, self._name, ids)

    def copy(self, record: int, default: Vals | None = None) -> int:
        """Duplicate a record, with some values replaced, and return the new id."""
        self.require([record])
        default = default or {}
        vals: Vals = {}
        for field in self.fields.values():
            if not field.copy or field.name in default or field.sql is not None or field.related is not None:
                continue
            if field.type == "one2many":
                children = self.erp[field.comodel]
                vals[field.name] = [
                    [0, 0, children._copied(child, {field.inverse})] for child in self.children([record], field.name)
                ]
            elif field.type == "many2many":
                assert field.relation is not None
                table, own, other = field.relation
                linked = [row[0] for row in self.rows(f"SELECT {other} FROM {table} WHERE {own} = ? ORDER BY 1", record)]
                vals[field.name] = [[6, 0, linked]]
            else:
                vals[field.name] = self.get(record, field.name)
        return self.create({**vals, **default})

    def _copied(self, record: int, leave: set[str]) -> Vals:
        names = [field.name for field in self.fields.values() if field.stored and field.copy and field.name not in leave]
        vals = dict(zip(names, self.get(record, *names), strict=True))
        for field in self.fields.values():
            if field.type == "many2many" and field.relation is not None and field.copy and not field.readonly:
                table, own, other = field.relation
                vals[field.name] = [[6, 0, [row[0] for row in self.rows(f"SELECT {other} FROM {table} WHERE {own} = ?", record)]]]
        return vals

    def _mandatory(self, field: Field) -> ErpError:
        message = f"Missing required value for the field {field.string!r} ({field.name}) of {self._description} ({self._name})"
        return invalid(message, code="missing_field")

    def _split(self, vals: Vals) -> tuple[Vals, dict[str, Vals], list[tuple[Field, Any]]]:
        """Values by where they go: own columns, linked records (by link), and commands of x2many fields."""
        columns: Vals = {}
        delegated: dict[str, Vals] = {}
        commands: list[tuple[Field, Any]] = []
        for name, value in vals.items():
            field = field_of(self._name, name)
            if field.related is not None and not field.readonly:
                link, _, target = field.related.partition(".")
                delegated.setdefault(link, {})[target] = value
            elif field.type in X2MANY and field.sql is None:
                commands.append((field, value))
            elif field.stored:
                column = field.to_column(value)
                if field.type == "many2one" and column is not None:
                    self.erp[field.comodel].require([column])
                columns[name] = column
            else:
                raise bad_value(f"Field {name!r} of {self._name} is computed and cannot be set")
        return columns, delegated, commands

    def _delegate(self, ids: list[int], delegated: dict[str, Vals]) -> None:
        for link, vals in delegated.items():
            targets = [target for target in (self.get(one, link) for one in ids) if target is not None]
            self.erp[self.fields[link].comodel].write(targets, vals)

    # -- x2many commands -------------------------------------------------------------------------------------

    def _command(self, record: int, field: Field, commands: Any) -> None:
        for code, other, value in parse_commands(field, commands):
            comodel = self.erp[field.comodel]
            if code == 0:
                given = {**value, field.inverse: record} if field.inverse else value
                other = comodel.create(given)
            linked = self._linked(record, field) if code in (1, 2, 5, 6) else []
            if code in (1, 2) and other not in linked:
                raise missing(field.comodel, [other])
            if code == 1:
                comodel.write([other], value)
            elif code == 2:
                comodel.unlink([other])
            elif code in (3, 5, 6):
                kept = value if code == 6 else []
                self._detach(record, field, [other] if code == 3 else [one for one in linked if one not in kept])
            if code in (0, 4):
                self._attach(record, field, [other])
            elif code == 6:
                self._attach(record, field, [one for one in value if one not in linked])

    def _linked(self, record: int, field: Field) -> list[int]:
        if field.inverse:
            return self.children([record], field.name)
        assert field.relation is not None
        table, own, other = field.relation
        return [row[0] for row in self.rows(f"SELECT {other} FROM {table} WHERE {own} = ?", record)]

    def _attach(self, record: int, field: Field, others: list[int]) -> None:
        comodel = self.erp[field.comodel]
        comodel.require(others)
        if field.inverse:
            strangers = [one for one in others if comodel.get(one, field.inverse) != record]
            if strangers:
                comodel.write(strangers, {field.inverse: record})
            return
        assert field.relation is not None
        table, own, other = field.relation
        sql = f"INSERT OR IGNORE INTO {table} ({own}, {other}) VALUES (?, ?)"
        self.erp.world.write(table, sql, [(record, one) for one in others], (None,))

    def _detach(self, record: int, field: Field, others: list[int]) -> None:
        comodel = self.erp[field.comodel]
        if field.inverse:
            own = [one for one in others if one in self._linked(record, field)]
            if comodel.fields[field.inverse].required:
                comodel.unlink(own)
            elif own:
                comodel.write(own, {field.inverse: False})
            return
        assert field.relation is not None
        table, mine, other = field.relation
        sql = f"DELETE FROM {table} WHERE {mine} = ? AND {other} = ?"
        self.erp.world.write(table, sql, [(record, one) for one in others], (None,))

    # -- rights of the public API ------------------------------------------------------------------------------

    def check_access(self, operation: Operation) -> None:
        """Refuse an operation that the public API does not offer on this model.

        Raises:
            ErpError: ``AccessError``.
        """
        if operation not in self._access:
            raise ErpError("AccessError", f"You are not allowed to {operation} {self._description!r} ({self._name}) records.")

    def check_rights(self, operation: Operation, vals: Any, depth: int = 0) -> None:
        """Refuse values that a caller of the public API may not set, here or in records nested in commands.

        Raises:
            ErpError: No values, an unknown field, a read-only field, or a model that must not be changed.
        """
        self.check_access(operation)
        if not isinstance(vals, dict) or depth > _MAX_NESTING:
            raise bad_value(f"Wrong values for {self._name}: {clipped(vals)}; expected an object of field values")
        for name, value in vals.items():
            field = field_of(self._name, name)
            if field.readonly and not (operation == "create" and name in self._ignored_on_create):
                raise ErpError("AccessError", f"Field {name!r} of {self._description!r} ({self._name}) is read-only.")
            if field.type not in X2MANY:
                continue
            for code, _, nested in parse_commands(field, value):
                right = _COMMAND_RIGHTS.get(code)
                if right in ("create", "write"):
                    self.erp[field.comodel].check_rights(right, nested, depth + 1)
                elif right or field.inverse:
                    self.erp[field.comodel].check_access(right or "write")


def parse_commands(field: Field, commands: Any) -> list[tuple[int, int, Any]]:
    """Commands of an x2many field as triples of code, id and values.

    Raises:
        ErpError: They are malformed.
    """
    if commands is False or commands is None:
        return []
    if not isinstance(commands, list | tuple):
        raise field.refuse(commands, "a list of commands [code, id, values]")
    return [_parse_command(field, command) for command in commands]


def _parse_command(field: Field, command: Any) -> tuple[int, int, Any]:
    if not isinstance(command, list | tuple) or not 1 <= len(command) <= 3:
        raise field.refuse(command, "a command [code, id, values]")
    code, other, value = (*command, 0, 0)[:3]
    if isinstance(code, bool) or code not in range(7):
        raise field.refuse(command, "a command with a code from 0 to 6")
    if code in (1, 2, 3, 4) and (isinstance(other, bool) or not isinstance(other, int)):
        raise field.refuse(command, "a record id in second place")
    if code in (0, 1) and not isinstance(value, dict):
        raise field.refuse(command, "an object of field values in third place")
    if code == 6:
        if not isinstance(value, list | tuple) or any(isinstance(one, bool) or not isinstance(one, int) for one in value):
            raise field.refuse(command, "a list of record ids in third place")
        value = list(dict.fromkeys(value))
    return int(code), int(other or 0), value
