"""Flow-shop insertion: every place's makespan, and the native kernel against its twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dilemma.problems import insertion as module
from dilemma.problems.insertion import Insertion


@pytest.fixture
def native():
    if module._polish is None:
        pytest.skip("the native kernel was not built")
    return module._polish


def shop(n, m, seed):
    return np.random.default_rng(seed).integers(0, 20, (m, n)) / 4


@pytest.mark.parametrize("backend", ["python", "auto"])
@given(n=st.integers(1, 12), m=st.integers(0, 6), seed=st.integers(0, 10**6))
@settings(max_examples=60, deadline=None)
def test_a_place_is_priced_as_the_sequence_with_the_job_there(backend, n, m, seed):
    insertion = Insertion(shop(n, m, seed), backend=backend)
    job, *jobs = np.random.default_rng(seed).permutation(n).tolist()
    direct = [insertion.makespan([*jobs[:i], job, *jobs[i:]]) for i in range(n)]
    assert insertion.spans(jobs, job) == pytest.approx(direct)


@given(n=st.integers(0, 15), m=st.integers(0, 6), seed=st.integers(0, 10**6))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_native_and_python_agree_exactly(native, n, m, seed):
    one, two = (Insertion(shop(n, m, seed), backend=b) for b in ("native", "python"))
    jobs, order = (np.random.default_rng(seed + i).permutation(n).tolist() for i in (0, 1))
    assert one.descend(jobs, order) == two.descend(jobs, order)
    if n:
        assert one.spans(jobs[1:], jobs[0]).tolist() == two.spans(jobs[1:], jobs[0]).tolist()


@pytest.mark.parametrize("backend", ["python", "auto"])
def test_descent_ends_where_no_single_job_is_better_elsewhere(backend):
    for seed in range(10):
        insertion = Insertion(shop(9, 4, seed), backend=backend)
        jobs = insertion.descend(range(9), range(9))
        best = insertion.makespan(jobs)
        assert sorted(jobs) == list(range(9))
        assert best <= insertion.makespan(range(9))
        for job in jobs:
            assert insertion.spans([j for j in jobs if j != job], job).min() >= best


def test_native_refuses_what_would_reach_outside_its_arrays(native):
    times, spans = np.ones((3, 2)), np.empty(3)

    def ints(*values):
        return np.array(values, dtype=np.int32)

    for jobs, job in [(ints(0, 3), 1), (ints(0, -1), 1), (ints(0, 1), 3), (ints(0, 1), -1)]:
        with pytest.raises(ValueError, match="job out of range"):
            native.insertions(times, jobs, job, spans)
    with pytest.raises(ValueError, match="one place more"):
        native.insertions(times, ints(0, 1), 2, np.empty(2))
    for jobs, order in [
        (ints(0, 1, 1), ints(0, 1, 2)),
        (ints(0, 1, 3), ints(0, 1, 2)),
        (ints(0, 1), ints(0, 1, 2)),
    ]:
        with pytest.raises(ValueError, match=r"permutation|disagree"):
            native.descend(times, jobs, order)
    with pytest.raises(ValueError, match="job out of range"):
        native.descend(times, ints(0, 1, 2), ints(0, 1, 3))
    with pytest.raises(TypeError):
        native.descend(times, np.arange(3), ints(0, 1, 2))


def test_a_backend_that_does_not_exist_is_refused(monkeypatch):
    with pytest.raises(ValueError, match="backend: expected one of"):
        Insertion(np.ones((1, 1)), backend="fortran")
    monkeypatch.setattr(module, "_polish", None)
    assert not Insertion(np.ones((1, 1))).native
    with pytest.raises(ValueError, match="was not built"):
        Insertion(np.ones((1, 1)), backend="native")
