"""What `solve` answers, and what it refuses."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from dilemma import FormatError
from dilemma.knapsack import KnapsackResult, generate, solve, solve_instance
from dilemma.knapsack import kernel as kernel_in_use

KERNELS = ["python"] + ["native"] * (kernel_in_use() == "native")


@pytest.fixture(params=KERNELS)
def kernel(request):
    return request.param


def test_textbook_instance(kernel):
    result = solve([60, 100, 120], [10, 20, 30], 50, kernel=kernel)
    assert result.items.tolist() == [1, 2]
    assert (result.value, result.weight, result.greedy_value, result.bound) == (220, 50, 160, 220)
    assert result.optimal
    assert result.stop_reason == "optimal"
    assert result.gap == 0.0
    assert result.improvement == 60


@pytest.mark.parametrize(
    ("values", "weights", "capacity", "items"),
    [
        ([], [], 10, []),
        ([5, 3], [1, 1], 0, []),
        ([5, 3], [0, 1], 0, [0]),  # weighs nothing
        ([0, 3], [0, 1], 1, [1]),  # worth nothing
        ([0, 0], [1, 1], 5, []),
        ([5, 9], [3, 11], 10, [0]),  # heavier than the capacity
        ([5, 9], [11, 12], 10, []),
        ([5, 9], [3, 4], 10**30, [0, 1]),  # everything fits
        ([5, 9], [3, 4], 7, [0, 1]),  # exactly
        ([7], [7], 7, [0]),
    ],
)
def test_edges(kernel, values, weights, capacity, items):
    result = solve(values, weights, capacity, kernel=kernel)
    assert result.items.tolist() == items
    assert result.optimal
    assert result.value == result.bound == sum(values[i] for i in items)


def test_decimal_floats_fill_a_decimal_capacity(kernel):
    result = solve([1.0, 1.0, 1.0], [0.1, 0.2, 0.3], 0.6, kernel=kernel)
    assert result.items.tolist() == [0, 1, 2]
    assert result.weight == 0.6
    assert isinstance(result.value, float)


def test_float_totals_are_rounded_once(kernel):
    result = solve([0.1] * 10, [1] * 10, 10, kernel=kernel)
    assert result.value == 1.0


@pytest.mark.parametrize(
    ("size", "name"), [(2**40, "native64"), (2**70, "native128"), (2**130, "python"), (10**400, "python")]
)
def test_integers_of_any_size_are_exact(size, name):
    values, weights = [size + 7, size + 5, size + 1], [size + 3, size + 2, size]
    result = solve(values, weights, 2 * size + 2)
    assert result.items.tolist() == [1, 2]
    assert result.value == 2 * size + 6
    assert result.optimal
    if kernel_in_use() == "native":
        assert result.kernel == name


def test_common_factors_do_not_need_wide_numbers():
    big = 10**50
    result = solve([60 * big, 100 * big, 120 * big], [10 * big, 20 * big, 30 * big], 50 * big + 1)
    assert result.value == 220 * big
    assert result.kernel in ("native64", "python")
    if kernel_in_use() == "native":
        assert result.kernel == "native64"


def test_fractions_and_decimals_stay_what_they_are(kernel):
    third = Fraction(1, 3)
    assert solve([third, third], [third, third], Fraction(2, 3), kernel=kernel).value == Fraction(2, 3)
    result = solve([Decimal("0.1"), Decimal("0.2")], [1, 1], 2, kernel=kernel)
    assert result.value == Decimal("0.3")
    assert json.loads(json.dumps(result.to_dict()))["value"] == "0.3"


def test_budget_of_one_candidate_is_the_greedy(kernel):
    instance = generate("weak", 200, seed=3)
    result = solve_instance(instance, max_iter=1, kernel=kernel)
    assert result.iterations == 1
    assert result.value == result.greedy_value
    assert result.stop_reason == "max_iter"
    assert result.bound >= result.value


@pytest.mark.parametrize("max_iter", [2, 17, 300])
def test_max_iter_counts_candidates(kernel, max_iter):
    result = solve_instance(generate("circle", 300, seed=3, range=10**6), max_iter=max_iter, kernel=kernel)
    assert result.iterations == max_iter
    assert result.stop_reason == "max_iter"


def test_trace_holds_improvements_or_everything(kernel):
    instance = generate("circle", 300, seed=3, range=10**6)
    some = solve_instance(instance, max_iter=100, kernel=kernel)
    everything = solve_instance(instance, max_iter=100, kernel=kernel, trace="all")
    assert [r.iteration for r in everything.trace] == list(range(1, 101))
    values = [r.value for r in some.trace]
    assert values == sorted(set(values))
    assert values[0] == some.greedy_value
    assert values[-1] == some.value == max(r.value for r in everything.trace)


def test_target_ends_the_run(kernel):
    instance = generate("mstr", 60, seed=3, range=10**6)
    full = solve_instance(instance, kernel=kernel)
    result = solve_instance(instance, target=full.greedy_value + 1, kernel=kernel)
    assert result.stop_reason == "target"
    assert full.greedy_value < result.value <= full.value
    unreachable = solve_instance(instance, target=10**40, kernel=kernel)
    assert unreachable.value == full.value
    assert unreachable.optimal


def test_target_counts_what_weighs_nothing(kernel):
    result = solve([100, 5, 4, 4], [0, 3, 2, 2], 4, target=100.5, kernel=kernel)
    assert result.stop_reason in ("target", "optimal")
    assert result.value >= 105


def test_few_states_give_an_honest_bound(kernel):
    instance = generate("circle", 150, seed=8, range=10**6)
    exact = solve_instance(instance)
    narrow = solve_instance(instance, max_states=8, core_after=50, kernel=kernel)
    assert exact.optimal
    assert narrow.value <= exact.value <= narrow.bound
    if not narrow.optimal:
        assert narrow.stop_reason == "stalled"
        assert 0 < narrow.gap < 0.01


def test_a_full_queue_is_no_proof(kernel):
    instance = generate("inverse-strong", 60, seed=1, range=10**6)
    result = solve_instance(instance, core_after=None, max_queue=4, max_iter=100_000, kernel=kernel)
    exact = solve_instance(instance)
    assert result.value <= exact.value <= result.bound


def test_random_state_only_chooses_among_equals(kernel):
    values, weights = [5] * 20 + [9, 7], [3] * 20 + [5, 4]
    plain = solve(values, weights, 31, kernel=kernel)
    drawn = [solve(values, weights, 31, random_state=seed, kernel=kernel) for seed in (1, 1, 2)]
    assert {r.value for r in drawn} == {plain.value}
    assert drawn[0].items.tolist() == drawn[1].items.tolist()
    assert drawn[0].items.tolist() != drawn[2].items.tolist()


def test_time_limit_holds_and_shows_the_gap(kernel):
    instance = generate("circle", 3000, seed=5, range=10**7)
    start = time.perf_counter()
    result = solve_instance(instance, time_limit=0.2, kernel=kernel)
    assert time.perf_counter() - start < 30  # not a timing test: the limit was seen at all
    assert result.stop_reason == "time_limit"
    assert result.bound > result.value
    assert result.weight <= instance.capacity


@pytest.mark.skipif(not hasattr(signal, "raise_signal"), reason="needs signals")
def test_ctrl_c_returns_the_best_so_far(kernel):
    instance = generate("circle", 3000, seed=5, range=10**7)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    result = solve_instance(instance, time_limit=60, kernel=kernel)
    timer.join()
    assert result.stop_reason == "interrupted"
    assert result.value >= result.greedy_value
    assert int(instance.values[result.items].sum()) == result.value


def test_another_thread_may_solve_meanwhile(kernel):
    instance = generate("strong", 500, seed=5)
    results = []
    threads = [
        threading.Thread(target=lambda: results.append(solve_instance(instance, kernel=kernel)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results[0].items.tolist() == results[1].items.tolist()


def test_environment_chooses_the_kernel():
    code = "from dilemma.knapsack import solve; print(solve([1], [1], 1).kernel)"
    env = {**os.environ, "DILEMMA_KERNEL": "python"}
    out = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "python"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"time_limit": -1}, "time_limit: expected finite seconds >= 0"),
        ({"time_limit": float("nan")}, "time_limit"),
        ({"time_limit": float("inf")}, "None for no limit"),
        ({"max_iter": 0}, "max_iter: expected an integer >= 1"),
        ({"core_after": -1}, "core_after"),
        ({"max_states": 0}, "max_states"),
        ({"max_queue": 1}, "max_queue"),
        ({"trace": "some"}, "trace: expected 'improvements' or 'all'"),
        ({"kernel": "gpu"}, "kernel: expected one of auto, native, python"),
        ({"target": float("nan")}, "finite"),
    ],
)
def test_wrong_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        solve([1], [1], 1, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"time_limit": "1"}, "time_limit: expected a number, got str"),
        ({"max_iter": 2.5}, "max_iter: expected an integer, got float"),
        ({"max_iter": True}, "max_iter"),
        ({"core_after": 1.5}, "core_after"),
        ({"max_states": None}, "max_states"),
        ({"max_queue": "a"}, "max_queue"),
        ({"random_state": "x"}, "random_state: expected an int"),
        ({"target": "5"}, "target: expected a number"),
        ({"target": None, "trace_all": True}, "trace_all"),
    ],
)
def test_options_of_a_wrong_type_are_named(options, message):
    with pytest.raises(TypeError, match=message):
        solve([1], [1], 1, **options)


@pytest.mark.parametrize("target", [0, -5, -0.5])
def test_a_target_the_greedy_reaches_ends_the_run_at_once(target, kernel):
    result = solve([60, 100, 120], [10, 20, 30], 50, target=target, kernel=kernel)
    assert (result.iterations, result.stop_reason) == (1, "target")


def test_float_sums_beyond_the_largest_float_are_a_clear_error(kernel):
    with pytest.raises(ValueError, match="beyond the largest float"):
        solve([1e308, 1e308], [1, 1], 2, kernel=kernel)
    whole = solve([10**308, 10**308], [1, 1], 2, kernel=kernel)
    assert whole.value == 2 * 10**308


def test_native_kernel_refuses_what_it_cannot_hold():
    if kernel_in_use() != "native":
        pytest.skip("no native kernel here")
    with pytest.raises(ValueError, match="use 'python' or 'auto'"):
        solve([2**130 + 1, 2**130], [2**130, 3], 2**130, kernel="native")


def test_result_json_has_a_schema(tmp_path):
    result = solve([60, 100, 120], [10, 20, 30], 50)
    result.to_json(tmp_path / "r.json")
    data = json.loads((tmp_path / "r.json").read_text())
    assert (data["schema"], data["schema_version"]) == ("dilemma.knapsack", 1)
    assert data["items"] == [1, 2]
    assert data["trace"][0][3] == 160


@pytest.mark.parametrize("number", [int, float, Decimal, lambda x: Fraction(x, 3)], ids=str)
def test_json_brings_a_result_back(tmp_path, number):
    result = solve([number(v) for v in (60, 100, 120)], [number(w) for w in (10, 20, 30)], number(50))
    result.to_json(tmp_path / "r.json")
    again = KnapsackResult.from_json(tmp_path / "r.json")
    assert again == result
    assert type(again.value) is type(result.value)
    assert again.items.tolist() == [1, 2]
    assert (again.gap, again.improvement) == (result.gap, result.improvement)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{}", "some other JSON"),
        ("[]", "some other JSON"),
        ('{"schema": "dilemma.knapsack", "schema_version": 2}', "schema_version"),
        ('{"schema": "dilemma.knapsack", "schema_version": 1, "value": "1/0"}', "malformed"),
        ('{"schema": "dilemma.knapsack", "schema_version": 1, "value": null}', "malformed"),
        ("{nonsense", "JSON"),
    ],
)
def test_other_files_are_no_results(text, words):
    with pytest.raises(FormatError, match=words):
        KnapsackResult.from_json(text)


def test_numpy_inputs_are_left_alone():
    values, weights = np.array([3, 1, 2]), np.array([2, 2, 2])
    solve(values, weights, 4)
    assert values.tolist() == [3, 1, 2]
