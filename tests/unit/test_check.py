"""`check_problem` names each broken promise; every case here breaks one on purpose."""

import itertools
import math

import numpy as np
import pytest

import dilemma


class Good:
    """Choose three bits; the sum is the energy."""

    def initial(self):
        return ()

    def actions(self, state):
        return [(0, 1.0), (1, 2.0)] if len(state) < 3 else []

    def apply(self, state, action):
        return (*state, action)

    def energy(self, state):
        return float(sum(state))


class Mutates(Good):
    def initial(self):
        return []

    def apply(self, state, action):
        state.append(action)
        return state


class ActionsMutate(Good):
    def initial(self):
        return [[]]

    def actions(self, state):
        state[0].append(1)
        return super().actions(state[1:])

    def apply(self, state, action):
        return [list(state[0]), *state[1:], action]


class Fickle(Good):
    def __init__(self):
        self.calls = itertools.count()

    def actions(self, state):
        return [(0, 1.0), (1, float(next(self.calls)))] if len(state) < 3 else []


class NanScore(Good):
    def actions(self, state):
        return [(0, math.nan), (1, 1.0)] if len(state) < 3 else []


class Unhashable(Good):
    def actions(self, state):
        return [([0], 1.0), ([1], 2.0)] if len(state) < 3 else []


class Twice(Good):
    def actions(self, state):
        return [(1, 1.0), (1, 2.0)] if len(state) < 3 else []


class NotPairs(Good):
    def actions(self, state):
        return [1, 2]


class Incomplete(Good):
    def actions(self, state):
        return [(0, 1.0)] if not state else []

    def energy(self, state):
        if len(state) < 3:
            raise IndexError("not complete")
        return 0.0


class NanEnergy(Good):
    def energy(self, state):
        return math.nan


class TextEnergy(Good):
    def energy(self, state):
        return "three"


class HighBound(Good):
    def bound(self, state):
        return 10.0


class Endless(Good):
    def actions(self, state):
        return [(0, 1.0)]


class WrongOrder(Good):
    commutative = True

    def energy(self, state):
        return float(sum(i * a for i, a in enumerate(state)))


class BadLegal(Good):
    def legal(self, state, action):
        return False


class LaxLegal(Good):
    def legal(self, state, action):
        return True


class BadKey(Good):
    def key(self, state):
        return 0


class WorsePolish(Good):
    def polish(self, state):
        return (1, 1, 1)

    def energy(self, state):
        return float(sum(state))

    def actions(self, state):
        return [(0, 2.0), (1, 1.0)] if len(state) < 3 else []


class DeadEnds(Good):
    def energy(self, state):
        return math.inf if sum(state) == 2 else 0.0


class Unpicklable(Good):
    def __init__(self):
        self.f = lambda: None


class RandomApply(Good):
    def __init__(self):
        self.calls = itertools.count()

    def apply(self, state, action):
        return (*state, action + 2 * next(self.calls))


BROKEN = [
    (Mutates, "apply", "changed the state"),
    (ActionsMutate, "actions", "changed the state"),
    (Fickle, "actions", "different offers"),
    (NanScore, "actions", "NaN"),
    (Unhashable, "actions", "not hashable"),
    (Twice, "actions", "offered twice"),
    (NotPairs, "actions", "cannot be read"),
    (Incomplete, "energy", "IndexError"),
    (NanEnergy, "energy", "nan"),
    (TextEnergy, "energy", "three"),
    (HighBound, "bound", "10.0"),
    (Endless, "actions", "still not empty"),
    (WrongOrder, "commutative", "another order"),
    (BadLegal, "legal", "refuses"),
    (LaxLegal, "legal", "nothing is offered"),
    (BadKey, "key", "same key"),
    (WorsePolish, "polish", "worse"),
    (RandomApply, "apply", "two different states"),
]


@pytest.mark.parametrize(("cls", "method", "words"), BROKEN, ids=lambda v: getattr(v, "__name__", str(v)))
def test_broken_promise_is_named_with_a_remedy(cls, method, words):
    report = dilemma.check_problem(cls(), max_depth=100)
    assert not report.ok
    found = [f for f in report.findings if f.method == method and words in f.broken]
    assert found, str(report)
    assert all(f.remedy for f in found)


def test_states_of_a_class_of_ones_own_are_watched_too():
    """Classes made in a function neither pickle nor say how they are equal."""

    class Plain:
        def __init__(self, bits):
            self.bits = bits

    class Slotted:
        __slots__ = ("bits",)

        def __init__(self, bits):
            self.bits = bits

    class Own(Good):
        kind = Plain
        drift = 0.0

        def initial(self):
            return self.kind([])

        def actions(self, state):
            return super().actions(state.bits)

        def energy(self, state):
            return float(sum(state.bits))

        def apply(self, state, action):
            Own.drift += self.step
            return self.kind([*state.bits, action + Own.drift])

        step = 0.0

    class Drifts(Own):
        step = 0.25

    class Changes(Own):
        def apply(self, state, action):
            state.bits.append(action)
            return state

    for kind in (Plain, Slotted):
        Own.kind = kind
        assert dilemma.check_problem(Own()).ok
        assert "two different states" in str(dilemma.check_problem(Drifts()))
        Own.drift = 0.0
        assert "changed the state" in str(dilemma.check_problem(Changes()))


@pytest.mark.parametrize(("cls", "words"), [(DeadEnds, "dead end"), (Unpicklable, "does not pickle")])
def test_lesser_troubles_are_warnings(cls, words):
    report = dilemma.check_problem(cls())
    assert report.ok
    assert words in str(report)


def test_good_problem_gets_a_clean_report():
    report = dilemma.check_problem(Good())
    assert report.ok
    assert not report.findings
    assert report.rollouts == 20


def test_array_states_and_offers_are_understood():
    class Arrays(Good):
        def initial(self):
            return np.zeros(0)

        def actions(self, state):
            return (np.arange(2), np.array([1.0, 2.0])) if len(state) < 3 else ([], [])

        def apply(self, state, action):
            return np.append(state, action)

        def energy(self, state):
            return state.sum()

    report = dilemma.check_problem(Arrays())
    assert report.ok, str(report)


@pytest.mark.parametrize("thing", [object(), Good, 3])
def test_something_else_than_a_problem_is_a_type_error(thing):
    with pytest.raises(TypeError, match="problem"):
        dilemma.check_problem(thing)
