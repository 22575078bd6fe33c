"""User objects as plain JSON data and back, without running anything on the way in.

Numbers, strings, lists and string-keyed dicts are themselves; what JSON has no form for is a one-key object
whose key starts with ``$``. Anything else is kept as its ``repr`` only.
"""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from dilemma.errors import FormatError


@dataclasses.dataclass(frozen=True)
class Opaque:
    """An object that JSON could not hold: what remains is how it printed."""

    text: str


def encode(value: Any) -> Any:
    """Return `value` as data `json.dumps` takes with ``allow_nan=False``.

    >>> encode((1, float("inf")))
    {'$tuple': [1, {'$float': 'inf'}]}
    """
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return number if math.isfinite(number) else {"$float": repr(number)}
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, list):
        return [encode(v) for v in value]
    if isinstance(value, tuple):
        return {"$tuple": [encode(v) for v in value]}
    if isinstance(value, (set, frozenset)):
        kind = "$set" if isinstance(value, set) else "$frozenset"
        return {kind: [encode(v) for v in sorted(value, key=repr)]}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return {"$array": [encode(v) for v in value.ravel().tolist()],
                "shape": list(value.shape), "dtype": value.dtype.str}  # fmt: skip
    if isinstance(value, dict):
        if all(isinstance(k, str) and not k.startswith("$") for k in value):
            return {k: encode(v) for k, v in value.items()}
        return {"$dict": [[encode(k), encode(v)] for k, v in value.items()]}
    if isinstance(value, Opaque):
        return {"$repr": value.text}
    return {"$repr": repr(value)}


def decode(data: Any) -> Any:
    """Return the value `encode` was given.

    >>> decode(encode(({1, 2}, [None])))
    ({1, 2}, [None])
    """
    if isinstance(data, list):
        return [decode(v) for v in data]
    if not isinstance(data, dict):
        return data
    tag = next((k for k in data if k.startswith("$")), None)
    if tag is None:
        return {k: decode(v) for k, v in data.items()}
    body = data[tag]
    if tag == "$float":
        return float(body)
    if tag == "$repr":
        return Opaque(str(body))
    if tag == "$array":
        return _array(data)
    if not isinstance(body, list):
        raise FormatError(f"{tag}: expected a list, got {type(body).__name__}")
    items = [decode(v) for v in body]
    if tag == "$tuple":
        return tuple(items)
    if tag == "$set":
        return set(items)
    if tag == "$frozenset":
        return frozenset(items)
    if tag == "$dict":
        return {k: v for k, v in items}
    raise FormatError(f"expected a known kind of value, got {tag!r}")


def read_document(source: str | Path, kind: str) -> Any:
    """Return the JSON data in `source`: the path of a file, or the text itself where that opens a bracket.

    Raises
    ------
    FormatError
        It is neither; `kind` names what was expected.
    """
    if isinstance(source, str) and source.lstrip()[:1] in ("{", "["):
        text = source
    elif isinstance(source, (str, Path)):
        try:
            text = Path(source).read_text(encoding="utf-8")
        except ValueError as error:  # not UTF-8, or no path at all
            raise FormatError(f"{kind}: expected JSON, got something else ({error})") from None
        except OSError as error:
            shown = str(source)[:80]
            raise FormatError(f"{kind}: expected JSON or the path of a JSON file, got {shown!r} "
                              f"({error.strerror})") from None  # fmt: skip
    else:
        raise TypeError(f"{kind}: expected a path or JSON text, got {type(source).__name__}")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{kind}: expected JSON, got something else ({error})") from None


def _array(data: dict[str, Any]) -> np.ndarray:
    try:
        dtype = np.dtype(str(data["dtype"]))
        if dtype.kind not in "biuf":
            raise FormatError(f"$array: expected a numeric dtype, got {data['dtype']!r}")
        return np.array([decode(v) for v in data["$array"]], dtype=dtype).reshape(data["shape"])
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"$array: malformed ({error})") from None
