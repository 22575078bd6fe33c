"""Reading and writing instances: what comes back, and what malformed files are told."""

from decimal import Decimal

import numpy as np
import pytest

from dilemma.errors import FormatError
from dilemma.knapsack import FORMATS, Instance, generate, read, write

PISINGER = """knapPI_1_3_100_1
n 3
c 50
z 220
time 0.00
1,60,10,0
2,100,20,1
3,120,30,1
-----

knapPI_1_2_100_2
n 2
c 7
z 5
time 0.00
1,5,4,1
2,3,4,0
-----
"""


def put(tmp_path, text, name="i.txt"):
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("n", [0, 1, 3, 200])
def test_what_is_written_is_read_back(tmp_path, format, n):
    instance = generate("weak", n, seed=n)
    path = tmp_path / "some"
    write(instance, path, format=format)
    assert read(path, format=format) == instance
    assert read(path) == instance  # found out by itself


@pytest.mark.parametrize("format", FORMATS)
def test_big_and_decimal_numbers_survive(tmp_path, format):
    instance = Instance([2**80 + 1, 0.1, Decimal("0.12345678901234567890123")], [1, 2.5, 3], 4)
    write(instance, tmp_path / "some", format=format)
    again = read(tmp_path / "some")
    assert again.integers().values.tolist() == instance.integers().values.tolist()
    assert again.integers().weights.tolist() == instance.integers().weights.tolist()


@pytest.mark.parametrize(
    "text",
    [
        "3 50\n60 10\n100 20\n120 30\n",
        "3 50\r\n60 10\r\n100 20\r\n120 30\r\n",
        "\n3   50\n\n60\t10\n100 20\n120 30",
        "3\n50\n\n60 10\n100 20\n120 30\n",  # the capacity on a line of its own
        "\ufeff3 50\n60 10\n100 20\n120 30\n\n\n",
        PISINGER,
        "3\n1 60 10\n2 100 20\n3 120 30\n50\n",  # Pisinger's plain layout
        "# capacity: 50\nvalue,weight\n60,10\n100,20\n120,30\n",
        '# capacity = 50\nid,"weight",profit\n1,10,60\n\n2,20,100\n3,30,120\n',
        '{"capacity": 50, "values": [60, 100, 120], "weights": [10, 20, 30]}',
    ],
)
def test_layouts_are_told_apart(tmp_path, text):
    assert read(put(tmp_path, text)) == Instance([60, 100, 120], [10, 20, 30], 50)


def test_pisinger_files_hold_several_instances(tmp_path):
    path = put(tmp_path, PISINGER)
    assert read(path, index=1) == Instance([5, 3], [4, 4], 7)
    with pytest.raises(FormatError, match=r"expected instance 2 \(the file holds 2\)"):
        read(path, index=2)


