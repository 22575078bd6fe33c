"""Running comparisons, what they conclude, and what they refuse."""

import json
import os
import signal
import sys
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest

import dilemma
from dilemma.compare.analysis import energies
from dilemma.compare.run import _schedule
from dilemma.errors import FormatError
from dilemma.problems import JobShop, SetCover
from dilemma.strategies import DilemmaFirst, RandomState
from dilemma.testing import plain_greedy

SHOPS = {"six": JobShop.random(6, 1), "five": JobShop.random(5, 2), "seven": JobShop.random(7, 5)}
NAMES = ["dilemma_first", "random_state", "greedy"]


@pytest.fixture(scope="module")
def comparison():
    return dilemma.compare(SHOPS, NAMES, max_nodes=600, seeds=3)


class Broken(JobShop):
    """Fails once the greedy is done."""

    calls = 0

    def energy(self, state):
        self.calls += 1
        if self.calls > 1:
            raise RuntimeError("out of paint")
        return super().energy(state)


def test_every_strategy_meets_every_problem_and_seed(comparison):
    assert len(comparison) == 3 * 3 * 3
    assert len(comparison.blocks) == 9
    assert {(r["problem"], r["strategy"], r["seed"]) for r in comparison.rows} == set(
        (p, s, seed) for p in SHOPS for s in NAMES for seed in range(3)
    )


def test_runs_equal_minimize_with_the_same_arguments(comparison):
    outcome = comparison.runs["six", 2, "random_state"]
    alone = dilemma.minimize(SHOPS["six"], strategy="random_state", max_nodes=600, random_state=2)
    assert (outcome.energy, outcome.nodes, outcome.iterations) == (
        alone.energy,
        alone.nodes,
        alone.iterations,
    )
    assert outcome.greedy_energy == plain_greedy(SHOPS["six"])[1]
    assert outcome.curve.energy[-1] == alone.energy


def test_strategies_that_draw_nothing_run_once_and_count_for_all_seeds(comparison):
    copies = [o for o in comparison if o.repeated]
    assert {o.strategy for o in copies} == {"dilemma_first", "greedy"}
    assert len(copies) == 2 * 3 * 2
    assert {o.energy for o in comparison if (o.problem, o.strategy) == ("six", "greedy")} == {
        comparison.runs["six", 0, "greedy"].energy
    }


def test_under_a_time_limit_every_seed_is_run():
    made = dilemma.compare(SHOPS["five"], ["greedy"], time_limit=5.0, seeds=3)
    assert [o.repeated for o in made] == [False] * 3
    assert made.axis == "seconds"


def test_turns_rotate():
    cells = _schedule(["p", "q"], ["a", "b", "c"], [0, 1], once=set())
    assert ["".join(s for p, s, seed in cells if (p, seed) == block) for block in
            (("p", 0), ("p", 1), ("q", 0), ("q", 1))] == ["abc", "bca", "cab", "abc"]  # fmt: skip


def test_any_number_of_workers_gives_the_same_answer(comparison):
    parallel = dilemma.compare(SHOPS, NAMES, max_nodes=600, seeds=3, n_jobs=2)
    assert [(o.problem, o.strategy, o.seed, o.energy, o.nodes) for o in parallel] == [
        (o.problem, o.strategy, o.seed, o.energy, o.nodes) for o in comparison
    ]


def test_summary_agrees_with_the_rows(comparison):
    rows = comparison.rows
    for line in comparison.summary():
        mine = [r for r in rows if r["strategy"] == line.strategy]
        assert line.mean_gap == pytest.approx(np.mean([r["gap"] for r in mine]))
        assert line.worst_gap == max(r["gap"] for r in mine)
        assert line.primal_integral == pytest.approx(np.mean([r["primal_integral"] for r in mine]))
    assert sum(line.rank for line in comparison.summary()) == pytest.approx(1 + 2 + 3)
    assert [line.versus is None for line in comparison.summary()] == [True, False, False]


