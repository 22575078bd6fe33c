"""Results as JSON: out and in, versioned, nothing executed on the way in."""

import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dilemma
from dilemma import FormatError, Result
from dilemma.encoding import Opaque, decode, encode


class Tiny:
    def initial(self):
        return (frozenset(), np.arange(2))

    def actions(self, state):
        return [(("a", 1), 2.0), (("b", 2), 1.0)] if len(state[0]) < 2 else []

    def apply(self, state, action):
        return (state[0] | {(action, len(state[0]))}, state[1])

    def energy(self, state):
        return float(len({a for a, _ in state[0]}))

    def describe(self, action):
        return f"take {action[0]}"


def test_json_round_trip_keeps_everything(tmp_path):
    result = dilemma.minimize(Tiny(), max_iter=3, random_state=5, strategy="dilemma_first")
    path = tmp_path / "run.json"
    result.to_json(path)
    again = Result.from_json(path)
    assert Result.from_json(str(path)).to_json() == again.to_json()
    assert again.to_dict() == result.to_dict()
    assert again.trace == result.trace
    assert again.actions == result.actions
    assert again.bound == -math.inf
    assert again.names == ("take a", "take a")
    assert again.stop_reason is result.stop_reason
    assert Result.from_json(result.to_json()).energy == result.energy
    json.loads(path.read_text(), parse_constant=lambda c: pytest.fail(f"{c} is no JSON"))


def test_results_that_hold_arrays_can_be_compared():
    one, other = (dilemma.minimize(Tiny(), max_iter=k, strategy="dilemma_first") for k in (2, 3))
    assert one == pickle.loads(pickle.dumps(one))
    assert one != other
    assert one != one.to_dict()


def test_objects_json_cannot_hold_become_opaque():
    value = decode(json.loads(json.dumps(encode((object, 1)))))
    assert value == (Opaque("<class 'object'>"), 1)
    assert encode(value) == encode((object, 1))


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text() | st.integers(), inner)
    ),
    max_leaves=8,
)


@given(plain)
def test_encoding_round_trips(value):
    assert decode(json.loads(json.dumps(encode(value), allow_nan=False))) == value


def test_arrays_come_back_with_shape_and_type():
    array = np.array([[1.5, math.inf], [0.0, -2.0]], dtype=np.float32)
    again = decode(json.loads(json.dumps(encode(array))))
    assert again.dtype == array.dtype
    assert np.array_equal(again, array)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("not json", "JSON"),
        ("\0", "JSON"),
        ("{", "JSON"),
        ("[" * 100_000, "JSON"),
        ("{}", "schema"),
        ("[]", "schema"),
        ('{"schema": "dilemma.result", "version": 99}', "version"),
        ('{"schema": "dilemma.result", "version": 1}', "malformed"),
    ],
)
def test_other_files_are_refused(text, words):
    with pytest.raises(FormatError, match=words):
        Result.from_json(text)


@pytest.mark.parametrize(
    "data", [{"$array": [1], "shape": [1], "dtype": "O"}, {"$array": 3}, {"$tuple": 3}, {"$what": []}]
)
def test_malformed_values_are_refused(data):
    with pytest.raises(FormatError):
        decode(data)


def test_improvements_start_with_the_greedy_and_fall():
    result = dilemma.minimize(Tiny())
    rows = result.trace.improvements()
    assert rows[0].iteration == 0
    assert [r.energy for r in rows] == sorted((r.energy for r in rows), reverse=True)


def test_a_binary_file_is_refused(tmp_path):
    path = tmp_path / "run.json"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(FormatError, match="JSON"):
        Result.from_json(path)


def test_a_result_is_read_from_paths_and_text_only():
    with pytest.raises(TypeError, match="path or JSON text, got int"):
        Result.from_json(3)
