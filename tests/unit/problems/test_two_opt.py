"""2-opt and Or-opt: tours stay tours, never grow, and lose what an exhaustive look would find."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dilemma.problems import two_opt as module
from dilemma.problems.two_opt import TwoOpt, _move, _reverse, neighbour_lists, two_opt


def length(tour, d):
    return sum(d[tour[i - 1]][tour[i]] for i in range(len(tour)))


def plane(n, seed):
    points = np.random.default_rng(seed).integers(0, 30, (n, 2)).astype(float)  # ties and equal points too
    return np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))


@given(n=st.integers(0, 40), seed=st.integers(0, 10**6), k=st.integers(1, 12))
@settings(max_examples=200, deadline=None)
def test_a_tour_stays_a_tour_and_never_grows(n, seed, k):
    d = plane(n, seed)
    tour = np.random.default_rng(seed + 1).permutation(n).tolist()
    before = length(tour, d.tolist())
    after = two_opt(list(tour), d.tolist(), neighbour_lists(d, k))
    assert sorted(after) == list(range(n))
    assert length(after, d.tolist()) <= before + 1e-9


@given(n=st.integers(4, 14), seed=st.integers(0, 10**6))
@settings(max_examples=100, deadline=None)
def test_with_all_neighbours_no_exchange_of_two_edges_is_left(n, seed):
    d = plane(n, seed)
    lists = neighbour_lists(d, n)
    tour = two_opt(np.random.default_rng(seed).permutation(n).tolist(), d.tolist(), lists)
    best = length(tour, d)
    for i in range(n - 1):
        for j in range(i + 2, n + 1):
            assert length(tour[:i] + tour[i:j][::-1] + tour[j:], d) >= best - 1e-6


@pytest.mark.parametrize("step", [1, -1])
@given(n=st.integers(5, 12), at=st.integers(0, 11), size=st.integers(1, 3), to=st.integers(0, 11))
@settings(max_examples=200, deadline=None)
def test_a_segment_arrives_between_its_new_neighbours(step, n, at, size, to):
    """The result, as a cycle, is the tour without the segment and the segment put in with a next to c."""
    tour, place = list(range(n)), list(range(n))
    segment = [tour[(at + step * i) % n] for i in range(size)]
    others = [tour[(at + step * (size + i)) % n] for i in range(n - size)]
    c = tour[to % n]
    for side in (1, -1):
        d = tour[(place[c] + side) % n]
        if c in segment or d in segment:
            continue
        new, new_place = list(tour), list(place)
        _move(new, new_place, segment[0], segment[-1], c, d, step, side)
        i, j = others.index(c), others.index(d)
        inside = segment if (i + 1) % len(others) == j else segment[::-1]
        cut = i if (i + 1) % len(others) == j else j
        expected = others[: cut + 1] + inside + others[cut + 1 :]
        assert [new_place[city] for city in new] == list(range(n))
        assert edges(new) == edges(expected)


@given(n=st.integers(2, 12), i=st.integers(0, 11), j=st.integers(0, 11))
def test_reversal_is_the_same_cycle_whichever_side_turns(n, i, j):
    i, j = i % n, j % n
    tour, place = list(range(n)), list(range(n))
    _reverse(tour, place, i, j)
    rolled = [(i + k) % n for k in range(n)]
    inside = (j - i) % n + 1
    assert edges(tour) == edges(rolled[:inside][::-1] + rolled[inside:])
    assert [place[city] for city in tour] == list(range(n))


def edges(tour):
    return sorted(tuple(sorted((tour[k - 1], tour[k]))) for k in range(len(tour)))


@pytest.fixture
def native():
    if module._polish is None:
        pytest.skip("the native kernel was not built")
    return module._polish


@given(n=st.integers(0, 60), seed=st.integers(0, 10**6), k=st.integers(1, 12))
@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_native_and_python_make_the_same_moves(native, n, seed, k):
    d = plane(n, seed)
    tour = np.random.default_rng(seed).permutation(n).tolist()
    given_tour = list(tour)
    answers = [TwoOpt(d, k=k, backend=backend)(tour) for backend in ("native", "python")]
    assert answers[0] == answers[1]
    assert tour == given_tour


def test_native_refuses_what_would_reach_outside_its_arrays(native):
    d, near = np.zeros((4, 4)), np.array([[1], [0], [0], [0]], dtype=np.int32)
    tour = np.arange(4, dtype=np.int32)
    for wrong in ([0, 1, 2, 4], [0, 1, 2, -1], [0, 1, 2, 2], [0, 1, 2]):
        with pytest.raises(ValueError, match="tour"):
            native.two_opt(np.array(wrong, dtype=np.int32), d, near)
    for wrong in ([[4], [0], [0], [0]], [[-1], [0], [0], [0]], [[0], [0], [0], [0]]):
        with pytest.raises(ValueError, match="neighbour out of range"):
            native.two_opt(tour, d, np.array(wrong, dtype=np.int32))
    with pytest.raises(ValueError, match="disagree"):
        native.two_opt(tour, np.zeros((4, 3)), near)
    for wrong in (tour.astype(np.int64), tour[::-1], tour.reshape(2, 2)):
        with pytest.raises(TypeError):
            native.two_opt(wrong, d, near)


def test_a_backend_that_does_not_exist_is_refused(monkeypatch):
    with pytest.raises(ValueError, match="backend: expected one of auto, native, python"):
        TwoOpt(np.zeros((3, 3)), backend="fortran")
    monkeypatch.setattr(module, "_polish", None)
    assert not TwoOpt(np.zeros((3, 3))).native
    with pytest.raises(ValueError, match="was not built"):
        TwoOpt(np.zeros((3, 3)), backend="native")
