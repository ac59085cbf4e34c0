"""Erp: the engine; every call is atomic, and all state is in the world."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from opsgym.core.world import World
from opsgym.envs.erp_bench.erp import reading
from opsgym.envs.erp_bench.erp.errors import ErpError, bad_value, clipped, invalid, user_error
from opsgym.envs.erp_bench.erp.fields import MAX_INTEGER
from opsgym.envs.erp_bench.erp.model import Model
from opsgym.envs.erp_bench.erp.orm import Method, Vals
from opsgym.envs.erp_bench.erp.reading import CLASSIC, Record
from opsgym.envs.erp_bench.erp.registry import MODELS, model_class

M = TypeVar("M", bound=Model)

MAX_IDS = 10_000
_LIMITS = ("too many", "too large", "too big", "at most", "parser stack overflow")
"""What SQLite says of statements beyond its limits; nothing has been carried out then."""


class Erp:
    """An ERP over a world that was made with :data:`~opsgym.envs.erp_bench.erp.DDL`.

    It keeps nothing between calls: restore the world, and the ERP is where it was.

    Args:
        world: The world that holds the records.

    Attributes:
        world: That world.
        context: Context of the running call; empty between calls.

    Example:
        >>> import datetime
        >>> from opsgym.core.world import World
        >>> from opsgym.envs.erp_bench.erp import DDL, Erp
        >>> erp = Erp(World(DDL, today=datetime.date(2026, 5, 4)))
        >>> partner, = erp.call("res.partner", "create", vals_list=[{"name": "Nordwind"}])
        >>> order, = erp.call("sale.order", "create", vals_list={"partner_id": partner})
        >>> erp.call("sale.order", "action_confirm", [order])
        True
        >>> erp.call("sale.order", "read", [order], fields=["name", "state", "partner_id"])
        [{'id': 1, 'name': 'S00001', 'state': 'sale', 'partner_id': [4, 'Nordwind']}]
    """

    def __init__(self, world: World) -> None:
        self.world = world
        self.context: dict[str, Any] = {}
        self._models: dict[str, Model] = {}

    def __getitem__(self, model: str) -> Model:
        """The records of a model.

        Raises:
            ErpError: There is no such model.
        """
        found = self._models.get(model) if isinstance(model, str) else None
        if found is None:
            found = self._models[model] = cast(type[Model], model_class(model))(self)
        return found

    def of(self, model: type[M]) -> M:
        """The records of a model, by its class."""
        return cast(M, self[model._name])

    # -- the public API ------------------------------------------------------------------------------------

    def call(
        self, model: str, method: str, /, ids: Sequence[int] | int = (), context: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> Any:
        """Call a public method as over JSON-2: ids and context apart, every argument by name.

        Args:
            model: Name of the model, for example ``"sale.order"``.
            method: Name of a public method.
            ids: Records to act on; none for methods of the model as a whole.
            context: Context keys such as ``active_ids`` or ``default_<field>``.
            **kwargs: The method's arguments.

        Returns:
            What the method gives, as JSON.

        Raises:
            ErpError: The call is refused; nothing has changed.
        """
        records = self[model]
        function = _method(records, method)
        chosen = _checked_ids(ids)
        if chosen and not function.on_records:
            raise ErpError("UnprocessableEntity", f"cannot call {model}.{method} with ids")
        if not function.needs <= kwargs.keys() <= function.takes:
            try:
                function.signature.bind(**kwargs)
            except TypeError as error:
                raise ErpError("UnprocessableEntity", str(error), hint=f"{method}{function.signature}") from None
        if context is not None and not (isinstance(context, Mapping) and all(isinstance(key, str) for key in context)):
            raise ErpError("UnprocessableEntity", f"context: expected an object, got {clipped(context)}")
        arguments = (chosen,) if function.on_records else ()
        with self._running(dict(context or {}), atomic=function.mutates):
            if function.on_records and function.mutates:
                records.require(chosen)
            return function.function(records, *arguments, **kwargs)

    @contextmanager
    def _running(self, context: dict[str, Any], *, atomic: bool) -> Iterator[None]:
        outer, self.context = self.context, context
        try:
            if atomic:
                with self.world.savepoint():
                    yield
            else:
                yield
        except sqlite3.IntegrityError as error:
            raise _refused(error) from error
        except sqlite3.OperationalError as error:
            if not any(limit in str(error) for limit in _LIMITS):
                raise
            raise bad_value(f"The request is too large or too deeply nested ({error})") from error
        except RecursionError as error:
            raise bad_value("The arguments are nested too deeply") from error
        except OverflowError as error:
            raise bad_value("A number in the arguments is too large") from error
        finally:
            self.context = outer

    # -- typed access for tools, seeding and export; trusted, so that read-only fields may be set -----------------

    def create(self, model: str, vals: Vals) -> int:
        """Create one record and return its id."""
        with self._running(self.context, atomic=True):
            return self[model].create(vals)

    def write(self, model: str, ids: Sequence[int], vals: Vals) -> None:
        """Write values on records."""
        with self._running(self.context, atomic=True):
            self[model].write(ids, vals)

    def unlink(self, model: str, ids: Sequence[int]) -> None:
        """Delete records."""
        with self._running(self.context, atomic=True):
            self[model].unlink(ids)

    def search(
        self, model: str, domain: Sequence[Any] = (), order: str | None = None, limit: int | None = None, offset: int = 0
    ) -> list[int]:
        """Ids of the records that meet a domain."""
        return self[model].search(list(domain), offset, limit, order)

    def read(
        self, model: str, ids: Sequence[int], fields: Iterable[str] | None = None, load: str | None = CLASSIC
    ) -> list[Record]:
        """Field values of records, in the order of the ids."""
        return self[model].read(list(ids), None if fields is None else list(fields), load)

    def search_read(
        self,
        model: str,
        domain: Sequence[Any] = (),
        fields: Iterable[str] | None = None,
        order: str | None = None,
        limit: int | None = None,
        offset: int = 0,
        load: str | None = CLASSIC,
    ) -> list[Record]:
        """Field values of the records that meet a domain."""
        return self[model].search_read(list(domain), None if fields is None else list(fields), offset, limit, order, load)

    def search_page(
        self, model: str, domain: Any, fields: Iterable[str], order: str | None, limit: int, offset: int
    ) -> tuple[list[Record], int]:
        """One page of the records that meet a domain, and how many there are in all.

        Raises:
            ErpError: The model, the domain, a field or the order makes no sense.
        """
        records = self[model]
        with self._running({}, atomic=False):
            return reading.search_page(self.world, model, records._active(domain), fields, order, limit, offset)

    def search_count(self, model: str, domain: Sequence[Any] = ()) -> int:
        """Number of records that meet a domain."""
        return self[model].search_count(list(domain))

    def fields_get(self, model: str, names: Iterable[str] | None = None) -> dict[str, dict[str, Any]]:
        """Description of a model's fields."""
        return self[model].fields_get(None if names is None else list(names))

    def read_group(
        self, model: str, domain: Sequence[Any], groupby: Sequence[str], aggregates: Sequence[str] = ("__count",)
    ) -> list[dict[str, Any]]:
        """Aggregates by groups, as ``formatted_read_group`` gives them."""
        return self[model].formatted_read_group(list(domain), list(groupby), list(aggregates))

    def name_search(self, model: str, name: str = "", domain: Sequence[Any] = (), limit: int | None = 100) -> list[list[Any]]:
        """Pairs of id and display name."""
        return self[model].name_search(name, list(domain), "ilike", limit)


