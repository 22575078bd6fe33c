"""The harness that runs other tools: instances, answers checked, decoders, the worker. The tools are not needed."""

import importlib
import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PEERS = ROOT / "benchmarks" / "peers"
SIZE = 8

pytestmark = pytest.mark.skipif(not PEERS.is_dir(), reason="benchmarks are not part of an installed package")


@pytest.fixture(scope="module")
def families():
    sys.path.insert(0, str(PEERS))
    try:
        yield importlib.import_module("generic_families")
    finally:
        sys.path.remove(str(PEERS))


@pytest.fixture(scope="module")
def decoders(families):
    return importlib.import_module("generic_decoders")


NAMES = [
    "knapsack", "multi_knapsack", "set_cover", "tsp", "vehicle_routing", "job_shop", "flow_shop", "colouring",
    "bin_packing", "quadratic_assignment", "independent_set",
]  # fmt: skip


def test_there_are_eleven_families(families, decoders):
    assert list(families.FAMILIES) == NAMES == list(decoders.DECODERS)


@pytest.mark.parametrize("name", NAMES)
def test_instances_are_plain_repeatable_and_their_greedy_answer_holds(families, name):
    data = families.drawn(name, SIZE, 3)
    assert json.loads(json.dumps(data)) == data == families.drawn(name, SIZE, 3)
    assert data != families.drawn(name, SIZE, 4)
    assert families.check(name, data, data["greedy"]) < float("inf")


@pytest.mark.parametrize("name", NAMES)
def test_answers_that_are_none_are_refused(families, name):
    data = families.drawn(name, SIZE, 3)
    greedy = data["greedy"]
    everything = list(range(SIZE))
    wrong = {
        "knapsack": [everything, [0, 0], [SIZE]],
        "multi_knapsack": [everything, [0, 0], [-1]],
        "set_cover": [[], greedy * 2, [10**6]],
        "tsp": [greedy[:-1], [0] * SIZE, []],
        "vehicle_routing": [greedy[:-1], [list(range(1, SIZE + 1)) * 2], [[]]],
        "job_shop": [greedy[::-1], greedy[:-1], []],
        "flow_shop": [greedy[:-1], [0] * SIZE],
        "colouring": [[0] * SIZE, greedy[:-1]],
        "bin_packing": [[0] * SIZE, greedy[:-1]],
        "quadratic_assignment": [[0] * SIZE, greedy[:-1]],
        "independent_set": [everything, [0, 0], [SIZE]],
    }
    if name in ("independent_set", "colouring"):
        data = {**data, "edges": [[0, 1]]}
        wrong["colouring"] = [[0] * SIZE, greedy[:-1]]
    for answer in (*wrong[name], ["x"], [None]):
        with pytest.raises(ValueError, match=name):
            families.check(name, data, answer)


@pytest.mark.parametrize("name", NAMES)
def test_any_order_decodes_to_an_answer_of_the_energy_it_claims(families, decoders, name):
    data = families.drawn(name, SIZE, 5)
    decoder = decoders.DECODERS[name](data)
    rng = random.Random(1)
    for _ in range(20):
        order = list(decoder.start)
        rng.shuffle(order)
        energy, answer = decoder.decode(order)
        assert families.check(name, data, answer) == decoders.true_energy(name, energy)


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("vehicle_routing", "bin_packing")])
def test_the_start_decodes_to_the_greedy_or_better(families, decoders, name):
    data = families.drawn(name, SIZE, 6)
    decoder = decoders.DECODERS[name](data)
    assert decoder.decode(list(decoder.start))[0] <= families.check(name, data, data["greedy"])


@pytest.mark.parametrize("hooks", ["0", "1"])
def test_the_worker_reports_better_and_better_answers_until_the_budget_ends(families, hooks, tmp_path):
    data = families.drawn("job_shop", 6, 2)
    (tmp_path / "i.json").write_text(json.dumps({"family": "job_shop", "data": data}))
    done = subprocess.run(
        [sys.executable, str(PEERS / "generic_worker.py"), "dilemma", str(tmp_path / "i.json"), "0.3", "1"],
        capture_output=True, text=True, check=False, env={"GENERIC_HOOKS": hooks}, timeout=120,
    )  # fmt: skip
    assert done.returncode in (0, -27), done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"cpu"')]
    energies = [line["energy"] for line in lines]
    assert energies == sorted(set(energies), reverse=True)
    assert energies[0] == families.check("job_shop", data, data["greedy"]) or hooks == "1"  # polished already
    assert families.check("job_shop", data, lines[-1]["answer"]) == energies[-1]
    assert lines[-1]["cpu"] < 1.0


@pytest.fixture(scope="module")
def harness(families):
    return importlib.import_module("generic")


def test_a_store_gives_finished_runs_back_unless_their_maker_changed(harness, tmp_path):
    path = tmp_path / "runs.jsonl"
    harness.Store(path).put("tsp | alns | 0", "abc", {"10": {"energy": 3.0}})
    again = harness.Store(path)
    assert again.get("tsp | alns | 0", "abc") == {"10": {"energy": 3.0}}
    assert again.get("tsp | alns | 0", "def") is None
    assert again.get("tsp | deap | 0", "abc") is None


def test_runs_are_kept_by_instance_adapter_and_for_dilemma_by_commit(harness, families, tmp_path):
    made = []
    for seed in (4, 5):
        path = tmp_path / f"{seed}.json"
        path.write_text(json.dumps(families.drawn("tsp", SIZE, seed)))
        instance = harness.Instance("t", "tsp", {}, path)
        made += [harness.maker(tool, instance) for tool in ("alns", "deap", "dilemma", "dilemma, all hooks")]
    assert len(set(made)) == 6  # dilemma's two differ by their key alone
    commit = harness.provenance()["commit"]
    assert [commit in text for text in made] == [False, False, True, True] * 2


def test_one_run_is_read_at_several_budgets_and_each_answer_is_verified(harness, families, tmp_path):
    data = families.drawn("tsp", SIZE, 4)
    instance = harness.Instance("t", "tsp", data, tmp_path)
    energy = families.check("tsp", data, data["greedy"])
    lines = [
        {"cpu": 0.5, "energy": energy, "answer": data["greedy"]},
        {"cpu": 3.0, "energy": energy - 1, "answer": data["greedy"]},
    ]
    early, late = (harness._verified(instance, lines[:n], None) for n in (1, 2))
    assert (early["energy"], early["error"]) == (energy, None)
    assert late["energy"] == float("inf")
    assert "claimed" in late["error"]
