"""Colours of nodes: the hue says which class (or how high a mean), the strength how sure."""

from __future__ import annotations

import colorsys
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from dilemma.tree.model import Tree

_FIRST_HUE = 0.07  # orange, then round the circle


def node_colour(tree: Tree, node: int) -> str:
    """``#rrggbb`` of a node."""
    if tree.classes is None:
        means = tree.value[:, 0]
        span = float(np.ptp(means))
        strength = 0.0 if span == 0 else float((means[node] - means.min()) / span)
        return _mix(0.58, strength)
    n = len(tree.classes)
    share = float(tree.proba[node, tree.label[node]])
    strength = 0.0 if n == 1 else max(0.0, (share - 1 / n) / (1 - 1 / n))
    return _mix((_FIRST_HUE + int(tree.label[node]) / n) % 1.0, strength)


def _mix(hue: float, strength: float) -> str:
    red, green, blue = colorsys.hls_to_rgb(hue, 0.97 - 0.32 * strength, 0.85)
    return "#" + "".join(f"{round(255 * part):02x}" for part in (red, green, blue))
