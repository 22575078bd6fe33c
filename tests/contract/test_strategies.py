"""Every strategy on every small problem keeps the contracts that are shipped for third parties."""

import numpy as np
import pytest

import dilemma
from dilemma.strategies import MCTS, STRATEGIES, Beam, BranchAndBound, Genetic
from dilemma.testing import (
    STRATEGY_CONTRACTS,
    applicable,
    check_small_problem,
    check_strategy,
    small_problems,
    solutions,
)
from dilemma.testing_problems import Choices, Commuting, Tour

VARIANTS = {
    "branch_and_bound, depth first": BranchAndBound(order="depth_first"),
    "mcts, sampled": MCTS(playout="sampled"),
    "genetic, priorities": Genetic(keys="priorities", population=8),
}
CONFIGURED = {name: cls() for name, cls in STRATEGIES.items()} | VARIANTS


@pytest.fixture(params=CONFIGURED, scope="module")
def strategy(request):
    return CONFIGURED[request.param]


@pytest.mark.parametrize("problem", small_problems(), ids=repr)
@pytest.mark.parametrize("contract", STRATEGY_CONTRACTS, ids=lambda contract: contract.__name__)
def test_contract(strategy, contract, problem):
    contract(strategy, problem)


@pytest.mark.parametrize("problem", small_problems(), ids=repr)
def test_small_problems_keep_their_own_promises(problem):
    check_small_problem(problem)


def test_two_processes_give_the_same_run(strategy):
    problem = Commuting(weights=(5, 4, 3, 6, 2, 4, 7, 3, 1), values=(9, 8, 4, 9, 3, 8, 9, 5, 1), capacity=19)
    one, two = (
        dilemma.minimize(problem, strategy=strategy, max_iter=90, max_nodes=1500, random_state=5, n_jobs=jobs)
        for jobs in (1, 2)
    )
    assert one.trace.energy.tolist() == two.trace.energy.tolist()
    assert one.actions == two.actions


@pytest.mark.parametrize("seed", range(6))
def test_a_bound_changes_no_answer(strategy, seed):
    """With and without its bound, a tiny problem is solved to the same energy by all that solve it at all."""

    class Bare(Tour):
        bound = None

    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 7))
    if not applicable(strategy, Bare(n)) or not strategy.traits.optimal_in_the_limit:
        pytest.skip("needs a bound, or promises nothing")
    least = min(energy for _, energy in solutions(Tour(n)))
    limits = {} if strategy.traits.finite else {"target": least, "max_iter": 20_000}
    for problem in (Tour(n), Bare(n)):
        assert dilemma.minimize(problem, strategy=strategy, random_state=seed, **limits).energy == least


class _ForgetsTheGreedy:
    """A broken strategy: its first proposal is the second best."""

    name, traits = "broken", STRATEGIES["backtracking"].traits

    def start(self, model, rng):
        run = STRATEGIES["backtracking"]().start(model, rng)
        run.tell(next(iter([dilemma.rollout.grow(model, run.ask(1)[0])])))
        return run


class _ClaimsTooMuch:
    """A broken strategy: the greedy alone, said to cover everything."""

    name, traits = "broken", STRATEGIES["backtracking"].traits

    def start(self, model, rng):
        run = STRATEGIES["greedy"]().start(model, rng)
        run.proves = _yes
        return run


def _yes():
    return True


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [(_ForgetsTheGreedy(), "first candidate"), (_ClaimsTooMuch(), "in the limit")],
)
def test_contracts_notice_broken_strategies(broken, sentence):
    with pytest.raises(AssertionError, match=sentence):
        check_strategy(broken, [Choices(6)])


def test_contracts_notice_a_broken_problem():
    class Wrong(Commuting):
        def bound(self, state, banned=frozenset()):
            return self.energy(state) + 1.0

    with pytest.raises(AssertionError, match="bound"):
        check_small_problem(Wrong())


def test_a_beam_of_given_width_proves_only_what_it_did_not_cut():
    assert dilemma.minimize(Choices(6), strategy=Beam(width=1000)).optimal
    narrow = dilemma.minimize(Choices(6), strategy=Beam(width=1))
    assert not narrow.optimal
    assert narrow.stop_reason is dilemma.StopReason.EXHAUSTED
