"""`dilemma reproduce`: small runs end to end, resumed, and with wrong inputs."""

import argparse
import csv
import html.parser
import json
import math
import os
import re
import signal
import struct
import subprocess
import sys
import threading
from multiprocessing import get_context
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")

from dilemma.cli import reproduce as command
from dilemma.data.idx import NAMES
from dilemma.errors import FormatError
from dilemma.experiments import loading, panels, reproduce, runs
from dilemma.experiments.panels import PANELS, Panel


def call(*argv: str) -> int:
    parser = argparse.ArgumentParser()
    command.add_parser(parser.add_subparsers())
    args = parser.parse_args(["reproduce", "--jobs", "1", *argv])
    return args.func(args)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two panels, few candidates and runs: seconds."""
    own = {
        key: Panel(p.key, p.title, p.kind, p.readings[:1], 12, 12)
        for key, p in PANELS.items()
        if key in {"ecp2011", "ks_24a", "medium"}
    }
    for module in (loading, panels, runs, reproduce):
        monkeypatch.setattr(module, "PANELS", own)
    monkeypatch.setattr(runs, "QUICK_RUNS", 3)
    monkeypatch.setattr(reproduce, "_queue", lambda source, quick, say: [
        reproduce.measure("medium", loading.load(own["medium"], "weak", [], quick=True).make(), 12)
    ])  # fmt: skip


class Checker(html.parser.HTMLParser):
    """Counts tags and notes anything that would need the network or run a script."""

    def __init__(self) -> None:
        super().__init__()
        self.outside: list[str] = []
        self.seen: dict[str, int] = {}
        self.ids: list[str] = []
        self.frames: list[tuple[set[str], set[str]]] = []  # ids and references of each drawing

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self.seen[tag] = self.seen.get(tag, 0) + 1
        for name, value in attrs:
            if name in {"src", "href"} and value and not value.startswith(("data:", "#")) and tag != "use":
                self.outside.append(value)
            if name.startswith("on"):
                self.outside.append(name)
            if name == "id":
                self.ids.append(value or "")
        if tag == "svg":
            self.frames.append((set(), set()))
        for name, value in attrs if self.frames else []:
            ids, references = self.frames[-1]
            if name == "id":
                ids.add(value or "")
            if value and tag == "use" and name.endswith("href"):
                references.add(value.removeprefix("#"))
            references.update(re.findall(r"url\(#([^)]*)\)", value or ""))


def test_figure_3_quick_then_resumed(small, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("figure3", "--quick", "--out", str(tmp_path / "a b")) == 0
    out = tmp_path / "a b"
    assert str(out / "index.html") in capsys.readouterr().out
    claims = json.loads((out / "claims.json").read_text())
    assert claims["quick"] is True
    made = claims["provenance"]
    assert made["command"].startswith("dilemma")
    assert made["machine"]["cores"] >= 1
    assert made["cpu_minutes"] > 0
    by_key = {c["key"]: c for c in claims["claims"]}
    assert by_key["reduction-mnist"]["verdict"] == "cannot be tested"
    assert by_key["reduction-ecp2011"]["verdict"] == "cannot be tested"  # a stand-in is not ECP2011
    assert {c["verdict"] for c in claims["claims"]} <= {
        "holds", "holds in part", "does not hold", "cannot be tested"
    }  # fmt: skip
    for name in ("figure3.png", "figure3.svg", "figure3_medium_readings.png"):
        assert (out / "figures" / name).stat().st_size > 10_000
    assert (out / "curves" / "medium.uncorrelated.csv").read_text().startswith("panel,reading,tree,order")
    kept = {p: p.read_bytes() for p in (out / "runs").iterdir()}
    assert call("figure3", "--quick", "--out", str(out)) == 0
    assert "there already" in capsys.readouterr().err
    assert kept == {p: p.read_bytes() for p in (out / "runs").iterdir()}


def test_a_run_that_was_stopped_goes_on_where_it_stood(small, tmp_path: Path) -> None:
    (task,) = runs.tasks(["medium"], data=None, out=tmp_path, quick=True)
    steps = runs.run_task(task)
    for _ in range(3):
        next(steps)
    steps.close()
    first = json.loads((tmp_path / "runs" / "medium.uncorrelated.json").read_text())
    assert len(first["methods"]) == 3
    rest = list(runs.run_task(task))
    last = json.loads((tmp_path / "runs" / "medium.uncorrelated.json").read_text())
    assert len(rest) + 3 == len(last["methods"])
    assert all(last["methods"][k] == first["methods"][k] for k in first["methods"])


def test_other_settings_are_not_taken_for_the_same_run(small, tmp_path: Path, monkeypatch) -> None:
    (task,) = runs.tasks(["medium"], data=None, out=tmp_path, quick=True)
    assert len(list(runs.run_task(task))) > 1
    panel = panels.PANELS["medium"]
    longer = {**panels.PANELS, "medium": Panel(panel.key, panel.title, panel.kind, panel.readings, 15, 15)}
    monkeypatch.setattr(runs, "PANELS", longer)
    assert "there already" not in next(runs.run_task(task))


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "{}", '{"methods": {"printed-raw":', "\x00" * 40, "[" * 9999]
)
def test_a_damaged_record_is_computed_again(small, tmp_path: Path, content: str) -> None:
    (task,) = runs.tasks(["medium"], data=None, out=tmp_path, quick=True)
    path = tmp_path / "runs" / "medium.uncorrelated.json"
    path.parent.mkdir()
    path.write_text(content)
    first, *rest = runs.run_task(task)
    assert first.startswith("medium.uncorrelated.json: ")
    assert first.endswith(", computed again")
    assert len(rest) == len(json.loads(path.read_text())["methods"])


def test_damaged_and_foreign_results_are_left_out_of_the_page_and_said_to_be(
    small, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A quick run's numbers do not stand on the page of a full one, nor half a file's anywhere."""
    out = tmp_path / "out"
    assert call("figure3", "--quick", "--out", str(out)) == 0
    assert call("figure2", "--out", str(out)) == 0  # not quick
    assert (
        "ks_24a.json: of another version, other data or other settings, left out" in capsys.readouterr().err
    )
    claims = json.loads((out / "claims.json").read_text())
    assert claims["quick"] is False
    assert claims["data"] == []
    assert {c["verdict"] for c in claims["claims"]} == {"cannot be tested"}
    (out / "runs" / "ks_24a.json").write_text("{")
    (out / "queue.json").write_text('{"mark": 1')
    (out / "curves" / "medium.uncorrelated.csv").write_text("panel,read")
    assert call("figure2", "--quick", "--out", str(out)) == 0
    said = capsys.readouterr().err
    assert "ks_24a.json: damaged, left out" in said
    assert "queue.json: damaged, left out" in said
    claims = json.loads((out / "claims.json").read_text())
    assert [row["data"] for row in claims["data"]] == ["ecp2011.channels-validation", "medium.uncorrelated"]
    assert (out / "curves" / "medium.uncorrelated.csv").read_text().count("\n") > 10
    assert call("figure3", "--quick", "--out", str(out)) == 0
    said = capsys.readouterr().err
    assert "ks_24a.json: damaged, computed again" in said
    assert "queue.json: damaged, computed again" in said
    assert "medium.uncorrelated: there already" in said
    assert len(json.loads((out / "claims.json").read_text())["data"]) == 3


