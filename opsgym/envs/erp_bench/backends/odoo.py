"""OdooBackend: a live Odoo 19, or a server that speaks its JSON-2, behind the protocol that all backends share.

The tools run unchanged on an :class:`OdooErp`: their calls go over HTTP, and what they and the verifier look up is read from a
:class:`~opsgym.envs.erp_bench.backends.mirror.Mirror` that is brought up to date after each change.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any, Self

from opsgym.core.errors import BackendError, TaskError, ToolError
from opsgym.core.task import Task, ToolCall
from opsgym.core.tools import ToolResult
from opsgym.envs.erp_bench.backends.json2 import ATTEMPTS, READS, Json2, server_day
from opsgym.envs.erp_bench.backends.mirror import Mirror
from opsgym.envs.erp_bench.backends.protocol import ALL, TOOLS, Capability, require
from opsgym.envs.erp_bench.backends.rebase import rebased
from opsgym.envs.erp_bench.backends.seeding import upload
from opsgym.envs.erp_bench.erp import Erp
from opsgym.envs.erp_bench.erp.fields import table_of
from opsgym.envs.erp_bench.erp.orm import Vals
from opsgym.envs.erp_bench.erp.reading import CLASSIC, Record
from opsgym.envs.erp_bench.export import baseline_of, export_state
from opsgym.envs.erp_bench.family import scenario_of
from opsgym.envs.erp_bench.state import ErpState
from opsgym.envs.erp_bench.world import open_world

if TYPE_CHECKING:
    import httpx


@dataclass(frozen=True, slots=True)
class Database:
    """A database in which a task is to be played.

    Attributes:
        name: Its name.
        key: API key of its user.
        seeded: Whether it holds the task already.  If not, it is fresh: modules installed, no documents.
    """

    name: str
    key: str
    seeded: bool = False


Provision = Callable[[Task], Database]
"""Makes ready the database of a task; asked at every reset."""


def renewed(name: str, key: str, command: str, *, timeout: float = 300.0) -> Provision:
    """A live Odoo's database that a shell command makes fresh, such as ``createdb -T template bench{number}``.

    A new name for each task is safest: a server that is running keeps caches by name.

    Args:
        name: Name of the database; ``{number}`` in it counts the tasks from 1.
        key: API key that is valid in the template.
        command: What makes it fresh; ``{number}`` as in the name.
        timeout: Seconds that it may take.
    """
    numbers = count(1)

    def provision(task: Task) -> Database:
        number = str(next(numbers))
        fresh = name.replace("{number}", number)
        try:
            subprocess.run(command.replace("{number}", number), shell=True, check=True, capture_output=True, timeout=timeout)
        except subprocess.CalledProcessError as error:
            said = error.stderr.decode(errors="replace")[-500:]
            raise BackendError(f"the database {fresh!r} was not renewed: {error}: {said}") from error
        except subprocess.TimeoutExpired as error:
            raise BackendError(f"the database {fresh!r} was not renewed within {timeout:g} seconds") from error
        return Database(fresh, key)

    return provision


class OdooErp(Erp):
    """An ERP session whose calls go over HTTP and whose look-ups are made in a mirror.

    Args:
        client: The live ERP.
        mirror: A mirror of it that has been read.
    """

    def __init__(self, client: Json2, mirror: Mirror) -> None:
        self._client, self._mirror = client, mirror
        self._undo: list[Callable[[], Any]] = []
        super().__init__(mirror.world)

    def call(
        self, model: str, method: str, /, ids: Sequence[int] | int = (), context: Mapping[str, Any] | None = None, **kwargs: Any
    ) -> Any:
        """See :meth:`~opsgym.envs.erp_bench.erp.Erp.call`; carried out by the live ERP.

        Raises:
            ToolError: The ERP refuses.
            BackendError: The ERP broke.
        """
        chosen = [ids] if isinstance(ids, int) else list(ids)
        if method in READS:
            return self._client.call(model, method, chosen, context, **kwargs)
        undo = self._undo_of(model, method, chosen, kwargs)
        found = self._client.call(model, method, chosen, context, **kwargs)
        self._mirror.mark()
        self._undo.append(undo if method != "create" else lambda: self._client.call(model, "unlink", found))
        if (model, method) == ("sale.advance.payment.inv", "create_invoices"):
            return self._with_invoice(chosen, found)
        return found

    def create(self, model: str, vals: Mapping[str, Any]) -> int:
        """Create one record and return its id; as untrusted as any call."""
        return int(self.call(model, "create", vals_list=[dict(vals)])[0])

    def write(self, model: str, ids: Sequence[int], vals: Mapping[str, Any]) -> None:
        """Write values on records; as untrusted as any call."""
        self.call(model, "write", ids, vals=dict(vals))

    def unlink(self, model: str, ids: Sequence[int]) -> None:
        """Delete records."""
        self.call(model, "unlink", ids)

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
        """See :meth:`~opsgym.envs.erp_bench.erp.Erp.search_read`; read from the live ERP."""
        names = None if fields is None else list(fields)
        found: list[Record] = self._client.call(
            model, "search_read", domain=list(domain), fields=names, order=order, limit=limit, offset=offset, load=load
        )
        return found

    def search_page(
        self, model: str, domain: Any, fields: Iterable[str], order: str | None, limit: int, offset: int
    ) -> tuple[list[Record], int]:
        """See :meth:`~opsgym.envs.erp_bench.erp.Erp.search_page`; read from the live ERP."""
        rows = self.search_read(model, domain, fields, order, limit, offset)
        return rows, int(self._client.call(model, "search_count", domain=list(domain)))

    @contextmanager
    def whole(self) -> Iterator[None]:
        """What is called in this context is taken back when a refusal leaves it.

        Over JSON-2 each call is a transaction of its own, so what the earlier ones did is undone by contrary ones.

        Raises:
            BackendError: It cannot be undone.
        """
        self._undo = []
        try:
            yield
        except ToolError as refusal:
            try:
                for step in reversed(self._undo):
                    step()
            except ToolError as error:
                raise BackendError(f"a call was refused half-way ({refusal}) and cannot be taken back: {error}") from refusal
            if self._undo:
                self._mirror.mark()
            raise
        finally:
            self._undo = []

    def _undo_of(self, model: str, method: str, ids: list[int], kwargs: Mapping[str, Any]) -> Callable[[], Any]:
        """What takes a call back; nothing for what tools call last."""
        if method == "write" and isinstance(kwargs.get("vals"), Mapping):
            kept = [(one, self._stored(model, one, kwargs["vals"])) for one in ids]
            return lambda: [self._client.call(model, "write", [one], vals=old) for one, old in kept]
        if (model, method) == ("change.production.qty", "change_prod_qty"):
            wizards = self._client.call(model, "read", ids, fields=["mo_id"], load=None)
            olds = [{"mo_id": row["mo_id"], **self._stored("mrp.production", row["mo_id"], ["product_qty"])} for row in wizards]
            return lambda: self._client.call(model, "change_prod_qty", self._client.call(model, "create", vals_list=olds))
        return lambda: None

    def _stored(self, model: str, record: int, names: Iterable[str]) -> Vals:
        """Values of a record as they were, of the fields that are mirrored in a column."""
        table = table_of(model)
        own = [name for name in names if table in self.world.tables() and name in self.world.columns(table)]
        if not own:
            return {}
        row = self.world.execute(f"SELECT {', '.join(own)} FROM {table} WHERE id = ?", (record,)).fetchone()
        return {name: False if value is None else value for name, value in zip(own, row or (), strict=False)}

    def _with_invoice(self, wizards: Sequence[int], action: Any) -> Any:
        """The wizard's answer, with the id of the invoice that it made where it names none."""
        if isinstance(action, dict) and ("res_id" in action or "domain" in action):
            return action
        made = self._client.call("sale.advance.payment.inv", "read", list(wizards), fields=["sale_order_ids"], load=None)
        orders = [order for wizard in made for order in wizard["sale_order_ids"]]
        found = self._client.call("sale.order", "read", orders, fields=["invoice_ids"], load=None)
        invoices = [one for row in found for one in row["invoice_ids"]]
        if not invoices:
            raise BackendError(f"create_invoices: expected an invoice on the orders {orders}, got none")
        return {**(action if isinstance(action, dict) else {}), "res_id": max(invoices)}


