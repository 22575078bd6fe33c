"""Large-neighbourhood search: what it keeps, what it trusts, and what it must never report."""

import math
import pickle
import random
from itertools import pairwise

import numpy as np
import pytest
from lns_problems import Dispatch, Pack, Tour

import dilemma
from dilemma.executors import Inline
from dilemma.likelihood import Likelihood
from dilemma.problem import Model
from dilemma.rollout import Proposal, Rollout, Status, grow
from dilemma.strategies import LargeNeighbourhood
from dilemma.strategies.large_neighbourhood import LateAcceptance
from dilemma.strategies.neighbourhood import HOLE, Neighbour
from dilemma.strategies.operators import SEQUENCE, SET, Operators
from dilemma.strategies.path import Path


def is_offered_throughout(problem, actions):
    state = problem.initial()
    for action in actions:
        offered = problem.actions(state)
        names = offered[0] if isinstance(offered, tuple) else [a for a, _ in offered]
        if action not in list(names):
            return False
        state = problem.apply(state, action)
    offered = problem.actions(state)
    return not len(offered[0] if isinstance(offered, tuple) else offered)


@pytest.mark.parametrize("problem", [Tour(), Tour(array=False), Pack(), Dispatch()])
@pytest.mark.parametrize("seed", range(3))
def test_improves_the_greedy_by_a_solution_the_problem_offers(problem, seed):
    result = dilemma.minimize(problem, strategy="large_neighbourhood", max_iter=400, random_state=seed)
    assert result.energy < result.greedy_energy
    assert is_offered_throughout(problem, result.actions)
    assert problem.energy(result.solution) == result.energy


@pytest.mark.parametrize("problem", [Tour(), Pack(), Dispatch()])
def test_same_seed_same_trace_for_any_number_of_workers(problem):
    runs = [
        dilemma.minimize(problem, strategy="large_neighbourhood", max_iter=150, random_state=5, n_jobs=n)
        for n in (1, 1, 2)
    ]
    assert runs[0].trace.energy.tolist() == runs[1].trace.energy.tolist() == runs[2].trace.energy.tolist()
    assert runs[0].actions == runs[2].actions


def test_the_greedy_comes_first():
    problem = Tour()
    greedy = dilemma.minimize(problem, strategy="greedy")
    result = dilemma.minimize(problem, strategy="large_neighbourhood", max_iter=1)
    assert result.energy == greedy.energy


def test_finds_the_optimum_of_small_problems():
    for seed in range(3):
        problem = Tour(7, seed)
        best = dilemma.minimize(problem, strategy="backtracking")
        found = dilemma.minimize(problem, strategy="large_neighbourhood", max_iter=800, random_state=0)
        assert best.optimal
        assert found.energy == pytest.approx(best.energy)


def test_needs_a_budget_because_it_never_ends_by_itself():
    with pytest.raises(ValueError, match="never ends by itself"):
        dilemma.minimize(Tour(), strategy="large_neighbourhood")


class NoChoice(Tour):
    def actions(self, state):
        left = [c for c in range(len(self.d)) if c not in state][:1]
        return left, [1.0] * len(left)


def test_a_problem_without_a_choice_ends_with_a_proof():
    result = dilemma.minimize(NoChoice(5), strategy="large_neighbourhood", max_iter=10)
    assert result.optimal
    assert result.iterations == 1


# -- trust -------------------------------------------------------------------------------------------------


def test_trust_ranks_far_fewer_states_and_still_reports_only_what_is_offered():
    ranked = {}
    for trust in (True, False):
        problem = Tour(20, 1)
        result = dilemma.minimize(
            problem, strategy=LargeNeighbourhood(trust=trust), max_iter=600, random_state=0
        )
        ranked[trust] = problem.ranked
        assert is_offered_throughout(problem, result.actions)
    assert ranked[True] < 0.7 * ranked[False]


