"""What `check_problem` reports: broken promises, each with its remedy."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Finding:
    """One broken promise.

    Attributes
    ----------
    method : str
        Where to look.
    broken : str
        What was seen.
    remedy : str
        What to change.
    severity : str
        ``error``: searches will go wrong; ``warning``: they will do less well than they could.
    """

    method: str
    broken: str
    remedy: str
    severity: str = "error"

    def __str__(self) -> str:
        return f"{self.severity}: {self.method}: {self.broken}. Remedy: {self.remedy}."


@dataclass
class Report:
    """What `check_problem` saw.

    Attributes
    ----------
    findings : list of Finding
        Broken promises, each kind once.
    rollouts : int
        How many complete solutions were built.
    """

    findings: list[Finding] = field(default_factory=list)
    rollouts: int = 0

    @property
    def ok(self) -> bool:
        """Whether no error was found; warnings may remain."""
        return not any(f.severity == "error" for f in self.findings)

    def __str__(self) -> str:
        if not self.findings:
            return f"no broken promise found in {self.rollouts} rollouts"
        return "\n".join(map(str, self.findings))

    def add(self, method: str, broken: str, remedy: str, severity: str = "error") -> None:
        """Note a finding, unless the same promise of the same method is noted already."""
        if not any(f.method == method and f.remedy == remedy for f in self.findings):
            self.findings.append(Finding(method, broken, remedy, severity))
