"""The paper's experiments, recomputed: trees with known P, figures 2 and 3, and every claim with its verdict."""
