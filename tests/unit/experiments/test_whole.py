"""A run that Ctrl-C cut short is not kept as if it were whole."""

import pytest

from dilemma.experiments.figure2 import TwoMachines
from dilemma.experiments.whole import minimize, run_tree
from dilemma.stop import StopReason


class Impatient(TwoMachines):
    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def energy(self, state) -> float:
        self.asked += 1
        if self.asked == 3:
            raise KeyboardInterrupt
        return super().energy(state)


def test_ctrl_c_goes_through_where_the_search_itself_returns_its_best() -> None:
    from dilemma.search import minimize as stoppable

    assert stoppable(Impatient()).stop_reason is StopReason.INTERRUPTED
    with pytest.raises(KeyboardInterrupt):
        minimize(Impatient())
    assert minimize(TwoMachines(), max_iter=2).iterations == 2


def test_ctrl_c_goes_through_a_tree_search() -> None:
    class Search:
        stop_reason = ""

        def run(self, *, max_iter: int) -> None:
            self.stop_reason = "interrupt" if max_iter else "max_iter"

    run_tree(Search(), max_iter=0)
    with pytest.raises(KeyboardInterrupt):
        run_tree(Search(), max_iter=1)
