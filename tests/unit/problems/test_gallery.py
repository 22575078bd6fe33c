"""What every gallery problem promises, checked against brute force on tiny instances."""

from __future__ import annotations

import inspect
import pickle
from itertools import permutations

import numpy as np
import pytest

import dilemma
from dilemma import problems as gallery

SEEDS = (0, 1, 2)


def test_every_public_class_is_under_test(cases):
    named = {name for name in gallery.__all__ if inspect.isclass(getattr(gallery, name))} - {"Knapsack"}
    assert named == {type(c.make(2, 0)).__name__ for c in cases}


@pytest.mark.parametrize("seed", SEEDS)
def test_the_tree_holds_the_brute_force_optimum(case, driver, seed):
    problem = case.make(case.tiny, seed)
    *_, (_, energies) = driver.explore(problem)
    assert min(energies) == pytest.approx(case.optimum(problem))


@pytest.mark.parametrize("seed", SEEDS)
def test_every_leaf_agrees_with_an_independent_evaluator(case, driver, seed):
    problem = case.make(case.tiny - 1, seed)
    for state, _ in driver.explore(problem):
        if not driver.offered(problem, state)[0]:
            assert problem.energy(state) == pytest.approx(
                case.evaluate(problem, case.content(problem, state))
            )


@pytest.mark.parametrize("seed", SEEDS)
def test_large_greedy_solutions_agree_with_an_independent_evaluator(case, driver, seed):
    problem = case.make(12, seed)
    state = driver.greedy(problem)
    assert problem.energy(state) == pytest.approx(case.evaluate(problem, case.content(problem, state)))


@pytest.mark.parametrize("seed", SEEDS)
def test_bound_is_never_above_an_energy_below(case, driver, seed):
    problem = case.make(case.tiny, seed)
    for state, energies in driver.explore(problem):
        assert problem.bound(state) <= min(energies)


def test_bound_of_a_larger_instance_is_worth_something(case, driver):
    """Not a number that prunes nothing: within a factor of two of the greedy at the root, 12 of everything."""
    problem = case.make(12, 0)
    energy, bound = problem.energy(driver.greedy(problem)), problem.bound(problem.initial())
    assert bound >= 0.3 * energy if energy > 0 else bound >= 2 * energy


@pytest.mark.parametrize("seed", SEEDS)
def test_states_of_one_key_reach_the_same_energies(case, driver, seed):
    problem = case.make(case.tiny, seed)
    if not hasattr(problem, "key"):
        pytest.skip("no key")
    reachable = {}
    for state, energies in driver.explore(problem):
        assert reachable.setdefault(problem.key(state), set(energies)) == set(energies)


