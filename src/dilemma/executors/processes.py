"""Growing rollouts in other processes: the problem is sent once, proposals and rollouts travel in chunks."""

from __future__ import annotations

import os
import pickle
import signal
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Container, Hashable, Iterator, Sequence
from concurrent import futures
from concurrent.futures import BrokenExecutor, Future
from typing import Any, Protocol

from dilemma.errors import ProblemError, WorkerError
from dilemma.executors.inline import Inline
from dilemma.problem import Model
from dilemma.rollout import Proposal, Rollout, grow
from dilemma.stop import checked_count

ATTEMPTS = 3  # a batch is grown anew this often when workers die
_MODELS: OrderedDict[str, Model] = OrderedDict()  # of this worker, most recently used last
_MODELS_KEPT = 8


class Runner(Protocol):
    """What the search loop needs of an executor."""

    def run(
        self,
        proposals: Sequence[Proposal],
        *,
        seen: Container[Hashable] = (),
        out_of_time: Callable[[], bool] | None = None,
    ) -> Iterator[Rollout]:
        """Yield the rollouts of the proposals, in order."""

    def close(self) -> None:
        """Let go of workers."""


def _start_worker(token: str, payload: bytes) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    _MODELS[token] = pickle.loads(payload)


def _grow_chunk(token: str, payload: bytes | None, proposals: list[Proposal]) -> list[Rollout]:
    model = _MODELS.get(token)
    if model is None:
        if payload is None:
            raise WorkerError("a worker was started without the problem")
        model = _MODELS[token] = pickle.loads(payload)
        while len(_MODELS) > _MODELS_KEPT:
            _MODELS.popitem(last=False)
    return [grow(model, proposal) for proposal in proposals]


class Futures:
    """Grow through anything with ``submit(fn, *args) -> Future``, such as an executor of Dask or loky.

    Parameters
    ----------
    model : Model
        The problem; it must pickle.
    executor : object
        With a method ``submit`` like `concurrent.futures.Executor`. It is not shut down.
    width : int
        Over how many workers to spread a batch.
    """

    def __init__(self, model: Model, executor: Any, *, width: int) -> None:
        self._token = uuid.uuid4().hex
        self._payload = _pickled(model)
        self._executor = executor
        self._width = width

    def _send(self, chunk: list[Proposal]) -> Future[list[Rollout]]:
        future: Future[list[Rollout]] = self._executor.submit(_grow_chunk, self._token, self._payload, chunk)
        return future

    def _replace(self) -> None:
        raise WorkerError("the executor given broke down; give a working one, or use n_jobs")

    def run(
        self,
        proposals: Sequence[Proposal],
        *,
        seen: Container[Hashable] = (),
        out_of_time: Callable[[], bool] | None = None,
    ) -> Iterator[Rollout]:
        """Yield the rollouts of the proposals, in order."""
        size = max(1, -(-len(proposals) // (2 * self._width)))
        chunks = [list(proposals[i : i + size]) for i in range(0, len(proposals), size)]
        sent: list[Future[list[Rollout]] | None] = [None] * len(chunks)
        try:
            for i, chunk in enumerate(chunks):
                for attempt in range(1, ATTEMPTS + 1):
                    try:
                        for j in range(i, len(chunks)):
                            sent[j] = sent[j] or self._send(chunks[j])
                        grown = _wait(sent[i], out_of_time)
                        break
                    except BrokenExecutor:
                        if attempt == ATTEMPTS:
                            raise WorkerError(
                                f"worker processes died {ATTEMPTS} times on the same proposals "
                                f"(first prefix: {chunk[0].prefix[:5]}...); try n_jobs=1 to see why"
                            ) from None
                        self._replace()
                        sent[i:] = [None] * (len(chunks) - i)
                if grown is None:
                    return
                yield from grown
        finally:
            for future in sent:
                if future is not None:
                    future.cancel()

    def close(self) -> None:
        """The executor belongs to the caller."""


class Processes(Futures):
    """The executor of ``n_jobs > 1``: a pool of our own, rebuilt when a worker dies.

    Parameters
    ----------
    model : Model
        The problem; it must pickle, and its module must be importable.
    workers : int
        How many processes.
    """

    def __init__(self, model: Model, workers: int) -> None:
        super().__init__(model, None, width=workers)
        self._pool: futures.ProcessPoolExecutor | None = None

    def _send(self, chunk: list[Proposal]) -> Future[list[Rollout]]:
        if self._pool is None:
            self._pool = futures.ProcessPoolExecutor(
                self._width, initializer=_start_worker, initargs=(self._token, self._payload)
            )
        return self._pool.submit(_grow_chunk, self._token, None, chunk)

    def _replace(self) -> None:
        self.close()

    def close(self) -> None:
        """Stop the workers; a rollout under way is not waited for."""
        if self._pool is not None:
            processes = list((getattr(self._pool, "_processes", None) or {}).values())
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None
            for process in processes:
                process.terminate()


def _wait(
    future: Future[list[Rollout]] | None, out_of_time: Callable[[], bool] | None
) -> list[Rollout] | None:
    """Return what a future holds, or None when time runs out first."""
    if future is None:  # pragma: no cover - every future up to this one was sent
        raise WorkerError("a chunk was not sent")
    if out_of_time is None:
        return future.result()
    pause = 0.0005
    while not future.done():
        if out_of_time():
            return None
        time.sleep(pause)
        pause = min(0.02, pause * 1.5)
    return future.result()


def _pickled(model: Model) -> bytes:
    try:
        return pickle.dumps(model)
    except Exception as error:
        raise ProblemError(
            f"problem: expected an object that pickles, to send it to workers; got {type(error).__name__}: "
            f"{error}. Define its class at the top level of a module and keep open files, locks and lambdas "
            f"out of it, or use n_jobs=1"
        ) from None


def executor_for(model: Model, n_jobs: object, executor: Any) -> Runner:
    """Return what the user asked for with ``n_jobs`` and ``executor``."""
    if n_jobs is None:
        n_jobs = 1
    if isinstance(n_jobs, int) and not isinstance(n_jobs, bool) and n_jobs < 0:
        n_jobs = max(1, (os.cpu_count() or 1) + 1 + n_jobs)  # -1: all cores, as in scikit-learn
    workers = checked_count("n_jobs", n_jobs)
    if executor is not None:
        if not callable(getattr(executor, "submit", None)):
            raise TypeError(
                f"executor: expected an object with submit(fn, *args), got {type(executor).__name__}"
            )
        width = workers if workers > 1 else int(getattr(executor, "_max_workers", os.cpu_count() or 1))
        return Futures(model, executor, width=width)
    return Inline(model) if workers == 1 else Processes(model, workers)