def test_gaps_are_to_the_best_found_unless_a_better_is_known(comparison):
    assert min(r["gap"] for r in comparison.rows) == 0
    known = dilemma.compare(SHOPS["six"], ["greedy"], max_nodes=60, best_known=100.0)
    row = known.rows[0]
    assert row["gap"] == pytest.approx((row["energy"] - 100) / 100)
    assert "best known" in known.table()


def test_a_best_known_that_is_beaten_is_pointed_out():
    made = dilemma.compare(SHOPS["six"], ["greedy"], max_nodes=60, best_known={"JobShop": 1e6})
    assert "check those values" in made.table()


def test_wins_are_counted_over_problems_not_over_seeds(comparison):
    versus = comparison.versus("random_state", "greedy")
    assert (versus.unit, versus.pairs) == ("problem", 3)
    assert versus.losses == 0  # its first candidate is the greedy
    assert comparison.versus("random_state", "greedy", unit="run").pairs == 9
    assert comparison.versus("greedy", "random_state").wins == versus.losses
    assert "3 problems" in str(versus)


def test_copies_of_one_run_are_no_further_evidence(comparison):
    assert comparison.versus("dilemma_first", "greedy", unit="run").pairs == 3


def test_with_one_problem_seeds_are_the_pairs():
    made = dilemma.compare(SHOPS["six"], ["greedy", "random_state"], max_nodes=400, seeds=4)
    assert (made.versus("random_state").unit, made.versus("random_state").pairs) == ("run", 4)


def test_sign_test_is_a_choice(comparison):
    assert comparison.versus("random_state", "greedy", test="sign").test == "sign"
    with pytest.raises(ValueError, match="wilcoxon, sign"):
        comparison.versus("greedy", test="t")
    with pytest.raises(ValueError, match="'problem' or 'run'"):
        comparison.versus("greedy", unit="seed")
    with pytest.raises(ValueError, match="dilemma_first"):
        comparison.versus("nobody")


def test_energies_that_differ_by_rounding_rank_the_same(comparison):
    outcome = comparison.outcomes[0]
    runs = [replace(outcome, energy=e) for e in (0.3, 0.1 + 0.2, 0.7)]
    values = energies(runs)
    assert values[0] == values[1] < values[2]


def test_profiles_and_curves_are_consistent_with_the_runs(comparison):
    profile = comparison.performance_profile(within=10.0)  # the greedy is always good enough for that
    assert all(profile.share(name, 1.0) == 1.0 for name in NAMES)
    never = comparison.performance_profile(within=0.0)
    assert max(never.share(name, 1e9) for name in NAMES) <= 1.0
    assert comparison.gap_profile().share("greedy", 1e9) == 1.0
    curves = comparison.curves(points=50)
    assert len(curves["nodes"]) == len(curves["greedy"]) == 50
    assert all(b <= a for a, b in zip(curves["random_state"], curves["random_state"][1:], strict=False))
    with pytest.raises(ValueError, match="at least 2"):
        comparison.curves(points=1)
    with pytest.raises(ValueError, match="seconds, nodes, iterations"):
        comparison.curves(axis="hours")
    with pytest.raises(ValueError, match="within"):
        comparison.performance_profile(within=-1)


def test_json_brings_everything_back(comparison, tmp_path):
    text = comparison.to_json(tmp_path / "c.json")
    back = dilemma.Comparison.from_json(tmp_path / "c.json")
    assert back.to_json() == text
    assert back.outcomes == comparison.outcomes
    assert back.table() == comparison.table()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(schema="x"), "other JSON"),
        (lambda d: d.update(version=99), "version"),
        (lambda d: d.pop("seeds"), "malformed"),
        (lambda d: d.update(outcomes=[{}]), "malformed"),
        (lambda d: d.update(outcomes=7), "malformed"),
        (lambda d: d.update(budget={"max_iter": "many"}), "malformed"),
        (lambda d: d.update(problems=["six"]), "does not list"),
        (lambda d: d.update(baseline="nobody"), "does not list"),
        (lambda d: d["outcomes"][0]["curve"].update(nodes=[1, 2, 3, 4, 5, 6, 7, 8, 9]), "malformed"),
    ],
)
def test_malformed_files_are_refused(comparison, change, message):
    data = json.loads(comparison.to_json())
    change(data)
    with pytest.raises(FormatError, match=message):
        dilemma.Comparison.from_dict(data)


