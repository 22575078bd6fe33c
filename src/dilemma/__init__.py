"""Turn any greedy heuristic into an anytime search."""

__version__ = "0.1.0"
