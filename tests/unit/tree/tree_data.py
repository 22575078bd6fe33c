"""Tables that touch every kind of split."""

import numpy as np


def mixed_table(n=300, seed=0, missing=0.1):
    """A frame of labels, numbers and whole numbers, some missing, and a target that needs all three."""
    import pandas as pd

    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "co\"lour'; --": rng.choice(["red", "green", "blue", 'it\'s "x"', "a\\b*/??/"], n).astype(object),
            "size\n": rng.normal(size=n),
            "count": rng.integers(0, 5, n).astype(float),
            "grade": pd.Categorical(rng.choice([1.5, 2.0, 3.0], n)),
        }
    )
    names = list(frame.columns)
    y = (frame[names[0]].isin(["red", "blue"]) & (frame[names[1]] > 0)) | (frame["count"] == 2)
    y = np.where(y, "yes 'n' \"no\"", np.where(frame["grade"].astype(float) > 2.5, "ma\\ybe", "no"))
    for name in names:
        frame.loc[rng.random(n) < missing, name] = None
    return frame, y
