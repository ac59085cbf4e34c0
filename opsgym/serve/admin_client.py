"""Admin: a client of the operator's port."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self, cast

import httpx

from opsgym.core.errors import BackendError, TaskError
from opsgym.core.task import JsonDict, Task
from opsgym.serve.task_names import TaskName


class Admin:
    """Makes, resets, judges and deletes databases of a server; see the page about JSON-2.

    Args:
        url: The operator's port, for example ``"http://127.0.0.1:8070"``.
        key: The operator's key.
        timeout: Seconds to wait for an answer; a task that must be compiled first may take many.
    """

    def __init__(self, url: str, key: str, *, timeout: float = 300.0) -> None:
        self._http = httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def create(
        self, task: TaskName, database: str | None = None, *, key: str | None = None, disclosure: str | None = None
    ) -> JsonDict:
        """Make a database and describe it.

        Returns:
            ``database``, ``url``, ``key``, ``instruction``, ``access`` (see :func:`~opsgym.serve.access.access_note`) and facts
            of the task.

        Raises:
            TaskError: The server refuses the task, the name or the key.
            BackendError: The server does not answer as it should.
        """
        whole = task.model_dump(mode="json") if isinstance(task, Task) else task
        given = {"task": whole, "database": database, "key": key, "disclosure": disclosure}
        body = {name: value for name, value in given.items() if value is not None}
        return cast(JsonDict, self._ask("POST", "/databases", body))

    def databases(self) -> list[JsonDict]:
        """Describe all databases."""
        return cast(list[JsonDict], self._ask("GET", "/databases"))

    def show(self, database: str) -> JsonDict:
        """Describe a database."""
        return cast(JsonDict, self._ask("GET", f"/databases/{database}"))

    def reset(self, database: str) -> JsonDict:
        """Return a database to the start of its task."""
        return cast(JsonDict, self._ask("POST", f"/databases/{database}/reset"))

    def verdict(self, database: str) -> JsonDict:
        """Judge the present state: ``reward``, ``is_success``, ``digest`` and the whole ``verdict``."""
        return cast(JsonDict, self._ask("GET", f"/databases/{database}/verdict"))

    def delete(self, database: str) -> None:
        """Delete a database."""
        self._ask("DELETE", f"/databases/{database}")

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        try:
            answer = self._http.request(method, path, json=body)
        except httpx.HTTPError as error:
            raise BackendError(f"{method} {path}: {error!r}") from error
        if answer.status_code in (404, 409, 422):
            raise TaskError(str(answer.json()["error"]))
        if not answer.is_success:
            raise BackendError(f"{method} {path}: status {answer.status_code}, {answer.text[:500]}")
        return answer.json() if answer.content else None
