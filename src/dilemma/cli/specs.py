"""Problems of the gallery by a short text: ``tsp:berlin52.tsp`` or ``set_cover:random(n=200, seed=3)``."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

from dilemma import problems
from dilemma.knapsack import Knapsack
from dilemma.problem import Problem

_CALL = re.compile(r"(?P<head>.*)\((?P<arguments>[^()]*)\)\s*", re.DOTALL)
FORMS = "NAME:random(n=100, seed=1) or NAME:FILE"


def gallery() -> dict[str, type[Any]]:
    """Return the gallery's problems by the names a spec may use: lower case, underscores between words."""
    kinds: dict[str, type[Any]] = {"knapsack": Knapsack}
    return kinds | {_snake(name): getattr(problems, name) for name in problems.__all__ if name[:1].isupper()}


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def problem_of(spec: str) -> tuple[str, Problem]:
    """Return a short name and the problem that a text describes.

    A file may be followed by arguments of the problem's `load`: ``multi_knapsack:mknapcb1.txt(index=3)``.

    Examples
    --------
    >>> name, problem = problem_of("tsp:random(n=30, seed=2)")
    >>> name, problem.n
    ('tsp:random(n=30, seed=2)', 30)
    """
    kind, colon, source = (part.strip() for part in spec.partition(":"))
    kinds = gallery()
    plain = {name.replace("_", ""): cls for name, cls in kinds.items()}
    cls = plain.get(re.sub(r"[\s_-]", "", kind).lower())
    if cls is None or not colon or not source:
        raise ValueError(f"problem: expected {FORMS}, where NAME is one of {', '.join(kinds)}; got {spec!r}")
    call = None if Path(source).exists() else _CALL.fullmatch(source)
    head, arguments = (call["head"].strip(), _arguments(call["arguments"], spec)) if call else (source, {})
    try:
        if head == "random":
            return spec.strip(), cls.random(**arguments)
        return Path(head).name + source[len(head) :], cls.load(Path(head), **arguments)
    except TypeError as error:
        raise ValueError(f"problem {spec!r}: {error}") from None
    except OSError as error:
        raise ValueError(
            f"problem {spec!r}: expected {FORMS}; cannot read {head}: {error.strerror or error}"
        ) from None


def _arguments(text: str, spec: str) -> dict[str, Any]:
    """Return keyword arguments that are numbers, texts, booleans or None; nothing is evaluated."""
    try:
        call = ast.parse(f"f({text})", mode="eval").body
        if not isinstance(call, ast.Call) or call.args or any(k.arg is None for k in call.keywords):
            raise ValueError("not name=value")
        return {str(k.arg): ast.literal_eval(k.value) for k in call.keywords}
    except (ValueError, SyntaxError):
        raise ValueError(
            f"problem {spec!r}: expected arguments as name=value with plain values, got ({text})"
        ) from None