def _method(records: Model, name: str) -> Method:
    found = records.methods.get(name) if isinstance(name, str) else None
    if found is not None:
        return found
    shown = f"{records._name}.{str(name)[:80]}"
    if isinstance(name, str) and name.startswith("_"):
        raise ErpError("AccessError", f"Private methods (such as {shown}) cannot be called remotely.")
    known = f"{records._name} has {', '.join(sorted(records.methods))}."
    raise ErpError("NotFound", f"the method {shown} does not exist", hint=known)


def _checked_ids(ids: Any) -> list[int]:
    listed = [ids] if isinstance(ids, int) and not isinstance(ids, bool) else ids
    if not isinstance(listed, list | tuple) or len(listed) > MAX_IDS:
        raise ErpError("UnprocessableEntity", f"ids: expected a list of at most {MAX_IDS} record ids, got {clipped(ids)}")
    for one in listed:
        if isinstance(one, bool) or not isinstance(one, int) or abs(one) > MAX_INTEGER:
            raise ErpError("UnprocessableEntity", f"ids: expected record ids, got {clipped(one)}")
    return list(dict.fromkeys(listed))


def _refused(error: sqlite3.IntegrityError) -> ErpError:
    """A rule of the database as the ERP words it."""
    text = str(error)
    if text.startswith("FOREIGN KEY"):
        return user_error("The operation cannot be completed: another record still refers to one of these records.")
    if text.startswith("UNIQUE"):
        return invalid(f"The operation cannot be completed: another record has the same {text.rpartition(': ')[2]}.")
    return invalid(f"The operation cannot be completed: {text}.")


def model_names() -> tuple[str, ...]:
    """Names of all models."""
    return tuple(MODELS)