class Windows(Tour):
    """Every city must be reached before it closes: orders that are not offered look shorter than they are."""

    def actions(self, state):
        cities, scores = super().actions(state)
        keep = np.array([c + 6 >= len(state) for c in cities], bool)
        return cities[keep], scores[keep]

    def energy(self, state):
        return super().energy(state) + (100.0 if len(state) < len(self.d) else 0.0)


@pytest.mark.parametrize("seed", range(4))
def test_what_was_built_on_trust_is_looked_up_before_it_counts(seed):
    problem = Windows(16, seed)
    result = dilemma.minimize(problem, strategy="large_neighbourhood", max_iter=800, random_state=seed)
    assert is_offered_throughout(problem, result.actions)
    assert result.energy == problem.energy(result.solution)


class Named:
    """Bins named by the item that opened them: repeated elsewhere, a decision overfills one, and nobody objects."""

    def __init__(self, n=60, seed=0):
        self.size = sorted(np.random.default_rng(seed).integers(15, 51, n).tolist(), reverse=True)

    def initial(self):
        return 0, {}

    def actions(self, state):
        item, room = state
        if item == len(self.size):
            return []
        fits = [(b, r - self.size[item]) for b, r in room.items() if r >= self.size[item]]
        return [*(((item, b), 10 / (10 + left)) for b, left in fits), ((item, item), 0.001)]

    def apply(self, state, action):
        at, room = state
        item, bin = action
        return at + 1, {**room, bin: room.get(bin, 100) - self.size[item]}

    def energy(self, state):
        return float(len(state[1]))


@pytest.mark.parametrize("strategy", ["large_neighbourhood", "auto"])
@pytest.mark.parametrize("seed", range(2))
def test_a_path_taken_on_trust_hands_nothing_down_that_is_not_offered(strategy, seed):
    problem = Named(seed=seed)
    result = dilemma.minimize(problem, strategy=strategy, max_iter=2500, random_state=seed)
    assert is_offered_throughout(problem, result.actions)
    assert min(result.solution[1].values()) >= 0


def test_a_path_that_proves_wrong_is_left_for_the_last_one_looked_up():
    model = Model(Named(12))
    run = LargeNeighbourhood().start(model, np.random.default_rng(0))
    run.tell(grow(model, run.ask(1)[0]))
    sound = run.operators.path
    item, bin = sound.actions[-1]
    wrong = sound.followed((*sound.actions[:-1], (item, -bin - 1)), sound.energy, 0, None, sure=False)
    run.operators.path, run._unsure = wrong, 10**6
    for arm in run.arms:
        arm.tried = arm.probation
    rollout = grow(model, run.ask(1)[0])
    assert rollout.misfits
    run.tell(rollout)
    assert run.operators.path is sound
    assert not any(arm.trusted for arm in run.arms)


class Fussy(Pack):
    """Refuses, with an error, what it did not offer."""

    def apply(self, state, action):
        offered = [a for a, _ in self.actions(state)]
        if action not in offered:
            raise LookupError(f"{action} was not offered")
        return state | {action}


def test_a_problem_that_raises_on_what_it_did_not_offer_is_served_too():
    for seed in range(3):
        result = dilemma.minimize(Fussy(), strategy="large_neighbourhood", max_iter=300, random_state=seed)
        assert result.energy < result.greedy_energy


class Broken(Tour):
    def energy(self, state):
        if len(set(state)) == len(state) and state[1] != 1:
            raise ZeroDivisionError("a bug of the user's")
        return super().energy(state)


def test_errors_of_the_users_own_are_not_swallowed():
    with pytest.raises(ZeroDivisionError):
        dilemma.minimize(Broken(6, 2), strategy="large_neighbourhood", max_iter=500, random_state=0)


# -- neighbours ------------------------------------------------------------------------------------------------


def grown(problem, **settings):
    return grow(Model(problem), Proposal(plan=Neighbour(**settings)))


def test_pending_decisions_are_taken_in_order_and_the_greedy_completes():
    rollout = grown(Tour(6), pending=(3, 1))
    assert rollout.actions[:2] == [3, 1]
    assert sorted(rollout.actions) == [1, 2, 3, 4, 5]
    assert rollout.status is Status.COMPLETE
    assert rollout.misfits == 0