def test_text_that_is_not_json_is_refused():
    with pytest.raises(FormatError, match="expected JSON"):
        dilemma.Comparison.from_json("{")


def test_tables_name_every_strategy_and_problem(comparison):
    text, markdown, problems = (
        comparison.table(),
        comparison.table(markdown=True),
        comparison.table("problem"),
    )
    assert str(comparison) == text
    assert all(name in text and name in markdown and name in problems for name in NAMES)
    assert all(name in problems for name in SHOPS)
    assert "| strategy |" in markdown
    with pytest.raises(ValueError, match="'strategy' or 'problem'"):
        comparison.table("seed")


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_to_frame_makes_one_row_a_run(comparison, kind):
    pytest.importorskip(kind)
    frame = comparison.to_frame(kind)
    assert len(frame) == len(comparison)
    assert "primal_integral" in list(frame.columns)


def test_to_frame_says_what_is_missing(comparison, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ImportError, match="pandas or polars, which is not installed"):
        comparison.to_frame()
    with pytest.raises(ValueError, match="'pandas' or 'polars'"):
        comparison.to_frame("excel")


# -- mistakes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({}, ValueError, "budget"),
        ({"max_nodes": 0}, ValueError, "max_nodes"),
        ({"max_iter": 2.5}, TypeError, "max_iter"),
        ({"time_limit": -1}, ValueError, "time_limit"),
        ({"time_limit": 0}, ValueError, "time_limit"),
        ({"time_limit": float("inf")}, ValueError, "time_limit"),
        ({"max_nodes": 9, "strategies": ["gready"]}, ValueError, "gready"),
        ({"max_nodes": 9, "strategies": []}, ValueError, "at least one"),
        ({"max_nodes": 9, "strategies": ["greedy", "greedy"]}, ValueError, "greedy more than once"),
        ({"max_nodes": 9, "strategies": [DilemmaFirst]}, TypeError, "call it"),
        ({"max_nodes": 9, "problems": []}, ValueError, "at least one"),
        ({"max_nodes": 9, "problems": {"x": 3}}, TypeError, "problems\\['x'\\]"),
        ({"max_nodes": 9, "problems": {1: SHOPS["six"], "1": SHOPS["six"]}}, ValueError, "different names"),
        ({"max_nodes": 9, "seeds": 0}, ValueError, "seeds"),
        ({"max_nodes": 9, "seeds": []}, ValueError, "seeds"),
        ({"max_nodes": 9, "seeds": [1, 1]}, ValueError, "different"),
        ({"max_nodes": 9, "seeds": "3"}, TypeError, "seeds"),
        ({"max_nodes": 9, "seeds": [0.5]}, TypeError, "seeds"),
        ({"max_nodes": 9, "baseline": "x"}, ValueError, "baseline"),
        ({"max_nodes": 9, "best_known": {"x": 1}}, ValueError, "best_known"),
        ({"max_nodes": 9, "best_known": [1, 2]}, ValueError, "expected 1 energies, got 2"),
        ({"max_nodes": 9, "best_known": float("nan")}, ValueError, "best_known"),
        ({"max_nodes": 9, "best_known": float("inf")}, ValueError, "finite"),
        ({"max_nodes": 9, "best_known": "5"}, TypeError, "best_known"),
        ({"max_nodes": 9, "n_jobs": 0}, ValueError, "n_jobs"),
        ({"max_nodes": 9, "on_error": "ignore"}, ValueError, "on_error"),
    ],
)
def test_mistakes_are_named_before_anything_runs(arguments, error, message):
    given = {"problems": SHOPS["six"], "strategies": ["greedy"], **arguments}
    with pytest.raises(error, match=message):
        dilemma.compare(**given)


