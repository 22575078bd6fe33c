"""What pictures and pages show, and that nothing a user's problem says can break a page."""

import math
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import dilemma
from dilemma.problems import JobShop
from dilemma.report.page import MOST_ACTIONS, MOST_ROWS, result_page
from dilemma.report.series import convergence, log_ticks, ticks, wants_log
from dilemma.report.svg import Line, chart, escape, legend
from dilemma.result import Result, Trace, TraceRow
from dilemma.stop import StopReason

EVIL = "</script><script>alert(1)</script><img src=x onerror='alert(2)'>\x00&\"'\ud800"
VOID = {"meta", "input", "br", "img"}


class Outline(HTMLParser):
    """Collects tags and attributes, and fails on tags that do not close."""

    def __init__(self):
        super().__init__()
        self.tags, self.open, self.attributes, self.text = [], [], [], ""

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def outline(page):
    parser = Outline()
    parser.feed(page)
    parser.close()
    assert parser.open == []
    return parser


def result(energies, *, names=None, actions=(1, 2), strategy="auto", bound=-math.inf, optimal=False):
    best, rows = math.inf, []
    for i, energy in enumerate(energies):
        best = min(best, energy)
        rows.append(TraceRow(i, 3 * (i + 1), 0.01 * (i + 1), energy, best))
    return Result(
        solution=(), actions=actions, energy=best, greedy_energy=energies[0] if energies else math.inf,
        bound=bound, optimal=optimal, stop_reason=StopReason.MAX_ITER, iterations=len(rows), nodes=3 * len(rows),
        distinct=len(rows), runtime=0.01 * len(rows), trace=Trace(rows), strategy=strategy, random_state=7,
        names=names,
    )  # fmt: skip


# -- series -----------------------------------------------------------------------------------------------


def test_the_staircase_has_a_step_for_each_improvement_and_reaches_the_end():
    data = convergence(result([9, 11, 7, 8, 7, 5, 6]), "iterations")
    assert data.step_x.tolist() == [1, 3, 6, 7]
    assert data.step_energy.tolist() == [9, 7, 5, 5]


@pytest.mark.parametrize(("axis", "last"), [("nodes", 21), ("seconds", 0.07), ("iterations", 7)])
def test_every_axis_is_offered(axis, last):
    assert convergence(result([9, 11, 7, 8, 7, 5, 6]), axis).step_x[-1] == pytest.approx(last)


def test_unknown_axes_are_refused():
    with pytest.raises(ValueError, match="iterations, nodes, seconds"):
        convergence(result([1]), "hours")


def test_infeasible_candidates_are_counted_not_drawn():
    data = convergence(result([math.inf, 5, math.inf, 4]))
    assert data.infeasible == 2
    assert np.isfinite(data.energy).all()
    assert data.step_energy.tolist() == [5, 4, 4]


def test_many_candidates_are_thinned_and_outliers_left_out():
    energies = [100 + i % 7 for i in range(5000)]
    energies[50] = 10**9
    data = convergence(result(energies), points=300)
    assert len(data.x) <= 300
    assert data.outside == 1
    assert data.high < 200


def test_nothing_feasible_is_an_empty_series():
    data = convergence(result([math.inf, math.inf]))
    assert len(data.step_x) == 0
    assert data.infeasible == 2


def test_ticks_are_round_and_inside():
    assert ticks(-3, 17) == [0.0, 5.0, 10.0, 15.0]
    assert ticks(2, 2) == [2]
    assert ticks(float("inf"), 1) == []
    assert log_ticks(1, 1e12) == [1.0, 1e2, 1e4, 1e6, 1e8, 1e10, 1e12]
    assert not wants_log(np.array([1.0, 29.0]))


# -- pages ------------------------------------------------------------------------------------------------


def test_a_page_is_well_formed_and_says_what_matters():
    run = dilemma.minimize(JobShop.random(6, 1), max_nodes=1500, random_state=3)
    page = result_page(run)
    seen = outline(page)
    assert f"{run.energy:.10g}" in seen.text
    assert f"{run.greedy_energy:.10g}" in seen.text
    assert run.stop_reason.advice in seen.text
    assert all(name in seen.text for name in run.names)
    assert seen.tags.count("svg") == 3  # candidates, decisions, seconds
    rows = run.trace.improvements()
    assert seen.tags.count("tr") == len(rows) + 1