def test_a_decision_that_does_not_fit_waits_or_is_dropped():
    problem = Dispatch(2, 2)
    assert grown(problem, pending=(0, 0, 0, 1, 1)).misfits == 1

    class OneFirst(Tour):
        def actions(self, state):
            cities, scores = super().actions(state)
            return (cities, scores) if 1 in state else (cities[cities == 1], scores[cities == 1])

    assert grown(OneFirst(5), pending=(3, 4, 1, 2)).actions == [1, 3, 4, 2]
    assert grown(OneFirst(5), pending=(3, 1, 2), drop=True).actions[:2] == [1, 2]


def test_a_hole_is_filled_with_what_is_not_pending():
    rollout = grown(Tour(6), pending=(HOLE, 3, HOLE, 1), banned=frozenset({1, 3}))
    assert rollout.actions[1] == 3
    assert rollout.actions[3] == 1
    assert {rollout.actions[0], rollout.actions[2], rollout.actions[4]} == {2, 4, 5}


def test_the_same_neighbour_grows_alike_by_looking_by_legal_and_on_trust():
    class Legal(Tour):
        def legal(self, state, action):
            return action not in state

    plan = {"kept": (2,), "pending": (5, HOLE, 1, 3), "banned": frozenset({1, 3, 5})}
    looked = grown(Tour(8), **plan)
    assert looked.actions == grown(Legal(8), **plan).actions == grown(Tour(8), trust=True, **plan).actions
    noisy = {**plan, "noise": 1.0, "seed": 3}
    assert grown(Tour(8), **noisy).actions == grown(Tour(8), trust=True, **noisy).actions


def test_noise_depends_on_the_seed_alone():
    paths = {tuple(grown(Tour(10), noise=2.0, seed=s).actions) for s in (1, 1, 2, 3, 4)}
    assert 2 <= len(paths) <= 4


def test_chains_are_followed_either_way_and_joined_by_the_greedy():
    problem = Tour(9, 3)
    links = {1: (2,), 2: (1, 3), 3: (2,), 4: (5,), 5: (4,), 6: (), 7: (8,), 8: (7,)}
    for trust in (True, False):
        actions = grown(problem, links=links, trust=trust).actions
        text = "".join(map(str, actions))
        assert sorted(actions) == list(range(1, 9))
        assert "123" in text or "321" in text
        assert "45" in text or "54" in text
        assert "78" in text or "87" in text


def test_the_snapshot_stays_at_home_when_a_neighbour_travels():
    plan = Neighbour(kept=(1,), pending=(2, HOLE), start=object(), likelihood=Likelihood("reciprocal"))
    again = pickle.loads(pickle.dumps(plan))
    assert again.start is None
    assert again == plan
    assert again.pending[1] is HOLE


def test_a_snapshot_saves_the_way_there_and_changes_nothing():
    problem = Tour(8)
    model = Model(problem)
    start = model.replay((4, 2))
    with_snapshot = Neighbour(kept=(4, 2), pending=(1,), start=start).grow(model, None)
    without = Neighbour(kept=(4, 2), pending=(1,)).grow(model, None)
    assert with_snapshot.actions == without.actions
    assert with_snapshot.energy == without.energy


def test_the_bound_ends_a_neighbour_early():
    class Bounded(Tour):
        def bound(self, state):
            return sum(self.d[a, b] for a, b in pairwise(state))

    rollout = grown(Bounded(10), pending=tuple(range(1, 10)), limit=0.1)
    assert rollout.status is Status.PRUNED
    result = dilemma.minimize(Bounded(10), strategy="large_neighbourhood", max_iter=300, random_state=0)
    assert result.energy < result.greedy_energy


# -- operators ---------------------------------------------------------------------------------------------------


