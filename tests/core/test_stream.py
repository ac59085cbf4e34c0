from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from opsgym.core.stream import Stream


def test_a_stream_is_pinned() -> None:
    """Golden numbers: a change of NumPy or of ours that moved them would change every instance."""
    stream = Stream("golden", 1)
    assert stream.integers(0, 99, 6).tolist() == [64, 1, 80, 69, 68, 7]
    assert stream.permutation(6).tolist() == [4, 1, 0, 2, 5, 3]
    assert [stream.below(10) for _ in range(4)] == [1, 9, 3, 9]


def test_keys_that_differ_in_type_give_different_streams() -> None:
    assert Stream("1").integers(0, 10**6, 4).tolist() != Stream(1).integers(0, 10**6, 4).tolist()


@given(low=st.integers(-50, 50), span=st.integers(0, 40), seed=st.integers(0, 2**32))
def test_numbers_stay_in_range(low: int, span: int, seed: int) -> None:
    stream = Stream(seed)
    assert all(low <= value <= low + span for value in stream.integers(low, low + span, 50).tolist())
    assert low <= stream.between(low, low + span) <= low + span
    assert sorted(stream.permutation(span + 1).tolist()) == list(range(span + 1))
    assert len(set(stream.sample(range(span + 1), (span + 1) // 2))) == (span + 1) // 2


def test_every_value_of_a_range_occurs_about_as_often() -> None:
    drawn = Stream("uniform").integers(1, 7, 70_000).tolist()
    assert all(9_500 < drawn.count(value) < 10_500 for value in range(1, 8))
