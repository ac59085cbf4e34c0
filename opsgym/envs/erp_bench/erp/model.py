"""Model: base of the business models, with the record methods of the public API."""

from __future__ import annotations

from typing import Any

from opsgym.envs.erp_bench.erp import grouping, reading
from opsgym.envs.erp_bench.erp.domains import OPERATORS, conjunction
from opsgym.envs.erp_bench.erp.errors import bad_value, clipped
from opsgym.envs.erp_bench.erp.fields import X2MANY, Field
from opsgym.envs.erp_bench.erp.orm import FULL, READ_ONLY, Records, Vals, public
from opsgym.envs.erp_bench.erp.reading import CLASSIC, Record
from opsgym.envs.erp_bench.erp.registry import field_of

__all__ = ["FULL", "READ_ONLY", "Model", "Vals", "public"]

_ATTRIBUTES = (
    "type",
    "string",
    "help",
    "required",
    "readonly",
    "store",
    "searchable",
    "sortable",
    "selection",
    "relation",
    "relation_field",
    "related",
)


class Model(Records):
    """Base of all business models; see :class:`~opsgym.envs.erp_bench.erp.orm.Records`."""

    @public(on="model", name="create")
    def rpc_create(self, vals_list: Any) -> list[int]:
        """Create one record or several; always answers with a list of ids."""
        listed = vals_list if isinstance(vals_list, list | tuple) else [vals_list]
        defaults = self._context_defaults()
        self.check_rights("create", defaults)
        for vals in listed:
            self.check_rights("create", vals)
        return [self.create({**defaults, **vals}) for vals in listed]

    @public(name="write")
    def rpc_write(self, ids: list[int], vals: Any) -> bool:
        """Write values on records."""
        self.check_rights("write", vals)
        self.write(ids, vals)
        return True

    @public(name="unlink")
    def rpc_unlink(self, ids: list[int]) -> bool:
        """Delete records."""
        self.check_access("unlink")
        self.unlink(ids)
        return True

    @public(name="copy")
    def rpc_copy(self, ids: list[int], default: Any = None) -> list[int]:
        """Duplicate records; answers with the new ids."""
        self.check_access("create")
        if default:
            self.check_rights("create", default)
        return [self.copy(one, default or None) for one in ids]

    @public(mutates=False)
    def read(self, ids: list[int], fields: Any = None, load: Any = CLASSIC) -> list[Record]:
        """Field values of records; ids that do not exist are left out."""
        return reading.read(self.erp.world, self._name, ids, fields, load)

    @public(on="model", mutates=False)
    def search(self, domain: Any = None, offset: Any = 0, limit: Any = None, order: Any = None) -> list[int]:
        """Ids of the records that meet a domain."""
        return reading.search(self.erp.world, self._name, self._active(domain), order, limit, offset)

    @public(on="model", mutates=False)
    def search_count(self, domain: Any = None, limit: Any = None) -> int:
        """Number of records that meet a domain."""
        return reading.search_count(self.erp.world, self._name, self._active(domain), limit)

    @public(on="model", mutates=False)
    def search_read(
        self, domain: Any = None, fields: Any = None, offset: Any = 0, limit: Any = None, order: Any = None, load: Any = CLASSIC
    ) -> list[Record]:
        """Field values of the records that meet a domain."""
        return reading.search_read(self.erp.world, self._name, self._active(domain), fields, order, limit, offset, load)

    @public(on="model", mutates=False)
    def name_search(self, name: Any = "", domain: Any = None, operator: Any = "ilike", limit: Any = 100) -> list[list[Any]]:
        """Pairs of id and display name of the records whose name, code or reference matches."""
        if not isinstance(operator, str) or operator not in OPERATORS:
            raise bad_value(f"Invalid operator {clipped(operator)} in name_search")
        wanted: list[Any] = []
        if name:
            terms = [[field, operator, name] for field in self._names_search]
            wanted = ["|"] * (len(terms) - 1) + terms
        found = reading.search_read(
            self.erp.world, self._name, self._active(conjunction(wanted, domain or [])), ["display_name"], None, limit, 0
        )
        return [[record["id"], record["display_name"]] for record in found]

    @public(on="model", mutates=False)
    def fields_get(self, allfields: Any = None, attributes: Any = None) -> dict[str, dict[str, Any]]:
        """Description of the fields: the source of truth on names, types and selections."""
        names = allfields or list(self.fields)
        if not isinstance(names, list | tuple) or not isinstance(attributes, list | tuple | None):
            raise bad_value("Wrong value for allfields or attributes; expected lists of names")
        wanted = [name for name in names if isinstance(name, str) and name in self.fields]
        return {name: _described(self.fields[name], attributes or _ATTRIBUTES) for name in wanted}

    @public(on="model", mutates=False)
    def default_get(self, fields: Any) -> Vals:
        """Default values of the named fields for a new record."""
        if not isinstance(fields, list | tuple):
            raise bad_value(f"Wrong value for fields: {clipped(fields)}; expected a list of field names")
        named = [field_of(self._name, name).name for name in fields]
        found = {**self.default_values(), **self._context_defaults()}
        return {name: found[name] for name in named if name in found}

    @public(on="model", mutates=False)
    def read_group(
        self,
        domain: Any,
        fields: Any,
        groupby: Any,
        offset: Any = 0,
        limit: Any = None,
        orderby: Any = False,
        lazy: Any = True,
    ) -> list[dict[str, Any]]:
        """Sums of numeric fields and counts by groups."""
        keys = _listed(groupby, "groupby")
        return grouping.read_group(
            self.erp.world,
            self._name,
            self._active(domain),
            _listed(fields, "fields"),
            keys,
            lazy=bool(lazy),
            order=_text(orderby, "orderby"),
            limit=limit,
            offset=offset,
        )

    @public(on="model", mutates=False)
    def formatted_read_group(
        self, domain: Any, groupby: Any = (), aggregates: Any = (), offset: Any = 0, limit: Any = None, order: Any = None
    ) -> list[dict[str, Any]]:
        """Aggregates by groups, as Odoo 19 names them."""
        return grouping.formatted_read_group(
            self.erp.world,
            self._name,
            self._active(domain),
            _listed(groupby, "groupby"),
            _listed(aggregates, "aggregates"),
            order=_text(order, "order"),
            limit=limit,
            offset=offset,
        )

    def _context_defaults(self) -> Vals:
        """Values that the context gives as ``default_<field>``."""
        given = {key.removeprefix("default_"): value for key, value in self.erp.context.items() if key.startswith("default_")}
        return {name: value for name, value in given.items() if name in self.fields and not self.fields[name].readonly}

    def _active(self, domain: Any) -> Any:
        return reading.active_test(self._name, domain, self.erp.context) if "active" in self.fields else domain


def _listed(value: Any, name: str) -> list[Any]:
    if value is None or value is False:
        return []
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list | tuple):
        raise bad_value(f"Wrong value for {name}: {clipped(value)}; expected a list of field names")
    return list(value)


def _text(value: Any, name: str) -> str | None:
    if not value:
        return None
    if not isinstance(value, str):
        raise bad_value(f"Wrong value for {name}: {clipped(value)}; expected text")
    return value


def _described(field: Field, attributes: Any) -> dict[str, Any]:
    many = field.type in X2MANY
    known: dict[str, Any] = {
        "type": field.type,
        "string": field.string,
        "help": field.help,
        "required": field.required,
        "readonly": field.readonly,
        "store": field.stored or many,
        "searchable": True,
        "sortable": not many,
        "selection": [list(pair) for pair in field.selection] if field.type == "selection" else None,
        "relation": field.comodel or None,
        "relation_field": field.inverse or None,
        "related": field.related,
    }
    return {name: known[name] for name in attributes if isinstance(name, str) and known.get(name) not in (None, "")}
