"""Readers: every format, and every way in which a file can be wrong, by file and line."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dilemma import problems as gallery
from dilemma.problems import loaders
from dilemma.problems.tsplib import read_tsplib

KNAPSACK = "1\n3 2 0\n6 5 4\n1 2 3\n4 5 6\n7 8\n"
COVER = "2 3\n4 5 6\n2 1 3\n1 2\n"
RAIL = "2 3\n4 1 1\n5 1 2\n6 1 1\n"
JOBS = "# a comment\n2 2\n0 3 1 4\n1 5 0 6\n"
FLOW = "3 2\n1 2 3\n4 5 6\n"
GRAPH = "c a triangle\np edge 3 3\ne 1 2\ne 2 3\ne 3 1\n"
BINS = "3\n10\n5\n6\n4\n"
QAP = "2\n\n0 1\n1 0\n\n0 5\n5 0\n"
LATE = "1 2\n3 4\n5 6\n"
TSP = "NAME: t\nTYPE: TSP\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 3 0\n3 0 4\nEOF\n"
VRP = TSP.replace("EOF\n", "DEMAND_SECTION\n1 0\n2 1\n3 1\nDEPOT_SECTION\n1\n-1\nEOF\n").replace(
    "TYPE: TSP\n", "TYPE: CVRP\nCAPACITY: 2\n"
)

GOOD = {
    "multi-knapsack": (KNAPSACK, gallery.MultiKnapsack.load),
    "set cover": (COVER, gallery.SetCover.load),
    "rail": (RAIL, lambda path: gallery.SetCover.load(path, layout="columns")),
    "job shop": (JOBS, gallery.JobShop.load),
    "flow shop": (FLOW, gallery.FlowShop.load),
    "colouring": (GRAPH, gallery.Colouring.load),
    "independent set": (GRAPH, gallery.IndependentSet.load),
    "bin packing": (BINS, gallery.BinPacking.load),
    "quadratic assignment": (QAP, gallery.QuadraticAssignment.load),
    "tardiness": (LATE, lambda path: gallery.Tardiness.load(path, n=2)),
    "tsp": (TSP, gallery.TSP.load),
    "tsp insertion": (TSP, gallery.TSPInsertion.load),
    "vehicle routing": (VRP, gallery.VehicleRouting.load),
}
ENERGY = {
    "multi-knapsack": -6, "set cover": 9, "rail": 9, "job shop": 11, "flow shop": 16, "colouring": 3,
    "independent set": -1, "bin packing": 2, "quadratic assignment": 10, "tardiness": 0, "tsp": 12,
    "tsp insertion": 12, "vehicle routing": 12,
}  # fmt: skip


@pytest.fixture
def write(tmp_path):
    def write(text, name="instance.txt"):
        file = tmp_path / name
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    return write


@pytest.mark.parametrize("name", GOOD)
def test_a_good_file_is_read(name, write, driver):
    text, load = GOOD[name]
    for content in (text, text.replace("\n", "\r\n"), text + "\n\n"):
        problem = load(write(content))
        assert problem.energy(driver.greedy(problem)) == ENERGY[name]


@pytest.mark.parametrize("name", GOOD)
def test_a_packed_file_is_read(name, write, driver):
    text, load = GOOD[name]
    problem = load(write(gzip.compress(text.encode()), "instance.txt.gz"))
    assert problem.energy(driver.greedy(problem)) == ENERGY[name]


@pytest.mark.parametrize("name", GOOD)
def test_every_shorter_file_is_refused_or_complete(name, write):
    """Cut after any word: a ValueError that names the file, unless what is left is a whole instance."""
    text, load = GOOD[name]
    words = text.split(" ")
    read = 0
    for cut in range(len(words)):
        file = write(" ".join(words[:cut]))
        try:
            load(file)
            read += 1
        except ValueError as error:
            assert str(error).startswith(f"{file}, line ")  # noqa: PT017
    assert read <= 2  # nothing but a lost last number's neighbour or the end mark


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("junk", ["x", "nan", "inf", "1_0", "1e400", "0x10", "--3", "٣", "9" * 400])
def test_junk_in_place_of_the_last_number_is_refused_with_its_line(name, junk, write):
    text, load = GOOD[name]
    body = text.removesuffix("EOF\n").removesuffix("-1\n").rstrip()
    head = body[: max(body.rfind(" "), body.rfind("\n")) + 1]
    file = write(head + junk + "\n")
    with pytest.raises(ValueError, match="expected") as caught:
        load(file)
    line = head.count("\n") + 1
    assert str(caught.value).startswith(f"{file}, line ")
    if name not in ("tsp", "tsp insertion", "vehicle routing"):
        assert str(caught.value).startswith(f"{file}, line {line}:")


@pytest.mark.parametrize("name", GOOD)
def test_binary_empty_and_broken_files_are_refused(name, write):
    _, load = GOOD[name]
    for content, filename in [
        (b"\xff\xfe\x00\x01", "a.txt"),
        (b"", "a.txt"),
        (b"\x00" * 50, "a.txt"),
        (b"not gzip", "a.gz"),
        (gzip.compress(b"3 4 5" * 99)[:-12], "a.gz"),
    ]:
        file = write(content, filename)
        with pytest.raises(ValueError, match="expected") as caught:
            load(file)
        assert str(caught.value).startswith(f"{file}, line ")


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("multi-knapsack", "1\n", "1000000000\n"),
        ("multi-knapsack", "3 2 0", "1000000000 0 0"),
        ("multi-knapsack", "3 2 0", "0 1000000000 0"),
        ("multi-knapsack", "3 2 0", "30000 30000 0"),
        ("set cover", "2 3", "1000000000 0"),
        ("set cover", "2 3", "0 1000000000"),
        ("set cover", "2 1 3", "1000000000 1 3"),
        ("rail", "2 3", "1000000000 0"),
        ("rail", "2 3", "0 1000000000"),
        ("job shop", "2 2", "1000000000 0"),
        ("job shop", "2 2", "0 1000000000"),
        ("job shop", "2 2", "30000 30000"),
        ("flow shop", "3 2", "1000000000 0"),
        ("flow shop", "3 2", "0 1000000000"),
        ("flow shop", "3 2", "30000 30000"),
        ("colouring", "edge 3", "edge 1000000000"),
        ("independent set", "edge 3", "edge 1000000000"),
        ("bin packing", "3\n", "1000000000\n"),
        ("quadratic assignment", "2\n", "1000000000\n"),
        ("tsp", "DIMENSION: 3", "DIMENSION: 1000000000"),
        ("tsp", "DIMENSION: 3", "DIMENSION: 9999"),
        ("vehicle routing", "DIMENSION: 3", "DIMENSION: 1000000000"),
    ],
)
def test_a_size_far_beyond_the_file_takes_no_memory(name, old, new, write):
    """A declared billion is held against what the file contains before anything is made of it."""
    text, load = GOOD[name]
    file = write(text.replace(old, new, 1))
    with pytest.raises(ValueError, match="expected") as caught:
        load(file)
    assert str(caught.value).startswith(f"{file}, line ")


@pytest.mark.parametrize("name", GOOD)
def test_an_oversized_file_is_refused(name, write, monkeypatch):
    text, load = GOOD[name]
    monkeypatch.setattr(loaders, "MAX_BYTES", 10)
    for file in (write(text), write(gzip.compress(text.encode()), "a.gz")):
        with pytest.raises(ValueError, match="expected at most 10 bytes, got more"):
            load(file)


def test_a_missing_file_is_an_oserror(tmp_path):
    with pytest.raises(FileNotFoundError):
        gallery.TSP.load(tmp_path / "nothing.tsp")


WRONG = [
    ("multi-knapsack", KNAPSACK + "3\n", 7, "the end of the file"),
    ("multi-knapsack", KNAPSACK.replace("6 5 4", "6 -5 4"), 3, "profit, a number from 0"),
    ("multi-knapsack", KNAPSACK.replace("3 2 0", "3.5 2 0"), 2, "items, a whole number"),
    ("set cover", COVER.replace("2 1 3", "2 1 4"), 3, "a number from 1 to 3"),
    ("set cover", COVER.replace("2 1 3", "2 1 1"), 3, "different columns"),
    ("set cover", COVER.replace("2 1 3", "2 1 0"), 3, "a number from 1 to 3"),
    ("rail", RAIL.replace("6 1 1", "6 1 3"), 4, "a number from 1 to 2"),
    ("job shop", JOBS.replace("0 3 1 4", "0 3 2 4"), 3, "machine, a number from 0 to 1"),
    ("job shop", JOBS.replace("0 3 1 4", "0 3 0 4"), 3, "each machine once"),
    ("job shop", JOBS + "1", 5, "the end of the file"),
    ("flow shop", "3\n1 2 3\n", 1, "'jobs machines'"),
    ("flow shop", FLOW + "1 2\n", 4, "at least 2 more numbers for 2 machines"),
    ("colouring", GRAPH.replace("e 2 3", "e 2 4"), 4, "vertices from 1 to 3"),
    ("colouring", GRAPH.replace("e 2 3", "e 2 2"), 4, "two different vertices"),
    ("colouring", GRAPH.replace("e 2 3", "e 2"), 4, "'e U V'"),
    ("colouring", GRAPH.replace("e 2 3", "f 2 3"), 4, "c, p or e"),
    ("colouring", "e 1 2\n" + GRAPH, 1, "a 'p edge' line before"),
    ("colouring", GRAPH + "p edge 3 3\n", 6, "one line 'p edge"),
    ("colouring", GRAPH.replace("p edge 3 3", "p edge 30000 3"), 2, "at most 20000 vertices"),
    ("bin packing", BINS.replace("6", "11"), 4, "item size, a number from 0 to 10"),
    ("bin packing", BINS + "4", 6, "the end of the file"),
    ("quadratic assignment", QAP + "4", 8, "the end of the file"),
    ("tardiness", LATE + "7\n", 4, "a multiple of 3 x 2 numbers"),
    ("tsp", TSP.replace("2 3 0", "2 3"), 7, "a node from 1 to 3 and 2 number"),
    ("tsp", TSP.replace("2 3 0", "1 3 0"), 7, "each node once"),
    ("tsp", TSP.replace("2 3 0", "4 3 0"), 7, "a node from 1 to 3"),
    ("tsp", TSP.replace("2 3 0\n", ""), 8, "3 nodes in NODE_COORD_SECTION"),
    ("tsp", TSP.replace("EUC_2D", "EUC_4D"), 9, "EDGE_WEIGHT_TYPE"),
    ("tsp", TSP.replace("DIMENSION: 3", "DIMENSION: -3"), 9, "DIMENSION"),
    ("tsp", TSP.replace("1 0 0", "1 ٣ 0"), 6, "finite numbers"),
    ("set cover", COVER.replace("2 1 3", "0"), 3, "columns of this row, a number from 1"),
    ("rail", RAIL.replace("5 1 2", "5 1 1"), 4, "a column for every row"),
    ("vehicle routing", VRP.replace("3 1\n", "3 3\n"), 17, "demands from 0 to the capacity 2"),
    ("vehicle routing", VRP.replace("3 1\n", "3 -1\n"), 17, "demands from 0 to the capacity 2"),
    ("tsp", TSP.replace("NAME: t", "what is this"), 1, "'KEY: VALUE'"),
    ("tsp", TSP.replace("NODE_COORD_SECTION", "NODE_COORD_SECTION\nNODE_COORD_SECTION"), 6, "each section once"),
    ("vehicle routing", TSP, 1, "a DEMAND_SECTION"),
    ("vehicle routing", VRP.replace("CAPACITY: 2", "CAPACITY: x"), 17, "CAPACITY"),
    ("vehicle routing", VRP.replace("-1\n", "2\n-1\n"), 18, "one depot"),
    ("vehicle routing", VRP.replace("CAPACITY: 2", "CAPACITY: 0"), 17, "demands from 0 to the capacity 0"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "line", "message"), WRONG)
def test_what_is_wrong_is_named_with_its_line(name, text, line, message, write):
    file = write(text)
    with pytest.raises(ValueError, match="expected") as caught:
        GOOD[name][1](file)
    assert str(caught.value).startswith(f"{file}, line {line}: expected")
    assert message in str(caught.value)


@pytest.mark.parametrize("load", [gallery.MultiKnapsack.load, gallery.FlowShop.load])
def test_an_instance_the_file_does_not_have(load, write):
    file = write(KNAPSACK if load == gallery.MultiKnapsack.load else FLOW)
    for index in (1, -1):
        with pytest.raises(ValueError, match=r"index: expected 0 to 0 for .*, got"):
            load(file, index)


def test_taillards_own_files_with_headings(write):
    text = (
        "number of jobs, number of machines, initial seed, upper bound and lower bound :\n"
        "  3  2  873654221  1278  1232\nprocessing times :\n 1 2 3\n 4 5 6\n"
    )
    one, two = loaders.read_flow_shop(write(text + text))
    assert one.tolist() == two.tolist() == [[1, 2, 3], [4, 5, 6]]


def test_or_librarys_tardiness_files_hold_125_instances(write):
    rows = np.arange(125 * 3 * 2).reshape(125, 3, 2)
    file = write("\n".join(" ".join(map(str, part)) for row in rows for part in row.tolist()))
    assert gallery.Tardiness.load(file, 124).due.tolist() == rows[124, 2].tolist()
    with pytest.raises(ValueError, match="125 instances"):
        gallery.Tardiness.load(write(LATE))


@given(st.binary(max_size=300))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_noise_is_never_worse_than_a_valueerror(tmp_path, data):
    file = tmp_path / "noise"
    file.write_bytes(data)
    for _, load in GOOD.values():
        try:
            load(file)
        except ValueError as error:
            assert str(file) in str(error)  # noqa: PT017


@given(
    name=st.sampled_from(sorted(GOOD)),
    edits=st.lists(st.tuples(st.integers(0, 200), st.sampled_from("0123456789 -.e\nNAp#:"))),
)
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_garbled_files_are_read_or_refused(tmp_path, name, edits):
    text, load = GOOD[name]
    letters = list(text)
    for at, letter in edits:
        letters[at % len(letters)] = letter
    file = tmp_path / "garbled"
    file.write_text("".join(letters))
    try:
        load(file)
    except ValueError as error:
        assert str(error).startswith(f"{file}, line ")  # noqa: PT017


# TSPLIB


def tsp(write, *lines, n=3):
    return read_tsplib(write("\n".join([f"DIMENSION : {n}", *lines, "EOF"])))


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("EUC_2D", 2), ("CEIL_2D", 3), ("MAN_2D", 3), ("MAX_2D", 2), ("ATT", 1)],
)
def test_tsplib_distance_rules(kind, expected, write):
    """sqrt(2.2^2 + 1^2) = 2.42; a tenth of its square is 0.58, whose root 0.76 rounds to 1."""
    data = tsp(write, f"EDGE_WEIGHT_TYPE : {kind}", "NODE_COORD_SECTION", "1 0 0", "2 2.2 1", n=2)
    assert data.distances.tolist() == [[0, expected], [expected, 0]]


def test_att_never_rounds_down(write):
    data = tsp(write, "EDGE_WEIGHT_TYPE : ATT", "NODE_COORD_SECTION", "1 0 0", "2 4 0", n=2)  # 1.26
    assert data.distances[0, 1] == 2


def test_geographic_distance_of_known_cities(write):
    """Two cities of ulysses16 and their distance as TSPLIB's documentation gives it by its formula."""
    data = tsp(write, "EDGE_WEIGHT_TYPE: GEO", "NODE_COORD_SECTION", "1 38.24 20.42", "2 39.57 26.15", n=2)
    assert data.distances.tolist() == [[0, 509], [509, 0]]