class OdooBackend:
    """An ERP that speaks Odoo 19's JSON-2.

    Args:
        url: Address of the server.
        provision: Makes ready the database of a task; :func:`renewed` for a live Odoo.
        timeout: Seconds for a connection, and for each part of an answer.
        attempts: Greatest number of attempts of a call; see :class:`~opsgym.envs.erp_bench.backends.json2.Json2`.
        keep_day: Play tasks on their own day: the server's clock shows it, or, as in OpsGym's own server, each database has a
            clock.  By default tasks are moved to the server's day.
        transport: What carries requests, in place of the network.
    """

    name = "odoo"
    capabilities: frozenset[Capability] = ALL

    def __init__(
        self,
        url: str,
        provision: Provision,
        *,
        timeout: float = 60.0,
        attempts: int = ATTEMPTS,
        keep_day: bool = False,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._url, self._provision, self._keep_day = url, provision, keep_day
        self._http: dict[str, Any] = {"timeout": timeout, "attempts": attempts, "transport": transport, "fields": {}}
        self._open: _Session | None = None

    def adapt(self, task: Task) -> Task:
        """The task, moved to the present day of the server unless ``keep_day``.

        Raises:
            BackendError: The server does not answer, or is no Odoo from 19 on.
        """
        if self._keep_day:
            return task
        return rebased(task, server_day(self._url, timeout=self._http["timeout"], transport=self._http["transport"]))

    def reset(self, task: Task) -> None:
        """See :meth:`~opsgym.envs.erp_bench.backends.protocol.ErpBackend.reset`.

        Raises:
            BackendError: The server broke, refuses a record of the task, or the database was used before.
        """
        require(self, task)
        self.close()
        database = self._provision(task)
        client = Json2(self._url, database.key, database.name, **self._http)
        self._open = _Session(client, task, seeded=database.seeded)

    def apply(self, call: ToolCall) -> ToolResult:
        """See :meth:`~opsgym.envs.erp_bench.backends.protocol.ErpBackend.apply`."""
        erp = self._seeded.erp
        try:
            tool = TOOLS.find(call.name)
            arguments = tool.validate(call.arguments)
            with erp.whole():
                return ToolResult(tool.name, tool.function(erp, **arguments))
        except ToolError as error:
            return ToolResult(call.name, error=error)

    def snapshot(self) -> ErpState:
        """See :meth:`~opsgym.envs.erp_bench.backends.protocol.ErpBackend.snapshot`; every record is read anew."""
        session = self._seeded
        session.mirror.read()
        return export_state(session.baseline, session.mirror.world)

    @property
    def _seeded(self) -> _Session:
        if self._open is None:
            raise TaskError("the backend holds no task; call reset() first", field="backend")
        return self._open

    def close(self) -> None:
        """Close the connections; the database stays as it is."""
        if self._open is not None:
            self._open.close()
        self._open = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Session:
    """A seeded database: its client, its mirror, and what the verifier keeps of the start."""

    def __init__(self, client: Json2, task: Task, *, seeded: bool) -> None:
        self.client = client
        scenario = scenario_of(task)
        if not seeded:
            template = open_world(scenario)
            try:
                upload(client, template)
            except ToolError as error:
                raise BackendError(f"{client.url} refuses a record of the task: {error}") from error
            finally:
                template.close()
        self.mirror = Mirror(client, scenario.today)
        self.mirror.read()
        self.baseline = baseline_of(self.mirror.world)
        self.erp = OdooErp(client, self.mirror)

    def close(self) -> None:
        """Close the connections and free the mirror."""
        self.client.close()
        self.mirror.close()
