"""One writer a format: what they write, the readers read back equal."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .instance import Instance, Number


def _text(x: Number) -> str:
    if isinstance(x, Fraction):
        if x.denominator == 1:
            return str(x.numerator)
        raise ValueError(f"write: expected numbers with finitely many decimals (got the fraction {x})")
    return repr(x) if isinstance(x, float) else str(x)


def _pairs(instance: Instance) -> Iterator[tuple[str, str]]:
    for v, w in zip(instance.values.tolist(), instance.weights.tolist(), strict=True):
        yield _text(v), _text(w)


def write_kp(instance: Instance) -> str:
    """``n capacity``, then ``profit weight`` per item."""
    lines = [f"{instance.n} {_text(instance.capacity)}", *(f"{v} {w}" for v, w in _pairs(instance))]
    return "\n".join(lines) + "\n"


def write_pisinger(instance: Instance) -> str:
    """Pisinger's csv layout, not solved: z, time and the chosen column are 0."""
    items = (f"{i},{v},{w},0" for i, (v, w) in enumerate(_pairs(instance), start=1))
    head = [f"knapPI_0_{instance.n}", f"n {instance.n}", f"c {_text(instance.capacity)}", "z 0", "time 0.00"]
    return "\n".join([*head, *items, "-----"]) + "\n"


def write_csv(instance: Instance) -> str:
    """The capacity in a comment, a header, one item a line."""
    head = [f"# capacity: {_text(instance.capacity)}", "value,weight"]
    return "\n".join([*head, *(f"{v},{w}" for v, w in _pairs(instance))]) + "\n"


def write_json(instance: Instance) -> str:
    """An object; numbers are written digit by digit, so Decimals stay exact."""
    pairs = list(_pairs(instance))
    values, weights = ", ".join(v for v, _ in pairs), ", ".join(w for _, w in pairs)
    text = f'{{"capacity": {_text(instance.capacity)},\n "values": [{values}],\n "weights": [{weights}]}}\n'
    json.loads(
        text, parse_float=Decimal
    )  # Decimal's "1E+3" and the like are JSON as well; nothing else may slip in
    return text


WRITERS: dict[str, Callable[[Instance], str]] = {
    "kp": write_kp,
    "pisinger": write_pisinger,
    "csv": write_csv,
    "json": write_json,
}