def test_a_record_that_was_stopped_half_way_is_not_drawn(small, tmp_path: Path, capsys) -> None:
    (task,) = runs.tasks(["medium"], data=None, out=tmp_path, quick=True)
    steps = runs.run_task(task)
    next(steps)
    steps.close()
    assert call("figure2", "--quick", "--out", str(tmp_path)) == 0
    assert "medium.uncorrelated.json: not complete, left out" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c_keeps_what_is_done_and_the_same_command_goes_on_there(tmp_path: Path, jobs: str) -> None:
    """Ctrl-C as a terminal sends it: to the command and to its workers."""
    argv = [sys.executable, "-m", "dilemma", "reproduce", "figure3", "--quick", "--jobs", jobs]
    argv += ["--out", str(tmp_path / "o")]
    with subprocess.Popen(
        argv, stderr=subprocess.PIPE, text=True, start_new_session=True, env=_interruptible()
    ) as run:
        late = threading.Timer(120, os.killpg, (run.pid, signal.SIGKILL))  # rather a failure than no end
        late.start()
        said = []
        for line in run.stderr:
            said.append(line)
            if "best" in line:
                os.killpg(run.pid, signal.SIGINT)
                break
        said += run.stderr.readlines()
        run.wait()
        late.cancel()
    text = "".join(said)
    assert run.returncode == 130, text
    assert "stopped; what is done is kept in" in text
    assert "Traceback" not in text
    done = [json.loads(p.read_text()) for p in (tmp_path / "o" / "runs").glob("*.json")]
    assert done
    assert all(record["methods"] for record in done)
    assert not list((tmp_path / "o").rglob("*.part"))


def test_what_workers_reported_is_said_without_the_lock_of_their_queue() -> None:
    """A worker that was ended half-way may hold that lock for ever."""
    lines, over, said = get_context("spawn").SimpleQueue(), threading.Event(), []
    lines.put("one")
    with lines._wlock:
        teller = threading.Thread(target=runs._tell, args=(lines, over, said.append), daemon=True)
        teller.start()
        over.set()
        teller.join(timeout=30)
    assert not teller.is_alive()
    assert said == ["one"]


def _interruptible() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if not k.startswith("COV_")}


def test_figure_2_draws_every_step(tmp_path: Path) -> None:
    assert call("figure2", "--out", str(tmp_path)) == 0
    steps = sorted(p.name for p in (tmp_path / "figures").glob("figure2_step*.svg"))
    assert len(steps) == 16
    checker = Checker()
    checker.feed((tmp_path / "index.html").read_text())
    assert checker.outside == []
    assert "script" not in checker.seen
    assert checker.seen["svg"] == 16
    assert checker.seen["input"] == 17
    # A drawing that borrows a clip path from one that is hidden is clipped away.
    assert len(set(checker.ids)) == len(checker.ids)
    assert len(checker.frames) == 16
    for ids, references in checker.frames:
        assert references
        assert references <= ids


