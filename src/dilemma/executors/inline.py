"""Growing rollouts in this process, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterator, Sequence

from dilemma.problem import Model
from dilemma.rollout import Proposal, Rollout, grow


class Inline:
    """The executor of ``n_jobs=1``.

    Parameters
    ----------
    model : Model
        The problem.
    """

    def __init__(self, model: Model) -> None:
        self.model = model

    def run(
        self,
        proposals: Sequence[Proposal],
        *,
        seen: Container[Hashable] = (),
        out_of_time: Callable[[], bool] | None = None,
    ) -> Iterator[Rollout]:
        """Yield the rollouts of the proposals, in order, each grown when it is asked for."""
        for proposal in proposals:
            yield grow(self.model, proposal, seen=seen, out_of_time=out_of_time)

    def close(self) -> None:
        """Nothing to let go of."""
