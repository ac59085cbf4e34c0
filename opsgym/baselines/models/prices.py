"""Prices: what the tokens of a model cost, from a file."""

from __future__ import annotations

import re
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from opsgym.baselines.chat import Usage
from opsgym.core.errors import TaskError
from opsgym.core.task import Frozen

__all__ = ["Price", "PriceList"]

Dollars = Annotated[float, Field(ge=0)]

SHIPPED = Path(__file__).with_name("prices.json")
_SNAPSHOT = re.compile(r"[-@](\d{4}-\d{2}-\d{2}|\d{8}|latest)$")


class Price(Frozen):
    """What a model's tokens cost, in US dollars per million.

    Attributes:
        input: Tokens read.
        output: Tokens written.
        cached_input: Tokens read from the server's prompt cache; as ``input`` where not given.
        cache_write: Tokens written to it; as ``input`` where not given.
    """

    input: Dollars
    output: Dollars
    cached_input: Dollars | None = None
    cache_write: Dollars | None = None

    def cost(self, usage: Usage) -> float:
        """Dollars for some tokens.

        >>> Price(input=2, output=10, cached_input=0.2).cost(Usage(prompt_tokens=1500, cached_tokens=1000, completion_tokens=100))
        0.0022
        """
        cached = self.input if self.cached_input is None else self.cached_input
        written = self.input if self.cache_write is None else self.cache_write
        fresh = max(0, usage.prompt_tokens - usage.cached_tokens - usage.cache_write_tokens)
        millionths = fresh * self.input + usage.cached_tokens * cached + usage.cache_write_tokens * written
        return (millionths + usage.completion_tokens * self.output) / 1e6


class PriceList(Frozen):
    """Prices by model name.

    A name is looked up as it stands, without its date (``-2026-08-01``, ``-20260801``, ``-latest``), and without what stands
    before its last slash; the first pattern that matches counts.

    Attributes:
        date: When the prices were read.
        source: Where.
        prices: Prices by name or by pattern (``*``, ``?``, ``[...]``), in order.
    """

    date: date
    source: str
    prices: dict[str, Price]

    @classmethod
    def load(cls, path: str | Path | None = None) -> PriceList:
        """The shipped prices, behind those of a file.

        Args:
            path: A file of the same form, whose prices come first.

        Raises:
            TaskError: The file cannot be read.
        """
        shipped = _read(SHIPPED)
        if path is None:
            return shipped
        own = _read(Path(path))
        rest = {name: price for name, price in shipped.prices.items() if name not in own.prices}
        return cls(date=own.date, source=f"{own.source}; {shipped.source}", prices={**own.prices, **rest})

    def find(self, *names: str) -> Price | None:
        """The price of the first of some names that has one, or ``None``.

        >>> PriceList.load().find("vendor/claude-opus-4-8") == PriceList.load().find("claude-opus-4-6-20260205")
        True
        """
        for name in names:
            for spelling in _spellings(name):
                for pattern, price in self.prices.items():
                    if fnmatchcase(spelling, pattern):
                        return price
        return None

    def bill(self, usage: Usage, *names: str) -> Usage:
        """Tokens of one reply with their cost, or with the mark that no price is known.

        Args:
            usage: The tokens.
            names: Names of the model: the one asked for, the one that it gives itself.
        """
        price = self.find(*names)
        if price is None:
            return usage.model_copy(update={"cost": 0.0, "unpriced": 1})
        return usage.model_copy(update={"cost": price.cost(usage), "unpriced": 0})


def _read(path: Path) -> PriceList:
    try:
        return PriceList.model_validate_json(path.read_bytes())
    except OSError as error:
        raise TaskError(f"expected a price file at {path}: {error.strerror}", field="prices") from error
    except ValidationError as error:
        raise TaskError(f"expected a price file, got {path}: {error}", field="prices") from error


def _spellings(name: str) -> list[str]:
    whole = [name, name.rpartition("/")[2]]
    return whole + [_SNAPSHOT.sub("", spelling) for spelling in whole]
