"""The native backend: the checks that C++ leaves to Python, and plans back from flat lists."""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

from dilemma.tree.engine_grown import MULTIWAY, Cut, Plan

if TYPE_CHECKING:
    from dilemma.tree.engine import Data, Settings

KERNELS = ("auto", "python", "native", "avx512", "avx512bw", "avx2", "baseline")
DEPTH_LIMIT = 255  # of the native engine; deeper trees than this are no deeper in practice
MOST_THREADS = 256
MOST = 2**62  # of iterations, bytes: as good as no limit


def module() -> Any:
    """The extension module, or None where it was not built."""
    try:
        return importlib.import_module("dilemma.native._tree")
    except ImportError:
        return None


def wanted_kernel() -> str:
    """The kernel to use: "python", or what to ask the extension for.

    Raises
    ------
    ValueError
        `DILEMMA_KERNEL` names no kernel.
    RuntimeError
        The one it names is not available here.
    """
    wanted = os.environ.get("DILEMMA_KERNEL", "auto")
    if wanted not in KERNELS:
        raise ValueError(f"DILEMMA_KERNEL must be one of {', '.join(KERNELS)}, got {wanted!r}")
    native = module()
    if wanted == "python" or (native is None and wanted == "auto"):
        return "python"
    if native is None:
        raise RuntimeError(
            f"DILEMMA_KERNEL={wanted}: the native module was not built; reinstall with a compiler"
        )
    names = native.kernels()
    full = {"auto": names[0], "native": names[0], "avx512": "avx512-bitalg"}.get(wanted, wanted)
    if full not in names:
        raise RuntimeError(f"DILEMMA_KERNEL={wanted}: this machine can run {', '.join(names)} only")
    return str(full)


class NativeSearch:
    """The C++ engine behind `dilemma.tree.engine.TreeSearch`."""

    def __init__(self, data: Data, settings: Settings, validation: Data | None, kernel: str) -> None:
        native = module()
        judge = validation if settings.energy == "validation" else None
        options = {
            "max_depth": min(int(settings.max_depth), DEPTH_LIMIT),
            "criterion": settings.criterion,
            "leaf_penalty": float(settings.leaf_penalty),
            "min_samples_leaf": min(int(settings.min_samples_leaf), 2**31),
            "min_samples_split": min(int(settings.min_samples_split), 2**31),
            "min_entropy": float(settings.min_entropy),
            "categorical_splits": settings.categorical_splits,
            "search": settings.search,
            "validation": judge is not None,
            "memory_limit": min(int(settings.memory_limit or 0), MOST),
            "n_threads": min(int(settings.n_threads), MOST_THREADS),
            "random_state": int(settings.random_state) % 2**64,
            "kernel": kernel,
        }
        self.engine = native.make_engine(
            _table(native, data),
            None if judge is None else _table(native, judge),
            options,
            settings.cost_matrix,
        )

    def run(self, seconds: float, max_iter: int, until_improved: bool) -> str:
        """Go on; why it stopped."""
        return str(self.engine.run(seconds, min(max_iter, MOST), until_improved))

    def plan(self) -> Plan:
        """The best tree so far."""
        rows = iter(self.engine.plan())

        def below() -> Plan:
            feature, kind, threshold, mask, missing_left, children = next(rows)
            if kind == 0:
                return Plan()
            bits = int.from_bytes(mask, "little") if isinstance(mask, bytes) else 0
            cut = Cut(feature, kind, threshold, bits, missing_left)
            if children >= 0:
                return Plan(cut, tuple(below() for _ in range(children)))
            return Plan(cut, () if kind == MULTIWAY else (Plan(), Plan()))

        return below()

    @property
    def energy(self) -> float:
        """Energy of the best tree so far."""
        return float(self.engine.energy)

    @property
    def bound(self) -> float:
        """No tree of the space has a lower energy."""
        return float(self.engine.bound)

    @property
    def optimal(self) -> bool:
        """Whether the bound has met the energy."""
        return bool(self.engine.optimal)

    @property
    def iterations(self) -> int:
        """Alternatives tried."""
        return int(self.engine.iterations)

    @property
    def nodes(self) -> int:
        """Row sets evaluated."""
        return int(self.engine.nodes)

    @property
    def bytes(self) -> int:
        """Memory held, the input arrays aside."""
        return int(self.engine.bytes)

    @property
    def space(self) -> str:
        """How rows are held: "bits" or "histograms"."""
        return str(self.engine.space)


def _table(native: Any, data: Data) -> Any:
    classes, values = (data.target, None) if data.n_classes else (None, data.target)
    return native.Table(
        data.codes, data.n_codes, data.categorical, classes, values, data.n_classes, data.weights
    )
