# SPDX-License-Identifier: MIT
"""`mpipp report`: the results of a watched run as text, and in formats for other programs."""

from __future__ import annotations

import html
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pexpect
import pytest

from tests import support
from tests.reports import reports
from tests.support import MPI, on_mpi

SCHEMA = Path(__file__).resolve().parent / "sarif-2.1.0.json"

TEXT = """\
mpipp run --check=fast --report report --mpiexec {mpiexec} -n 2 -- ./wrong ./libgrid.so
  {name}, started TIME, took N s, exit status 0

grid.c:6: warning: 1 datatype is not freed
  ranks 0 and 1: MPI_Datatype #N, CONTIGUOUS[3], size 12, extent 12, not committed
    made at grid.c:6 in grid_setup, in libgrid.so
      6 | MPI_Type_contiguous(3, MPI_INT, row);
  rule: MPI-4.1, section 11.2.2: a program should free its objects before MPI_Finalize
  to do: call MPI_Type_free after the last use
  MUST: MUST_ERROR_LEAK_DATATYPE
  stop there: --stop-at DIR:N

error: the types sent and received do not match, after 2 elements: MPI_INT is sent, \
MPI_DOUBLE received
  rank 0: MPI_Send(dest = 1, tag = 7, comm = "MPI_COMM_WORLD", buf = 4 RESIZED[0, 24])
    called at wrong.c:35 in exchange
      35 | MPI_Send(all, 4, particle, 1, 7, MPI_COMM_WORLD);
    sends MPI_INT: buf(RESIZED)[0](STRUCT)[1][0](INT)
  rank 1: MPI_Recv(source = 0, tag = 7, comm = "MPI_COMM_WORLD", buf = 12 MPI_DOUBLE)
    called at wrong.c:37 in exchange
      37 | MPI_Recv(all, 12, MPI_DOUBLE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    receives MPI_DOUBLE: buf[2](DOUBLE)
    message number 5
  rule: MPI-4.1, section 3.3.1: the types sent and received must match, in the same order
  to do: describe the same basic types in the same order on both sides
  MUST: MUST_ERROR_TYPEMATCH_MISMATCH
  stop there: --stop-at DIR:N

wrong.c:54: error: the types sent and received do not match, at the first element: \
MPI_INT is sent, MPI_FLOAT received
  rank 0: MPI_Bcast(root = 0, comm = "<img src=x onerror=alert(3)>\\"'&\\033]0;title\\a\\\\xc3(", \
buffer = 4 MPI_INT)
    called at wrong.c:54 in main
      54 | MPI_Bcast(data, 4, rank == 0 ? MPI_INT : MPI_FLOAT, 0, comm);
    sends MPI_INT: buffer(INT)
  rank 1: MPI_Bcast(root = 0, comm = "<img src=x onerror=alert(3)>\\"'&\\033]0;title\\a\\\\xc3(", \
buffer = 4 MPI_FLOAT)
    called at wrong.c:54 in main
    receives MPI_FLOAT: buffer(FLOAT)
    collective call number 2
  rule: MPI-4.1, section 6.2: the amount and types of data sent must equal those received
  to do: describe the same basic types in the same order on both sides
  MUST: MUST_ERROR_TYPEMATCH_MISMATCH
  stop there: --stop-at DIR:N

2 errors, 1 warning in 2 processes (48 MPI calls checked)
"""


def same(text: str) -> str:
    """The text without parts that vary between runs."""
    text = re.sub(r"started \S+, took [\d.]+ s", "started TIME, took N s", text)
    text = re.sub(r"--stop-at \S+:\d+", "--stop-at DIR:N", text)
    return re.sub(r"MPI_Datatype #\d+", "MPI_Datatype #N", text)


@on_mpi("mpich4", "openmpi4")
def test_text(mpi: MPI) -> None:
    run = reports.once(mpi.id)
    name = {"mpich4": "MPICH", "openmpi4": "Open MPI"}[mpi.id]
    found = same(support.with_short_points(reports.asked(run)))
    found = re.sub(rf"(?m)^  {name} [\d.]+,", f"  {name},", found)
    expected = mpi.cited(TEXT.format(mpiexec=shlex.quote(" ".join(mpi.mpiexec)), name=name))
    # The order of the findings depends on the times at which the watcher checks.
    assert sorted(found.split("\n\n")) == sorted(expected.split("\n\n"))