@pytest.mark.parametrize(
    ("form", "numbers"),
    [
        ("FULL_MATRIX", "0 1 2 1 0 3 2 3 0"),
        ("UPPER_ROW", "1 2 3"),
        ("LOWER_ROW", "1 2 3"),
        ("UPPER_DIAG_ROW", "0 1 2 0 3 0"),
        ("LOWER_DIAG_ROW", "0 1 0 2 3 0"),
        ("UPPER_COL", "1 2 3"),
        ("LOWER_COL", "1 2 3"),
        ("UPPER_DIAG_COL", "0 1 0 2 3 0"),
        ("LOWER_DIAG_COL", "0 1 2 0 3 0"),
    ],
)
def test_explicit_distances_in_every_form(form, numbers, write):
    head = ["EDGE_WEIGHT_TYPE: EXPLICIT", f"EDGE_WEIGHT_FORMAT: {form}", "EDGE_WEIGHT_SECTION"]
    assert tsp(write, *head, numbers).distances.tolist() == [[0, 1, 2], [1, 0, 3], [2, 3, 0]]
    for wrong in (numbers + " 1", numbers[:-2]):
        with pytest.raises(ValueError, match=r"line \d+: expected \d numbers in EDGE_WEIGHT_SECTION"):
            tsp(write, *head, wrong)


def test_a_depot_that_is_not_the_first_node_comes_first(write):
    text = VRP.replace("DEPOT_SECTION\n1\n", "DEPOT_SECTION\n3\n").replace("1 0\n2 1\n3 1", "1 1\n2 1\n3 0")
    problem = gallery.VehicleRouting.load(write(text))
    assert problem.distances[0].tolist() == [0, 4, 5]
    assert problem.demands.tolist() == [0, 1, 1]