@pytest.mark.parametrize("seed", SEEDS)
def test_legal_agrees_with_actions(case, driver, seed):
    """Everything offered is legal; where `legal` is strict, nothing else is; where not, the rest leads on."""
    problem = case.make(case.tiny, seed)
    states = [state for state, _ in driver.explore(problem)]
    everything = {action for state in states for action in driver.offered(problem, state)[0]}
    best = case.optimum(problem)
    for state in states[:: max(1, len(states) // 200)]:
        offers = set(driver.offered(problem, state)[0])
        legal = {action for action in everything if problem.legal(state, action)}
        assert offers <= legal
        if case.strict_legal:
            assert legal == offers
        elif legal - offers:
            state = problem.apply(state, sorted(legal - offers)[0])
            while actions := driver.offered(problem, state)[0]:
                state = problem.apply(state, actions[-1])
            assert case.evaluate(problem, case.content(problem, state)) == pytest.approx(
                problem.energy(state)
            )
            assert problem.energy(state) >= best - 1e-9


def test_nothing_changes_a_state(case, driver):
    problem = case.make(7, 1)
    state = problem.initial()
    while True:
        before = pickle.dumps(state)
        actions, _ = driver.offered(problem, state)
        problem.bound(state)
        if hasattr(problem, "key"):
            problem.key(state)
        states = [problem.apply(state, action) for action in actions]
        if not states:
            problem.polish(state)
            problem.energy(state)
        assert pickle.dumps(state) == before
        if not states:
            break
        state = states[0]


def test_arrays_in_states_cannot_be_written(case, driver):
    problem = case.make(7, 1)
    for state in (problem.initial(), driver.greedy(problem), problem.polish(driver.greedy(problem))):
        for part in state:
            assert not isinstance(part, np.ndarray) or not part.flags.writeable


def test_apply_takes_numpy_and_python_actions_alike(case, driver):
    problem = case.make(6, 0)
    state = twin = problem.initial()
    while True:
        raw, scores = problem.actions(state)
        if not len(raw):
            break
        best = int(np.argmax(scores))
        plain = driver.offered(problem, twin)[0][best]
        assert bool(problem.legal(state, raw[best])) is bool(problem.legal(twin, plain)) is True
        state, twin = problem.apply(state, raw[best]), problem.apply(twin, plain)
    assert problem.energy(state) == problem.energy(twin)


def test_scores_are_positive_and_finite(case, driver):
    problem = case.make(10, 3)
    state = problem.initial()
    while True:
        actions, scores = driver.offered(problem, state)
        if not actions:
            break
        assert all(0 < score < np.inf for score in scores)
        state = problem.apply(state, actions[-1])


@pytest.mark.parametrize("seed", SEEDS)
def test_commutative_means_that_no_order_matters(case, driver, seed):
    problem = case.make(case.tiny, seed)
    if not getattr(problem, "commutative", False):
        pytest.skip("order matters")
    energies = {}
    for state, _ in driver.explore(problem):
        actions = problem.decisions(state)
        if driver.offered(problem, state)[0] or problem.decisions(problem.polish(state)) != actions:
            continue  # a cover with a redundant column is no better than without it
        for order in permutations(actions):
            again = problem.initial()
            for action in order:
                assert problem.legal(again, action)
                again = problem.apply(again, action)
            assert problem.energy(again) == pytest.approx(problem.energy(state))
            assert not driver.offered(problem, again)[0]
        energies[frozenset(actions)] = problem.energy(state)
    assert min(energies.values()) == pytest.approx(case.optimum(problem))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("n", [1, 2, 3, 5, 9, 30])
def test_polish_gives_a_complete_state_at_least_as_good(case, driver, n, seed):
    problem = case.make(n, seed)
    state = driver.greedy(problem)
    polished = problem.polish(state)
    assert not driver.offered(problem, polished)[0]
    assert problem.energy(polished) <= problem.energy(state) + 1e-9
    if n < 12:  # the evaluators are slow
        content = case.content(problem, polished)
        assert problem.energy(polished) == pytest.approx(case.evaluate(problem, content))
    assert problem.energy(problem.polish(state)) == problem.energy(polished)


def test_polish_improves_on_the_greedy_somewhere(case, driver):
    """On thirty instances it helps at least once; else it would be decoration."""
    gains = 0
    for seed in range(30):
        problem = case.make(20, seed)
        state = driver.greedy(problem)
        gains += problem.energy(problem.polish(state)) < problem.energy(state)
    assert gains


@pytest.mark.parametrize("seed", SEEDS)
def test_decisions_lead_back_to_the_state(case, driver, seed):
    problem = case.make(10, seed)
    for state in (driver.greedy(problem), problem.polish(driver.greedy(problem))):
        again = problem.initial()
        for action in problem.decisions(state):
            again = problem.apply(again, action)
        assert problem.energy(again) == pytest.approx(problem.energy(state))
        assert not driver.offered(problem, again)[0]


def test_describe_and_related_take_any_action(case, driver):
    problem = case.make(6, 0)
    actions = problem.decisions(driver.greedy(problem))
    assert len({problem.describe(action) for action in actions}) == len(set(actions))
    if not hasattr(problem, "related"):
        return
    for a, b in permutations(actions, 2):
        assert 0 <= problem.related(a, b) == pytest.approx(problem.related(b, a))


@pytest.mark.parametrize("n", [0, 1])
def test_the_smallest_instances(case, driver, n):
    problem = case.make(n, 0)
    state = driver.greedy(problem)
    assert problem.bound(state) <= problem.energy(state)
    assert problem.energy(problem.polish(state)) == pytest.approx(problem.energy(state))
    assert problem.energy(state) == pytest.approx(case.evaluate(problem, case.content(problem, state)))


def test_a_seed_is_an_instance(case, driver):
    def energy(seed):
        problem = case.make(15, seed)
        return problem.energy(driver.greedy(problem)), problem.bound(problem.initial())

    assert energy(4) == energy(4)
    assert len({energy(seed) for seed in range(12)}) > 1


def test_a_problem_travels_to_workers(case, driver):
    problem = case.make(8, 2)
    there = pickle.loads(pickle.dumps(problem))
    assert there.energy(driver.greedy(there)) == problem.energy(driver.greedy(problem))


@pytest.mark.parametrize("seed", SEEDS)
def test_minimize_proves_the_optimum(case, seed):
    problem = case.make(min(case.tiny, 5), seed)
    result = dilemma.minimize(problem, max_iter=20_000)
    assert result.optimal
    assert result.energy == pytest.approx(case.optimum(problem))


@pytest.mark.parametrize("n", [0, 1, 2, 5, 25])
def test_check_problem_finds_nothing(case, n):
    report = dilemma.check_problem(case.make(n, 0))
    assert not report.findings, str(report)


@pytest.mark.parametrize("n", [True, 2.5, "3", None])
def test_random_refuses_what_is_no_count(case, n):
    with pytest.raises(TypeError, match="n: expected an integer"):
        case.make(n, 0)


def test_random_refuses_a_negative_count(case):
    with pytest.raises(ValueError, match="n: expected at least 0, got -1"):
        case.make(-1, 0)


def test_knapsack_is_the_one_of_its_own_package():
    from dilemma.knapsack import Knapsack

    assert gallery.Knapsack is Knapsack


def test_knapsack_is_drawn_and_read_like_the_others(tmp_path, driver):
    problem = gallery.Knapsack.random(20, 3, kind="weak")
    assert driver.greedy(problem).value == driver.greedy(gallery.Knapsack.random(20, 3, kind="weak")).value
    file = tmp_path / "small.txt"
    file.write_text("3 50\n60 10\n100 20\n120 30\n")
    assert dilemma.minimize(gallery.Knapsack.load(file)).energy == -220.0


def test_a_bound_does_not_keep_a_search_from_polishing():
    """No unpolished tour beats the polished greedy; to polish some other tour is what finds a better one."""
    problem = gallery.TSP.random(60, 1)
    result = dilemma.minimize(problem, max_iter=60, random_state=0)
    assert result.energy < problem.energy(problem.polish(_greedy(problem)))


def _greedy(problem):
    state = problem.initial()
    while len((offer := problem.actions(state))[0]):
        state = problem.apply(state, offer[0][int(np.argmax(offer[1]))])
    return state