def test_table_1_agrees_with_the_paper_where_it_can_be_measured(tmp_path: Path) -> None:
    assert call("table1", "--out", str(tmp_path)) == 0
    table = json.loads((tmp_path / "table1.json").read_text())["content"]
    cells = {(r["row"], r["method"]): r for r in table["rows"]}
    for method in ("Greedy", "BB", "LDS", "DFS"):
        assert cells["Stochastic", method]["measured"] == "-"
    for method in ("BB", "LDS", "DFS"):
        assert cells["Optimal solution", method]["measured"] == "x"
        assert cells["Redundant computation", method]["measured"] == "-"
    assert cells["Needs a lower bound", "BB"]["measured"] == "x"
    assert cells["Needs a lower bound", "DFS"]["measured"] == "-"
    checker = Checker()
    checker.feed((tmp_path / "index.html").read_text())
    assert checker.seen["table"] >= 2


def test_wrong_inputs_are_errors_that_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="--data: expected a folder"):
        call("figure3", "--data", str(tmp_path / "none"), "--out", str(tmp_path / "o"))
    assert not (tmp_path / "o").exists()
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileNotFoundError, match=r"--data: expected the idx files of MNIST.* found none"):
        call("figure3", "--data", str(tmp_path / "empty"), "--out", str(tmp_path / "o"))
    assert not (tmp_path / "o").exists()
    (tmp_path / "cut").mkdir()
    (tmp_path / "cut" / "knapPI_1_100_1000_1.txt").write_text("100 995\n94 485\n")
    with pytest.raises(FormatError, match="truncated: expected 100 items"):
        call("all", "--data", str(tmp_path / "cut"), "--out", str(tmp_path / "o"))
    assert not (tmp_path / "o").exists()
    (tmp_path / "file").write_text("")
    for wrong in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(OSError, match="--out: expected a folder that can be written, got"):
            call("theory", "--quick", "--out", str(wrong))
    with pytest.raises(SystemExit):
        call("figure9")
    with pytest.raises(SystemExit):
        call("all", "--jobs", "0")


def test_real_data_are_found_and_told_apart_from_stand_ins() -> None:
    folder = Path(__file__).parents[3] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("needs ../shared/data")
    with (folder / "knapsack" / "index.csv").open() as stream:
        optima = {Path(row["file"]).stem: float(row["optimum"]) for row in csv.DictReader(stream)}
    for panel in PANELS.values():
        for reading in panel.readings if panel.kind == "knapsack" else ():
            loaded = loading.load(panel, reading, [folder], quick=False)
            assert loaded.real
            facts = loaded.make().facts()
            assert facts["optimum"] == optima[panels.file_of(panel, reading)]
    facades = loading.load(PANELS["ecp2011"], "channels-validation", [folder], quick=False)
    assert facades.real
    assert "9 of the 104" in facades.origin
    arena = facades.make()
    assert arena.facts()["classes"] == 7
    assert loading.folders_for(None, quick=True) == []  # quick: generated, unless a folder is named
    assert loading.folders_for(folder, quick=True) == [folder]
    assert loading.load(PANELS["ks_24a"], "", [], quick=True).real is False


def test_another_set_in_the_format_of_mnist_is_not_taken_for_it(tmp_path: Path) -> None:
    """Fashion-MNIST in the cache is no MNIST; what it gives decides nothing."""
    folder = tmp_path / "fashion-mnist"
    folder.mkdir()
    for name, shape in zip(NAMES, ((2, 2, 2), (2,), (1, 2, 2), (1,)), strict=True):
        head = struct.pack(f">BBBB{len(shape)}I", 0, 0, 8, len(shape), *shape)
        (folder / name).write_bytes(head + bytes(math.prod(shape)))
    loaded = loading.load(PANELS["mnist"], "validation", [tmp_path], quick=True)
    assert not loaded.real
    assert loaded.origin == "not MNIST: fashion-mnist, 2 + 1"
    assert loading.origins(tmp_path, quick=True)["Decision tree, MNIST"].origin == loaded.origin


def test_several_workers_give_the_same_records_and_report_progress(tmp_path: Path) -> None:
    """Real panels, the smallest of them, in two processes and in one."""
    said: list[str] = []
    for jobs in (1, 2):
        todo = runs.tasks(["ks_24a"], data=None, out=tmp_path / str(jobs), quick=True)
        runs.run_all(todo, jobs=jobs, say=said.append)
    both = [json.loads((tmp_path / str(jobs) / "runs" / "ks_24a.json").read_text()) for jobs in (1, 2)]
    for key, method in both[0]["methods"].items():
        for a, b in zip(method["runs"], both[1]["methods"][key]["runs"], strict=True):
            assert a["improvements"] == b["improvements"]
    assert len(said) == 2 * len(both[0]["methods"])
