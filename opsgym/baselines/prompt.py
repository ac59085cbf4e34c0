"""Prompts: the texts of the agents, kept in files so that they can be read, compared and cited by version and hash."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from string import Template

from opsgym.core.errors import RegistryError

__all__ = ["Prompt", "load_prompt", "prompt_names"]


@dataclass(frozen=True)
class Prompt:
    """A text with places to fill, written ``$name``.

    Attributes:
        name: Name of the file, without ``.md``.
        version: Raised whenever the text changes.
        text: The text.
        sha256: Hash of the whole file, for results.
    """

    name: str
    version: int
    text: str
    sha256: str

    def fill(self, **values: object) -> str:
        """The text with every place filled; blank lines around an empty value close up.

        Raises:
            KeyError: A place has no value.
        """
        filled = Template(self.text).substitute({key: str(value) for key, value in values.items()})
        while "\n\n\n" in filled:
            filled = filled.replace("\n\n\n", "\n\n")
        return filled.strip()


def prompt_names() -> tuple[str, ...]:
    """Names of all prompts."""
    return tuple(sorted(path.name.removesuffix(".md") for path in _directory().iterdir() if path.name.endswith(".md")))


@cache
def load_prompt(name: str) -> Prompt:
    """A prompt by name.

    Raises:
        RegistryError: There is no such prompt.

    Example:
        >>> load_prompt("no_call").fill(problem="It was empty.")
        'Nothing was done, because your reply could not be read as a tool call. It was empty.'
    """
    if name not in prompt_names():
        raise RegistryError("prompt", name, prompt_names())
    content = (_directory() / f"{name}.md").read_text(encoding="utf-8")
    head, _, text = content.partition("\n\n")
    return Prompt(name, int(head.removeprefix("version:")), text, hashlib.sha256(content.encode()).hexdigest())


def _directory() -> Traversable:
    return files("opsgym.baselines") / "prompts"
