"""`front` reads offers natively where they are of ordinary types; it agrees with its Python twin on every offer."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dilemma import ranking
from dilemma.errors import ProblemError
from dilemma.ranking import front, front_at, front_at_plain, front_plain

SCORES = st.one_of(
    st.floats(-1e30, 1e30),
    st.integers(-3, 3),
    st.sampled_from(
        [0.0, -0.0, math.inf, -math.inf, 2**53, 2**53 + 1, 2.0**53, 10**30, True, Fraction(1, 3)]
    ),
    st.sampled_from([np.float64(1.5), np.float32(1.5), np.int64(2)]),
)
FLOATS = st.lists(st.floats(allow_nan=False, width=32), max_size=8) | st.lists(st.floats(0, 4), max_size=60)


def columns(kind, scores):
    """The same scores beside actions 0, 1, ... in one of the layouts a problem may choose."""
    return LAYOUTS[kind](len(scores), scores)


LAYOUTS = {
    "pairs": lambda n, scores: list(enumerate(scores)),
    "tuples": lambda n, scores: tuple(enumerate(scores)),
    "lists": lambda n, scores: (list(range(n)), scores),
    "range": lambda n, scores: (range(n), scores),
    "arrays": lambda n, scores: (np.arange(n), np.array(scores)),
    "strided": lambda n, scores: (np.repeat(np.arange(n), 3)[::3], np.repeat(np.array(scores), 2)[::2]),
    "names": lambda n, scores: (np.array([str(i) for i in range(n)]), np.array(scores)),
    "short": lambda n, scores: (np.arange(n, dtype=np.int16), np.array(scores, dtype=np.float32)),
    "swapped": lambda n, scores: (np.arange(n).astype(">i8"), np.array(scores).astype(">f8")),
    "objects": lambda n, scores: (np.arange(n).astype(object), scores),
}


def same(offer, banned):
    alike(front, front_plain, offer, banned)
    for rank in range(4):
        alike(front_at, front_at_plain, offer, banned, rank)


def alike(ours, plain, *arguments):
    with np.errstate(all="ignore"):
        try:
            expected = plain(*arguments)
        except OverflowError:  # numbers that NumPy's cannot be compared with
            with pytest.raises(OverflowError):
                ours(*arguments)
            return
        found = ours(*arguments)
    assert repr(found) == repr(expected)  # NaN, -0.0 and types included
    assert type(found[1]) is type(expected[1])


@given(
    st.lists(SCORES, max_size=8),
    st.frozensets(st.integers(0, 8)),
    st.sampled_from(["pairs", "lists", "range"]),
)
@example([1.0, 1.0], frozenset({0}), "pairs")
@example([2**53, 2**53 + 1], frozenset(), "lists")
def test_scores_of_any_type(scores, banned, kind):
    same(columns(kind, scores), banned)


@given(FLOATS, st.frozensets(st.integers(0, 8)), st.sampled_from(list(LAYOUTS)))
def test_offers_of_any_layout(scores, banned, kind):
    same(columns(kind, scores), frozenset(map(str, banned)) if kind == "names" else banned)


@pytest.mark.parametrize(
    "offer",
    [
        [1, 2],
        [(1, 2.0, 3)],
        [("a", 1.0), ("b",)],
        (["a"], [1.0, 2.0]),
        (["a"], np.ones((1, 2))),
        3,
        [("a", math.nan)],
        [("a", 1.0), ("b", math.nan)],
        (["a", "b"], np.array([1.0, math.nan])),
    ],
)
@pytest.mark.parametrize("banned", [frozenset(), frozenset("z")])
def test_what_is_wrong_is_said_alike(offer, banned):
    for read, more in ((front, ()), (front_plain, ()), (front_at, (1,)), (front_at_plain, (1,))):
        with pytest.raises(ProblemError, match="actions: expected"):
            read(offer, banned, *more)


def test_generators_are_read_once():
    assert front(((i, float(i)) for i in range(3)), frozenset()) == (3, 2, 2.0, 1.0)
    assert front_at(((i, float(i)) for i in range(3)), frozenset(), 1) == (3, 1, 2.0, 0.0, 1.0, (2, 1))


def test_a_list_that_changes_while_it_is_read_is_no_crash():
    class Action:
        def __hash__(self):
            offer.clear()
            return 0

    for read in (front, lambda *a: front_at(*a, 3)):
        offer = [(Action(), float(i)) for i in range(9)]
        assert len(read(offer, frozenset({1}))) in (4, 6)


def test_unhashable_actions_are_a_type_error_where_bans_are_looked_up():
    with pytest.raises(TypeError, match="unhashable"):
        front([([1], 1.0), ([2], 2.0)], frozenset({1}))


def test_the_kernel_has_a_name():
    assert ranking.kernel() in ("native", "python")