def test_configured_strategies_need_names_of_their_own():
    made = dilemma.compare(
        SHOPS["five"],
        {"a": RandomState(), "b": "random_state", "c": "greedy"},
        max_nodes=200,
        seeds=[3],
        baseline="c",
    )
    assert made.strategies == ("a", "b", "c")
    assert made.runs["JobShop", 3, "a"].energy == made.runs["JobShop", 3, "b"].energy
    assert made.baseline == "c"


def test_problems_of_one_class_are_numbered():
    made = dilemma.compare(
        [SHOPS["five"], SetCover([1], 1, [[0]]), SHOPS["six"]], "greedy", max_nodes=99, seeds=1
    )
    assert made.problems == ("JobShop 1", "SetCover", "JobShop 2")


def test_all_means_every_strategy_that_can_run():
    made = dilemma.compare({"tiny": SetCover([3, 1, 1], 3, [[0, 1, 2], [0, 1], [2]])}, max_nodes=50, seeds=1)
    assert set(made.strategies) <= set(dilemma.strategies.names())
    assert {"auto", "greedy", "dilemma_first"} <= set(made.strategies)


def test_a_failing_run_says_where(capsys):
    with pytest.raises(RuntimeError, match="out of paint") as caught:
        dilemma.compare({"wall": Broken.random(4, 1)}, ["dilemma_first"], max_nodes=400, seeds=1)
    assert "strategy 'dilemma_first' on problem 'wall', seed 0" in str(caught.value.__notes__)


def test_failing_runs_can_be_recorded_instead():
    made = dilemma.compare(
        {"wall": Broken.random(4, 1)}, ["greedy", "dilemma_first"], max_nodes=400, seeds=1, on_error="record"
    )
    failed = made.runs["wall", 0, "dilemma_first"]
    assert failed.energy == float("inf")
    assert failed.error == "RuntimeError: out of paint"
    assert made.summary()[1].failed == 1
    assert "failed" in made.table()
    assert dilemma.Comparison.from_json(made.to_json()).outcomes == made.outcomes


def test_verbose_prints_a_line_a_run(capsys):
    dilemma.compare(SHOPS["five"], ["greedy", "random_state"], max_nodes=60, seeds=2, verbose=1)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 3  # the greedy once, random_state twice


@pytest.mark.parametrize("moment", ["start", "ask"])
def test_ctrl_c_returns_what_was_done(moment):
    """The signal comes while a run begins, or during it: that run is left out, those before it are kept."""

    class Interrupting(RandomState):
        starts: ClassVar = []

        def start(self, model, rng):
            run = super().start(model, rng)
            self.starts.append(run)
            if len(self.starts) > 1:  # the first is the check before all runs
                if moment == "start":
                    os.kill(os.getpid(), signal.SIGINT)
                else:
                    run.ask = lambda count: os.kill(os.getpid(), signal.SIGINT)
            return run

    made = dilemma.compare(
        SHOPS["five"], {"a": "greedy", "b": Interrupting(), "c": "greedy"}, max_nodes=50, seeds=1
    )
    assert made.interrupted
    assert [o.strategy for o in made] == ["a"]
    assert made.blocks == []
    assert "interrupted" in made.table()
    assert made.curves()["a"] == []


def test_unpicklable_problems_are_refused_with_a_remedy():
    class Local(JobShop):
        pass

    with pytest.raises(dilemma.ProblemError, match="n_jobs=1"):
        dilemma.compare(Local.random(3, 1), ["greedy"], max_nodes=9, seeds=1, n_jobs=2)
