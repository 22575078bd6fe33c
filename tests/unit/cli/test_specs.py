"""Problems by a short text."""

import pytest

from dilemma import problems
from dilemma.cli.specs import gallery, problem_of


@pytest.mark.parametrize("name", list(gallery()))
def test_every_problem_of_the_gallery_can_be_drawn(name):
    shown, problem = problem_of(f"{name}:random(n=6, seed=1)")
    assert isinstance(problem, gallery()[name])
    assert shown == f"{name}:random(n=6, seed=1)"


@pytest.mark.parametrize("name", ["set_cover", "SetCover", "set-cover", "setcover"])
def test_names_are_taken_in_any_usual_spelling(name):
    assert isinstance(problem_of(f"{name}:random(n=5)")[1], problems.SetCover)


def test_a_file_is_loaded_and_called_after_itself(tmp_path):
    file = tmp_path / "small(1).txt"
    file.write_text("3\n10\n6\n5\n4\n")
    name, problem = problem_of(f"bin_packing:{file}")
    assert (name, problem.n) == ("small(1).txt", 3)
    name, problem = problem_of(f"bin_packing:{file}(rule='first')")
    assert (name, problem.rule) == ("small(1).txt(rule='first')", "first")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("chess:random(n=3)", "one of .*tsp"),
        ("tsp", "NAME:FILE"),
        ("tsp:", "NAME:FILE"),
        ("", "NAME:FILE"),
        ("tsp:nowhere.tsp", "cannot read"),
        ("tsp:random(30)", "name=value"),
        ("tsp:random(n=open('x'))", "name=value|cannot read"),
        ("tsp:random(n=__import__)", "name=value"),
        ("tsp:random(**x)", "name=value"),
        ("tsp:random(n=3, m=4)", "unexpected keyword"),
        ("tsp:random(n=-3)", "n: expected"),
        ("tsp:random(n=", "cannot read"),
    ],
)
def test_mistakes_are_explained(spec, message):
    with pytest.raises(ValueError, match=message):
        problem_of(spec)
