"""The solver against brute force, and the two kernels against each other."""

from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dilemma.knapsack import CLASSES, generate, solve, solve_instance
from dilemma.knapsack import kernel as kernel_in_use

needs_native = pytest.mark.skipif(kernel_in_use() != "native", reason="no native kernel here")

small = st.integers(0, 12)
medium = st.integers(0, 10**6)
wide = st.integers(2**68, 2**72)
huge = st.integers(0, 2**140)
decimals = st.integers(0, 300).map(lambda k: k / 10)
doubles = st.floats(1e-6, 1e6) | st.just(0.0)


def instances(numbers, most):
    """Items and a capacity that is often tight."""
    items = st.lists(st.tuples(numbers, numbers), max_size=most)
    return st.tuples(items, st.integers(0, 100), numbers)


def capacity_of(items, percent, extra):
    """A part of the total weight, in the items' own numbers, or the drawn number itself."""
    if percent > 90 or not items:
        return extra
    return sorted(w for _, w in items)[len(items) * percent // 100] * max(1, len(items) // 3)


def exact(x):
    return Fraction(repr(x)) if isinstance(x, float) else Fraction(x)


def brute_force(items, capacity):
    best = Fraction(0)
    exact_items = [(exact(v), exact(w)) for v, w in items]
    room = exact(capacity)
    for k in range(1, len(items) + 1):
        for choice in combinations(exact_items, k):
            if sum(w for _, w in choice) <= room:
                best = max(best, sum(v for v, _ in choice))
    return best


def check(items, capacity, **options):
    values, weights = [v for v, _ in items], [w for _, w in items]
    result = solve(values, weights, capacity, **options)
    chosen = result.items.tolist()
    assert chosen == sorted(set(chosen))
    assert sum((exact(weights[i]) for i in chosen), Fraction(0)) <= exact(capacity)
    value = sum((exact(values[i]) for i in chosen), Fraction(0))
    assert float(value) == pytest.approx(float(result.value), rel=1e-15)
    best = brute_force(items, capacity)
    assert value <= best
    assert exact(result.bound) >= best or float(result.bound) >= float(best) * (1 - 1e-15)
    assert result.greedy_value <= result.value <= result.bound
    if result.optimal:
        assert value == best
    return result


@pytest.mark.parametrize("kernel", ["auto", "python"])
@pytest.mark.parametrize("core_after", [0, 3, None])
@pytest.mark.parametrize("numbers", [small, medium, wide, huge, decimals, doubles])
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_optimum_is_found_and_proved(kernel, core_after, numbers, data):
    items, percent, extra = data.draw(instances(numbers, 9))
    result = check(items, capacity_of(items, percent, extra), kernel=kernel, core_after=core_after)
    assert result.optimal


@settings(max_examples=150, deadline=None)
@given(instances(small, 10), st.integers(1, 4), st.integers(2, 6), st.sampled_from([0, 2, 8]))
def test_tight_memory_never_breaks_a_promise(drawn, max_states, max_queue, core_after):
    items, percent, extra = drawn
    check(
        items,
        capacity_of(items, percent, extra),
        max_states=max_states,
        max_queue=max_queue,
        core_after=core_after,
    )


def test_equal_items_make_room_together():
    """Leaving out one of two equal items helps nothing, leaving out both does."""
    result = check([(3, 1), (3, 1), (7, 3)], 3, core_after=None)
    assert result.value == 7


def facts(result):
    """Everything of a result that does not depend on the clock."""
    rows = [(r.iteration, r.nodes, r.value) for r in result.trace]
    names = ("value", "weight", "greedy_value", "bound", "optimal", "stop_reason", "iterations", "nodes")
    return result.items.tolist(), rows, [getattr(result, name) for name in names]


@needs_native
@pytest.mark.parametrize("numbers", [small, medium, wide, decimals, doubles])
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_kernels_agree_exactly(numbers, data):
    items, percent, extra = data.draw(instances(numbers, 30))
    capacity = capacity_of(items, percent, extra)
    options = {
        "core_after": data.draw(st.sampled_from([0, 5, 50, None])),
        "max_iter": data.draw(st.sampled_from([300, 7])),
        "max_states": data.draw(st.sampled_from([3, 600, 2**22])),
        "max_queue": data.draw(st.sampled_from([4, 2**20])),
        "trace": "all",
    }
    values, weights = [v for v, _ in items], [w for _, w in items]
    native, python = (
        facts(solve(values, weights, capacity, kernel=kernel, **options)) for kernel in ("native", "python")
    )
    assert native == python


@needs_native
@pytest.mark.parametrize("size", [1000, 10**6, 10**11])
@pytest.mark.parametrize("instance_class", CLASSES)
def test_kernels_agree_on_every_class(instance_class, size):
    for n, fill in ((40, 0.5), (130, 0.13)):
        instance = generate(instance_class, n, seed=n, range=size, fill=fill)
        native, python = (
            facts(solve_instance(instance, kernel=kernel, trace="all", core_after=200, max_states=600))
            for kernel in ("native", "python")
        )
        assert native == python


@pytest.mark.parametrize("instance_class", CLASSES)
def test_wide_numbers_do_not_change_the_answer(instance_class):
    """Scaled beyond 64 bits, without a common factor left to take out, the 128-bit kernel finds the same set."""
    instance = generate(instance_class, 120, seed=4)
    scale = 2**80
    plain = solve_instance(instance)
    values = [int(v) * scale + 1 for v in instance.values]
    weights = [int(w) * scale for w in instance.weights]
    scaled = solve([*values], [*weights], int(instance.capacity) * scale)
    assert plain.optimal
    assert scaled.optimal
    assert scaled.value // scale == plain.value