@on_mpi("mpich4")
def test_text_has_colours_on_a_terminal(mpi: MPI) -> None:
    run = reports.once(mpi.id)
    words = [sys.executable, "-m", "mpipp.cli", "report", str(run.report)]
    env = support.clean_environment(PYTHONPATH=str(support.ROOT), TERM="xterm")
    for more, colours in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
        said = pexpect.run(shlex.join(words), env={**env, **more}, encoding="utf-8")
        assert ("wrong.c:54: \033[0m\033[1;31merror:\033[0m the types" in said) == colours
        assert ("\033[1;31m2 errors, 1 warning in 2 processes" in said) == colours
        assert ("\033" in said) == colours


@on_mpi("mpich4", "openmpi4")
def test_findings_have_one_order_and_number_in_all_reports(mpi: MPI) -> None:
    run = reports.once(mpi.id)
    text = support.without_points(reports.asked(run))
    page = reports.asked(run, "--format", "html")
    log = json.loads(reports.asked(run, "--format", "sarif"))
    blocks = [block for block in text.split("\n\n") if "\n  stop there: " in block]
    assert re.findall(r"--stop-at \S+:(\d+)\n", text) == ["1", "2", "3"]
    assert re.findall(r"<code>mpipp run --stop-at \S+:(\d+) ", page) == ["1", "2", "3"]
    headlines = [block.splitlines()[0].partition(": ") for block in blocks]
    assert [severity for severity, _, _ in headlines] == ["error", "error", "warning"]
    contents = re.findall(r'<li id="row-f(\d)">.*?<a href="#\S+">(.*?)</a>', page)
    assert contents == [(str(n), what) for n, (_, _, what) in enumerate(headlines, 1)]
    results = log["runs"][0]["results"]
    told = [one["message"]["text"].splitlines()[0] for one in results]
    assert told == ["".join(parts) for parts in headlines]


@on_mpi("openmpi4")
def test_the_command_can_be_typed_again(mpi: MPI) -> None:
    run = reports.once(mpi.id)
    typed = reports.asked(run).splitlines()[0]
    assert " ".join(mpi.mpiexec) in shlex.split(typed)
    assert f"<code>{html.escape(typed)}</code>" in reports.asked(run, "--format", "html")
    log = json.loads(reports.asked(run, "--format", "sarif"))
    assert log["runs"][0]["invocations"][0]["commandLine"] == typed


@on_mpi("mpich4", "openmpi4")
def test_json(mpi: MPI) -> None:
    run = reports.once(mpi.id)
    content = json.loads(reports.asked(run, "--format", "json"))
    whole = json.loads((run.report / "findings.json").read_text())
    assert content == whole
    assert (content["errors"], content["warnings"], content["more"]) == (2, 1, 0)
    found = {finding["id"]: finding for finding in content["findings"]}
    leak, message, bcast = (
        found[name] for name in ("datatype-leak", "message-types", "collective-types")
    )
    (place,) = leak["parties"][0]["frames"]
    assert (place["library"], place["function"], place["line"]) == ("libgrid.so", "grid_setup", 6)
    assert place["source"][place["line"] - place["first"]].strip().startswith("MPI_Type_contig")
    around = message["timeline"]
    assert around["lanes"] == ["rank 0 sends", "rank 1 receives"]
    assert around["before"] == 1
    assert [row["ordinal"] for row in around["rows"]][:4] == [2, 3, 4, 5]
    assert [cell["data"] for row in around["rows"] if row["here"] for cell in row["cells"]] == [
        "4 RESIZED[0, 24]",
        "12 MPI_DOUBLE",
    ]
    # Calls without a time get the time of the call before.
    times = {
        row["ordinal"]: row["cells"][1]["seconds"]
        for row in around["rows"]
        if row["cells"][1]["seconds"] is not None
    }
    assert list(times) == [5, 6, 7, 8], times
    assert 0 < times[5] < times[6] < times[7] < times[8] < 600, times
    assert leak["timeline"]["now"] == [
        {"process": "ranks 0 and 1", "text": "in MPI_Finalize, called at wrong.c:59 in main"}
    ]
    assert [[cell["call"] for cell in row["cells"]] for row in bcast["timeline"]["rows"]] == [
        ["MPI_Barrier"] * 2,
        ["MPI_Bcast"] * 2,
    ]
    assert [buffer["count"] for party in message["parties"] for buffer in party["buffers"]] == [
        4,
        12,
    ]