def operators(problem):
    import random

    model = Model(problem)
    greedy = grow(model, Proposal())
    ops = Operators(model, Likelihood(), 0.5, random.Random(0))
    ops.path = Path(model, Likelihood(), tuple(greedy.actions), greedy.energy)
    return ops, model


@pytest.mark.parametrize("operator", SEQUENCE, ids=lambda o: o.__name__)
@pytest.mark.parametrize("problem", [Tour(9), Dispatch()], ids=["tour", "dispatch"])
def test_every_operator_of_sequences_gives_complete_solutions_and_some_new_ones(problem, operator):
    ops, model = operators(problem)
    new = 0
    for _ in range(60):
        if (plan := operator(ops)) is None:
            continue
        rollout = plan.grow(model, None)
        assert rollout.status is Status.COMPLETE
        assert is_offered_throughout(problem, rollout.actions)
        new += tuple(rollout.actions) != ops.path.actions
    assert new or (operator is Operators.chains and isinstance(problem, Dispatch))


@pytest.mark.parametrize("operator", SET, ids=lambda o: o.__name__)
def test_every_operator_of_sets_gives_complete_solutions_and_some_new_ones(operator):
    problem = Pack(30)
    ops, model = operators(problem)
    new = 0
    for _ in range(60):
        ops.reorder()
        if (plan := operator(ops)) is None:
            continue
        rollout = plan.grow(model, None)
        assert is_offered_throughout(problem, rollout.actions)
        new += set(rollout.actions) != set(ops.path.actions)
    assert new


def test_relations_are_learned_from_what_an_action_does_to_the_scores_of_others():
    class Cover:
        commutative = True
        rows = ({0, 1, 2}, {2, 3}, {4, 5}, {5, 6, 7}, {1, 2})

        def initial(self):
            return frozenset()

        def actions(self, state):
            return [(i, len(r - state)) for i, r in enumerate(self.rows) if r - state]

        def apply(self, state, action):
            return state | self.rows[action]

        def energy(self, state):
            return 0.0

    ops, _ = operators(Cover())
    effects = ops.effects(0)
    assert effects[4] == 1.0
    assert effects[1] > 0
    assert 2 not in effects
    assert 3 not in effects


def test_the_users_own_relation_is_asked_when_there_is_one():
    class Related(Pack):
        def related(self, a, b):
            return 1.0 / (1 + abs(a - b))

    ops, _ = operators(Related())
    first = ops.path.actions[0]
    effects = ops.effects(first)
    near = min((a for a in effects), key=lambda a: abs(a - first))
    assert effects[near] == max(effects.values()) == 1.0


def test_the_inline_executor_and_a_pickled_proposal_agree():
    ops, model = operators(Tour(9))
    plans = [p for o in SEQUENCE for _ in range(3) if (p := o(ops)) is not None]
    here = Inline(model).run([Proposal(plan=p) for p in plans])
    for rollout, plan in zip(here, plans, strict=True):
        there = grow(model, pickle.loads(pickle.dumps(Proposal(plan=plan))))
        assert (there.actions, there.energy, there.nodes) == (rollout.actions, rollout.energy, rollout.nodes)


# -- polish ------------------------------------------------------------------------------------------------------


class Sorted(Tour):
    """A tour whose polish exchanges neighbours in the sequence while that helps."""

    calls = 0

    def polish(self, state):
        type(self).calls += 1
        tour, best = list(state), self.energy(state)
        for i in range(1, len(tour) - 1):
            tour[i], tour[i + 1] = tour[i + 1], tour[i]
            if (length := self.energy(tuple(tour))) < best:
                best = length
            else:
                tour[i], tour[i + 1] = tour[i + 1], tour[i]
        return tuple(tour)


@pytest.mark.parametrize("strategy", ["large_neighbourhood", "auto", "two_queues"])
def test_the_search_goes_on_from_polished_solutions(strategy):
    problem = Sorted(16, 4)
    result = dilemma.minimize(problem, strategy=strategy, max_iter=200, random_state=0)
    plain = dilemma.minimize(Tour(16, 4), strategy=strategy, max_iter=200, random_state=0)
    assert result.energy <= plain.energy + 1e-9
    assert problem.energy(problem.polish(result.solution)) == pytest.approx(result.energy)
    if strategy != "two_queues":
        assert (0, *result.actions) == result.solution