def test_capacity_can_be_given(tmp_path):
    path = put(tmp_path, "value,weight\n60,10\n")
    assert read(path, capacity=9) == Instance([60], [10], 9)
    with pytest.raises(FormatError, match="expected a capacity"):
        read(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: expected a knapsack instance"),
        ("3 50\n60 10\n100 20\n", r"line 3: expected 3 items \(the file ends after 2\)"),
        ("2 50\n60 10\n100 20\n120 30\n", "line 4: expected the end after 2 items"),
        ("2 50\n60 10\n100 x\n", r"line 3: expected a number \(got 'x'\)"),
        ("2 50\n60 10\n100\n", r"line 3: expected 2 numbers \(got '100'\)"),
        ("2 50\n60 10\n100 nan\n", "line 3: expected a finite number"),
        ("2 fifty\n60 10\n100 20\n", r"line 1: expected a number \(got 'fifty'\)"),
        ("-2 50\n", r"line 1: expected the number of items \(got '-2'\)"),
        ("999999999999 50\n1 1\n", r"expected 999999999999 items \(the file ends after 1\)"),
        ("2 50\n60 10\n-100 20\n", r"line 3: expected a number >= 0 \(got '-100'\)"),
        ("2 -50\n60 10\n100 20\n", r"line 1: expected a number >= 0 \(got '-50'\)"),
        ("100 50\n" + "60 10\n" * 99 + "60 -10\n", r"line 101: expected a number >= 0 \(got '-10'\)"),
        ("3\n", "line 1: expected the capacity"),
        ("hello there world\n", "line 1: expected 'n capacity'"),
        (b"2 50\n60 10\n100 \xff\n", "line 3: expected text"),
        ("# capacity: 5\nvalue,mass\n1,1\n", "line 2: expected one column named 'weight'"),
        ("# capacity: 5\nvalue,weight\n1,1\n2\n", r"line 4: expected 2 numbers \(got '2'\)"),
        ("# capacity: 5\n", "expected a header"),
        ('{"capacity": 5, "values": [1]', "line 1: expected JSON"),
        ('{"capacity": 5, "values": [1]}', "expected a list under 'weights'"),
        ('{"capacity": 5, "values": [NaN], "weights": [1]}', "expected finite numbers"),
        ('{"capacity": "5", "values": [1], "weights": [1]}', "expected a number under 'capacity'"),
        ('{"capacity": 5, "values": ["1"], "weights": [1]}', "expected int, float"),
        ("[1, 2]", "expected an object"),
        (PISINGER.replace("n 3\n", ""), "expected a line 'n NUMBER'"),
        (PISINGER.replace("n 3", "n 4"), "line 9: expected 4 numbers"),
        (PISINGER.replace("n 3", "n 2"), "line 8: expected '-----' after 2 items"),
        ("2\n1 60 10\n2 100 20\n", "line 3: expected the capacity alone on the last line"),
    ],
)
def test_malformed_files_name_the_line(tmp_path, text, message):
    path = put(tmp_path, text)
    with pytest.raises(FormatError, match=message) as caught:
        read(path)
    assert str(path) in str(caught.value)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("format", FORMATS)
def test_every_truncation_is_noticed_or_parses_to_fewer_digits(tmp_path, format):
    """A file cut anywhere is an error, unless the cut leaves a shorter last number."""
    instance = Instance([60, 100, 120], [10, 20, 30], 50)
    text = write(instance, None, format=format)
    for end in range(len(text)):
        try:
            got = read(put(tmp_path, text[:end]), format=format)
        except FormatError:
            continue
        fewer_items = format == "csv"  # a csv file does not say how many there are
        assert fewer_items or got.n == instance.n


def test_other_columns_of_a_csv_file_may_hold_anything(tmp_path):
    text = "# capacity: 50\nname,value,weight,change\nlamp,60,10,-3\nrug,100,20,up\nbed,120,30,\n"
    assert read(put(tmp_path, text)) == Instance([60, 100, 120], [10, 20, 30], 50)


def test_malformed_lines_deep_in_a_large_file_are_named(tmp_path):
    lines = ["1000 50", *["3 4"] * 1000]
    lines[700] = "3 4 5"
    with pytest.raises(FormatError, match=r"line 701: expected 2 numbers \(got '3 4 5'\)"):
        read(put(tmp_path, "\n".join(lines)))


def test_large_files_read_as_arrays(tmp_path):
    instance = generate("uncorrelated", 5000, seed=1)
    write(instance, tmp_path / "big.kp")
    again = read(tmp_path / "big.kp")
    assert again == instance
    assert again.values.dtype == np.int64


def test_missing_files_are_os_errors(tmp_path):
    with pytest.raises(FileNotFoundError):
        read(tmp_path / "none")


@pytest.mark.parametrize("call", [lambda p: read(p, format="xml"), lambda p: read(p, index=-1)])
def test_wrong_arguments_are_named(tmp_path, call):
    with pytest.raises(ValueError, match="expected"):
        call(put(tmp_path, "1 1\n1 1\n"))


def test_index_needs_a_pisinger_file(tmp_path):
    with pytest.raises(ValueError, match="only a pisinger file"):
        read(put(tmp_path, "1 1\n1 1\n"), index=1)
