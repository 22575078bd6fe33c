"""Right and spoilt calls of the native modules; `make sanitize` runs many more under AddressSanitizer and UBSan."""

import warnings

import pytest
from native_boundary import FUZZED, module, rounds


@pytest.mark.parametrize("name", FUZZED)
def test_a_spoilt_call_is_refused_and_a_right_one_agrees_with_its_twin(name):
    if module(name) is None:
        pytest.skip("the native modules were not built")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # casts that overflow are meant
        rounds(name, 0, 150)