def test_only_promising_candidates_are_polished():
    Sorted.calls = 0
    result = dilemma.minimize(Sorted(16, 4), strategy="two_queues", max_iter=200)
    assert 50 < Sorted.calls < 0.8 * result.iterations


def test_decisions_that_lead_elsewhere_are_not_believed():
    class Lying(Sorted):
        def decisions(self, state):
            return range(1, len(self.d))

    result = dilemma.minimize(Lying(12, 4), strategy="large_neighbourhood", max_iter=60, random_state=0)
    assert result.energy == pytest.approx(Lying(12, 4).energy(result.solution))


def test_operators_with_nothing_to_offer_are_not_asked_for_ever():
    """Where every level offers the same actions, most operators decline: asking them must not be the work."""

    class Levels:
        def initial(self):
            return ()

        def actions(self, state):
            return [(i, 1.0 + (3 * i + len(state)) % 5) for i in range(3)] if len(state) < 60 else []

        def apply(self, state, action):
            return (*state, action)

        def energy(self, state):
            return float(sum(a * (i % 3) for i, a in enumerate(state)))

    run = LargeNeighbourhood().start(Model(Levels()), np.random.default_rng(0))
    asked = 0

    def counted(operator):
        def ask(operators):
            nonlocal asked
            asked += 1
            return operator(operators)

        return ask

    for arm in run.arms:
        arm.operator = counted(arm.operator)
    for _ in range(300):
        for proposal in run.ask(1):
            run.tell(grow(Model(Levels()), proposal))
    assert asked < 20 * 300


def test_a_solution_built_on_trust_that_goes_astray_is_given_up():
    """Past its end this problem offers actions for ever: nobody is to follow it there."""
    longest = 0

    class Astray:
        def initial(self):
            return ()

        def actions(self, state):
            nonlocal longest
            longest = max(longest, len(state))
            return [(i, 1.0 + (3 * i + len(state)) % 5) for i in range(3)] if len(state) != 40 else []

        def apply(self, state, action):
            return (*state, action)

        def energy(self, state):
            return float(sum(a * (i % 3) for i, a in enumerate(state)))

    plan = Neighbour(pending=(2,) * 41, trust=True, usual=40)
    rollout = plan.grow(Model(Astray()), None)
    assert 40 < longest < 2 * 40 + 100
    assert rollout.status is Status.COMPLETE
    assert rollout.actions == [2] * 40


# -- acceptance --------------------------------------------------------------------------------------------


def test_late_acceptance_loosens_where_it_stalls_and_settles_again():
    acceptance = LateAcceptance(random.Random(0))
    for i in range(20):  # a descent: what is worse than a moment ago is refused
        acceptance.takes(100.0 - i, 101.0 - i, 101.0 - i)
    assert not acceptance.takes(95.0, 81.0, 81.0)
    energies = [acceptance.takes(81.0 + 0.01 * (1 + i % 9), 81.0, 81.0) for i in range(700)]
    assert any(energies)  # it stalled: a little worse will do
    assert len(acceptance.before) == 10
    assert not acceptance.takes(82.0, 81.0, 81.0)
    for _ in range(30):
        acceptance.takes(81.0, 81.0, 81.0)
    assert acceptance.threshold(81.0) == math.nextafter(81.0, math.inf)


def test_a_neighbour_that_is_the_solution_again_is_no_step():
    model = Model(Tour(8))
    run = LargeNeighbourhood().start(model, np.random.default_rng(0))
    run.tell(grow(model, run.ask(1)[0]))
    path, turn = run.operators.path, run._acceptance.turn
    for _ in range(40):
        run.ask(1)
        same = Rollout(actions=list(path.actions), energy=path.energy)
        run.tell(same)
    assert run.operators.path is path
    assert run._acceptance.turn == turn
