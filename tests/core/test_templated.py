"""A domain and a template fit together, whether they are said, left open or drawn from a space."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opsgym.core.errors import TaskError
from opsgym.core.params import knob
from opsgym.core.templated import ANY, TemplatedParams, template_knob


@dataclass(frozen=True)
class Kind:
    """A template."""

    domain: str


KINDS = {"mail_send": Kind("mail"), "mail_sort": Kind("mail"), "desk_close": Kind("desk")}


class Requests(TemplatedParams):
    """Domain, template and a number."""

    domain: Literal["any", "mail", "desk"] = knob(ANY, unit="choice", harder="none", description="The domain.")
    template: str = template_knob(KINDS, "The kind of request.")
    items: int = knob(1, low=1, high=4, unit="items", harder="up", description="How many.")

    @classmethod
    def templates(cls) -> Mapping[str, Kind]:
        """All of them."""
        return KINDS


def test_either_may_be_left_open() -> None:
    for values in ({}, {"domain": "mail"}, {"template": "desk_close"}, {"domain": "desk", "template": "desk_close"}):
        assert Requests.build(values)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"template": "mail_eat"}, "params.template: expected a template's name or 'any', got 'mail_eat'"),
        ({"domain": "desk", "template": "mail_send"}, "params: template mail_send is not of domain desk"),
        ({"domain": "moon"}, "params.domain: .*'moon'"),
    ],
)
def test_others_are_refused(values: dict[str, str], message: str) -> None:
    with pytest.raises(TaskError, match=message):
        Requests.build(values)


@given(seed=st.integers(0, 2**32 - 1))
def test_in_a_sample_the_domain_follows_the_template(seed: int) -> None:
    space = Requests.space()
    space.seed(seed)
    sample = space.sample()
    params = Requests.from_sample(sample)
    assert params.template == [ANY, *KINDS][sample["template"]]
    assert params.items == sample["items"]
    if params.template == ANY:
        assert params.domain == [ANY, "mail", "desk"][sample["domain"]]
    else:
        assert params.domain == KINDS[params.template].domain


def test_a_table_lists_the_templates() -> None:
    assert Requests.describe()[1]["range"] == "any, mail_send, mail_sort, desk_close"