@on_mpi("mpich4", "openmpi4")
def test_sarif(mpi: MPI) -> None:
    run = reports.once(mpi.id)
    log = json.loads(reports.asked(run, "--format", "sarif"))
    jsonschema.validate(log, json.loads(SCHEMA.read_text()))
    (one,) = log["runs"]
    assert one["originalUriBaseIds"] == {"SRCROOT": {"uri": run.directory.as_uri() + "/"}}
    places = {}
    for result in one["results"]:
        rule = one["tool"]["driver"]["rules"][result["ruleIndex"]]
        assert rule["id"] == result["ruleId"]
        where = result["locations"][0]["physicalLocation"]
        assert where["artifactLocation"]["uri"].startswith("file:///")
        name = where["artifactLocation"]["uri"].rsplit("/", 1)[1]
        places[result["ruleId"]] = name, where["region"]["startLine"], result["level"]
    assert places == {
        "datatype-leak": ("grid.c", 6, "warning"),
        "message-types": ("wrong.c", 35, "error"),
        "collective-types": ("wrong.c", 54, "error"),
    }
    # A viewer takes such text for a link.
    assert "](" not in json.dumps(log)
    assert any("buf(RESIZED)[0] (STRUCT)[1]" in one["message"]["text"] for one in one["results"])
    leak = next(one for one in one["results"] if one["ruleId"] == "datatype-leak")
    assert leak["properties"] == {"libraries": ["libgrid.so"]}


@on_mpi("mpich4")
def test_formats_for_continuous_integration(mpi: MPI) -> None:
    run = reports.once(mpi.id)
    (suite,) = ElementTree.fromstring(reports.asked(run, "--format", "junit"))
    failures = {case.get("name", "").partition(" at ")[0]: case.find("failure") for case in suite}
    failed = {name for name, failure in failures.items() if failure is not None}
    assert failed == {"message-types", "collective-types"}
    assert failures["datatype-leak"] is None
    lines = reports.asked(run, "--format", "github").splitlines()
    found = {re.sub(r"file=\S*/", "file=", line).partition("::error: ")[0] for line in lines}
    assert "::error file=wrong.c,line=35,title=mpipp%3A message-types" in found
    assert "::error file=wrong.c,line=54,title=mpipp%3A collective-types" in found


def test_where_there_is_nothing(tmp_path: Path) -> None:
    done = support.shell("report", tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"mpipp: cannot read {tmp_path}/findings.json (No such file or directory): "
        "a run with mpipp run --check --report DIR writes it\n"
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is not JSON: run the program again"),
        ("[" * 100000, "is not JSON: run the program again"),
        ("[]", "is damaged: run the program again"),
        (
            '{"mpipp": 1, "command": "check"}',
            "was not written by this version of mpipp: run the program again",
        ),
        ('{"mpipp": 1, "command": "run", "calls": "x"}', "is damaged: calls has another type"),
        (
            '{"mpipp": 1, "command": "run", "findings": [3]}',
            "is damaged: run the program again",
        ),
    ],
)
def test_what_is_damaged(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "findings.json").write_text(content)
    done = support.shell("report", tmp_path, "--format", "html")
    assert done.stderr == f"mpipp: {tmp_path}/findings.json {said}\n"
    assert done.returncode == 2


def test_of_which_rank_the_numbers_are(tmp_path: Path) -> None:
    party = {"process": "ranks 0 and 1", "text": "MPI_Group #3, size = 2, rank = 0"}
    shown = {"shown_as": "rank 0", "parties": [party]}
    finding = {"check": "group-leak", "severity": "warning", **shown}
    content = {"mpipp": 1, "command": "run", "findings": [finding]}
    (tmp_path / "findings.json").write_text(json.dumps(content))
    page = support.shell("report", tmp_path, "--format", "html").stdout
    assert '<p class="dim">shown as in rank 0</p>' in page


def test_who_reads_it_has_enough(tmp_path: Path) -> None:
    content = {"mpipp": 1, "command": "run", "not_checked": ["x" * 1_000_000]}
    (tmp_path / "findings.json").write_text(json.dumps(content))
    words = [sys.executable, "-m", "mpipp.cli", "report", str(tmp_path)]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=support.ROOT
    ) as asked:
        assert asked.stdout is not None and asked.stderr is not None
        asked.stdout.close()
        assert asked.stderr.read() == b""
    assert asked.returncode == 141
