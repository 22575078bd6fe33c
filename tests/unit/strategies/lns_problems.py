"""Small problems with four methods each, for the tests of the neighbourhood search."""

import numpy as np


class Tour:
    """Nearest neighbour through random points; counts how often it is asked to rank."""

    def __init__(self, n=14, seed=0, array=True):
        points = np.random.default_rng(seed).random((n, 2))
        self.d = np.hypot(*(points[:, None] - points).transpose(2, 0, 1))
        self.array, self.ranked = array, 0

    def initial(self):
        return (0,)

    def actions(self, state):
        self.ranked += 1
        left = [c for c in range(len(self.d)) if c not in state]
        scores = [1 / (1e-9 + self.d[state[-1], c]) for c in left]
        return (np.array(left, int), np.array(scores)) if self.array else (left, scores)

    def apply(self, state, action):
        return (*state, action)

    def energy(self, state):
        return float(sum(self.d[a, b] for a, b in zip(state, (*state[1:], 0), strict=True)))


class Pack:
    """Knapsack: not everything fits in every order, and nothing is taken twice."""

    commutative = True

    def __init__(self, n=20, seed=1):
        rng = np.random.default_rng(seed)
        self.w, self.v = rng.integers(5, 30, n).tolist(), rng.integers(5, 30, n).tolist()
        self.room = sum(self.w) // 3

    def initial(self):
        return frozenset()

    def actions(self, state):
        room = self.room - sum(self.w[i] for i in state)
        return [(i, self.v[i] / w) for i, w in enumerate(self.w) if i not in state and w <= room]

    def apply(self, state, action):
        return state | {action}

    def energy(self, state):
        return -float(sum(self.v[i] for i in state))


class Dispatch:
    """Job-shop in small: the same action is taken several times, and each job runs on machines in its own order."""

    def __init__(self, jobs=5, machines=4, seed=0):
        rng = np.random.default_rng(seed)
        self.order = [rng.permutation(machines).tolist() for _ in range(jobs)]
        self.time = rng.integers(1, 20, (jobs, machines)).tolist()

    def initial(self):
        return (0,) * len(self.time), (0,) * len(self.time), (0,) * len(self.time[0])

    def actions(self, state):
        return [(j, sum(self.time[j][k:])) for j, k in enumerate(state[0]) if k < len(self.time[j])]

    def apply(self, state, job):
        done, ready, free = map(list, state)
        k = done[job]
        machine = self.order[job][k]
        ready[job] = free[machine] = max(ready[job], free[machine]) + self.time[job][k]
        done[job] += 1
        return tuple(done), tuple(ready), tuple(free)

    def energy(self, state):
        return float(max(state[1]))
