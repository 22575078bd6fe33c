"""What can go wrong, as one small tree of exceptions.

::

    DilemmaError
    ├── ProblemError (ValueError)   the user's problem broke a promise
    ├── WorkerError (RuntimeError)  worker processes died and could not be replaced
    └── FormatError (ValueError)    a file is not what it should be
"""

from __future__ import annotations


class DilemmaError(Exception):
    """Anything this package raises on its own account beyond plain ``ValueError`` and ``TypeError``."""


class ProblemError(DilemmaError, ValueError):
    """The user's problem returned something it promised not to; `dilemma.check_problem` tells more."""


class WorkerError(DilemmaError, RuntimeError):
    """Worker processes died and could not be replaced."""


class FormatError(DilemmaError, ValueError):
    """A file is malformed, truncated, or of another kind than was said."""