def test_a_page_fetches_nothing_and_runs_nothing():
    seen = outline(result_page(result([5, 4], names=(EVIL, EVIL), strategy=EVIL), title=EVIL))
    assert not {"script", "link", "img", "iframe", "object", "base", "form"} & set(seen.tags)
    assert not [n for n, v in seen.attributes if n.startswith("on") or n in ("href", "src", "action")]
    assert [v for n, v in seen.attributes if n == "content" and "default-src" in v] == [
        "default-src 'none'; style-src 'unsafe-inline'"
    ]
    assert "url(" not in result_page(result([5]))
    assert "alert(1)" in seen.text  # shown as text, not dropped


def test_odd_names_can_be_written_to_a_file(tmp_path):
    path = result([5, 4], names=(EVIL, "ü"), strategy=EVIL).report(tmp_path / "run.html", title=EVIL)
    text = path.read_text(encoding="utf-8")
    assert "ü" in text
    assert "\x00" not in text
    assert outline(text).tags.count("li") >= 2


@pytest.mark.parametrize(
    "made",
    [
        result([math.inf, math.inf]),
        result([0.0]),
        result([-5.0, -5.0, -7.0]),
        result([3.0], bound=3.0, optimal=True),
        result([3.0, 2.0], bound=1.0),
        result([1e300, -1e300]),
        result([5.0], actions=()),
        result([]),
        result(list(range(500, 0, -1))),
    ],
)
def test_pages_of_unusual_results_are_well_formed(made):
    page = result_page(made)
    seen = outline(page)
    assert "nan" not in re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL).lower()
    assert made.stop_reason.advice in seen.text


def test_long_tables_and_solutions_are_cut_and_say_so():
    made = result(list(range(1000, 0, -1)), actions=tuple(range(MOST_ACTIONS + 5)))
    seen = outline(result_page(made))
    assert seen.tags.count("tr") == MOST_ROWS + 1
    assert "of 1,000" in seen.text
    assert "and 5 more" in seen.text


def test_a_comparison_page_shows_both_tables_and_three_charts(tmp_path):
    made = dilemma.compare(
        {EVIL: JobShop.random(5, 1), "b": JobShop.random(5, 2)}, {"greedy": "greedy", EVIL: "random_state"},
        max_nodes=200, seeds=2,
    )  # fmt: skip
    seen = outline(made.report(tmp_path / "c.html").read_text(encoding="utf-8"))
    assert seen.tags.count("svg") == 3
    assert seen.tags.count("table") == 2
    assert "script" not in seen.tags


# -- charts -----------------------------------------------------------------------------------------------


def test_chart_places_points_linearly_and_logarithmically():
    drawn = chart([Line("a", [1, 10, 100], [0, 1, 2])], x_label="x", y_label="y", label="l", log_x=True)
    points = [float(x) for x in re.findall(r"[ML]([\d.]+) ", re.search(r'd="([^"]+)"', drawn)[1])]
    assert points[1] - points[0] == pytest.approx(points[2] - points[1], abs=0.2)


def test_chart_of_nothing_says_so():
    assert "nothing to draw" in chart([Line("a", [], [])], x_label="x", y_label="y", label="l")


def test_texts_are_escaped():
    assert "<" not in escape(EVIL)
    assert "<script" not in legend([Line(EVIL, [1], [1])])
    assert "<script" not in chart([Line("a", [1], [1], notes=[EVIL])], x_label=EVIL, y_label=EVIL, label=EVIL)


# -- pictures ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_plots_are_saved_in_the_format_of_the_suffix(tmp_path, suffix):
    pytest.importorskip("matplotlib")
    path = tmp_path / f"run{suffix}"
    figure = result([9, 7, math.inf, 5], bound=4.0).plot(path, axis="nodes")
    assert path.stat().st_size > 1000
    assert figure.axes[0].get_xlabel() == "decisions"
    assert figure.axes[0].lines[1].get_ydata().tolist() == [9, 7, 5, 5]


def test_plots_go_into_given_axes():
    figures = pytest.importorskip("matplotlib.figure")
    figure = figures.Figure()
    ax = figure.subplots()
    assert result([9, 7]).plot(ax=ax) is figure


def test_plots_of_unusual_results_are_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    for i, made in enumerate((result([math.inf]), result([5.0]), result([3.0], bound=3.0), result([]))):
        made.plot(tmp_path / f"{i}.png")


def test_a_comparison_is_drawn_in_three_parts(tmp_path):
    pytest.importorskip("matplotlib")
    made = dilemma.compare(JobShop.random(5, 1), ["greedy", "random_state"], max_nodes=200, seeds=2)
    figure = made.plot(tmp_path / "c.png")
    assert [ax.get_title(loc="left") for ax in figure.axes] == [
        "Anytime",
        "Performance profile",
        "Final gaps",
    ]
    assert all(len(ax.lines) == 2 for ax in figure.axes)
