# SPDX-License-Identifier: MIT
"""Loading, settings, print options, completion and help, and messages without a process
or wrapper."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests import support
from tests.gdb import expectations

MARK = ["break mark", "run", "frame function main"]
START = "start the program with mpipp run or mpipp gdb."
MISSING = f"mpipp: there is no mpipp wrapper in this process: {START}"
VEC = '{kind = VECTOR, count = 3, blocklength = 2, stride = 4, type = "MPI_DOUBLE"}'


@pytest.fixture(scope="module")
def mpi() -> support.MPI:
    return support.find_mpi(support.MPI_IDS[0])


@pytest.fixture(scope="module")
def program(mpi: support.MPI) -> Path:
    return support.compile_program(support.program_source("gdb", "commands.c"), mpi)


def said(program: Path, mpi: support.MPI, *commands: str, **options: object) -> str:
    return support.gdb_batch(commands, program=program, mpi=mpi, stop=MARK, **options)  # type: ignore[arg-type]


def test_print_settings(program: Path, mpi: support.MPI) -> None:
    output = said(
        program,
        mpi,
        "print/r vec == vec",
        "print -max-depth 1 -- t",
        "print -elements 2 -- s_type",
        "print -pretty -- vec",
        "set print elements 4",
        "mpipp vec matrix",
        "set print elements 200",
        "set print repeats 2",
        "mpipp vec zeros",
        "print -max-depth 1 -- matrix",
        "set print max-depth 1",
        "mpipp vec matrix",
    )
    expected = """\
$1 = 1
$2 = {kind = CONTIGUOUS, name = "two rows", count = 2, type = {...}, state = "not committed"}
$3 = {kind = STRUCT, count = 3...}
$4 = {
  kind = VECTOR,
  count = 3,
  blocklength = 2,
  stride = 4,
  type = "MPI_DOUBLE"
}
{{0.5, 1.5}, {4.5, 5.5}...}
{{0, 0} <repeats 3 times>}
$5 = {address = %p, call = "MPI_Irecv", request = 1, count = 1, type = {...}, data = {...}}
{{...} <repeats 3 times>}
"""
    if support.gdb_version() < (11,):  # gdb before 11 counts a word as a level, too
        word = re.compile(r'(kind|name|state|call) = ("[^"]*"|\w+)')
        lines = [
            word.sub(r"\1 = {...}", line) if "{...}" in line else line
            for line in expected.splitlines()
        ]
        expected = "\n".join(lines).replace("address = %p", "address = {...}") + "\n"
    assert re.sub("0x[0-9a-f]+", "%p", output) == expected


def test_raw_and_switched_off(program: Path, mpi: support.MPI) -> None:
    plain = "{{0.5, 1.5, 2.5, 3.5}, {4.5, 5.5, 6.5, 7.5}, {8.5, 9.5, 10.5, 11.5}}"
    output = said(
        program,
        mpi,
        "print/r matrix",
        "set mpipp buffers off",
        "print matrix",
        "show mpipp",
        "set mpipp buffers on",
        "disable pretty-printer global mpipp;MPI_Datatype",
        "print vec == list[0]",
        "output/x vec",
    )
    assert output.splitlines()[:3] == [
        f"$1 = {plain}",
        f"$2 = {plain}",
        "Communication buffers are shown by their datatype: off.",
    ]
    assert re.search(r"\$3 = 1\n0x[0-9a-f]+$", output)


def test_strings_and_small_types_in_buffers(mpi: support.MPI) -> None:
    source = support.program_source("gdb", "values.c")
    program = support.compile_program(source, mpi)
    expectations.check(source, mpi, program=program, stop=["break mark", "run"])


def test_loading_again(program: Path, mpi: support.MPI, tmp_path: Path) -> None:
    link = tmp_path / "elsewhere.py"
    link.symlink_to(support.PRINTERS)
    output = said(program, mpi, f"source {link}", f"source {link}", "print vec", "mpipp vec[1][1]")
    assert output.startswith(f"$1 = {VEC}\nvec(VECTOR)[1][1](DOUBLE)\n")


def test_damaged_records(program: Path, mpi: support.MPI) -> None:
    # Overwrite the combiner and the arguments of two datatypes in the process's memory.
    damage = (
        "import mpipp.gdb.program.sessions as sessions\n"
        "registry = sessions.required().registry\n"
        "def poke(name, field, value):\n"
        "    found = registry.find('datatype', int(gdb.parse_and_eval(name)))\n"
        "    layout, table = registry._source.layout, registry._source.table('datatype')\n"
        "    offset = layout.field(table.record, field).offset\n"
        "    gdb.execute(f'set {{int}}{found.header.record + offset} = {value}')\n"
        "poke('s_type', 'arguments', 16)\n"
        "poke('vec', 'combiner', 77)\n"
    )
    output = said(
        program,
        mpi,
        f"python exec({damage!r})",
        "print s_type",
        "print vec",
        "print t",
        "mpipp vec",
        "mpipp list types",
        "print world",
    )
    assert re.match(r"\$1 = <.+>\n\$2 = <77 is not a value of combiner>\n\$3 = <.+>\n77 is", output)
    assert '$4 = {name = "MPI_COMM_WORLD", rank = 0, size = 1}\n' in output
    assert "Traceback" not in output and "Python Exception" not in output, output


def test_autoload(program: Path, mpi: support.MPI) -> None:
    output = said(program, mpi, "print vec", printers=False)
    assert output == f"$1 = {VEC}\n"


def test_gdb_runs_the_script_beside_the_wrapper(program: Path, mpi: support.MPI) -> None:
    # Without any setting by the user, gdb must not warn that it declined to load the script.
    words = [support.need("gdb"), "-nx", "-q", "-batch"]
    for command in (
        f"source {support.PRINTERS}",
        f"source {support.PRINTERS}",
        "show auto-load safe-path",
        f"set exec-wrapper env LD_PRELOAD={mpi.wrapper}",
        "break MPI_Init",
        "run",
    ):
        words += ["-ex", command]
    words.append(str(program))
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=mpi.env)
    assert done.stdout.count(f":{support.CACHE}") == 1, done.stdout
    assert "auto-loading has been declined" not in done.stdout + done.stderr


def test_without_the_wrapper(program: Path, mpi: support.MPI) -> None:
    output = said(program, mpi, "mpipp vec", "print matrix[0]", "output vec", wrapper=False)
    assert output.splitlines()[:2] == [
        "There is no mpipp wrapper in this process: start the program with mpipp run or mpipp gdb.",
        "$1 = {0.5, 1.5, 2.5, 3.5}",
    ]
    assert output.splitlines()[2] == MISSING
    assert re.fullmatch("-?[0-9]+", output.splitlines()[3])


def test_that_the_wrapper_is_missing_is_said_once(program: Path, mpi: support.MPI) -> None:
    typed = [*MARK, "echo @@@\\n", "print vec", "print s_type", "info locals", "kill"]
    done = subprocess.run(
        [*support.gdb_words(mpi, wrapper=False), str(program)],
        env=dict(mpi.env),
        input="".join(f"{line}\n" for line in typed),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    after = done.stdout.partition("(gdb) @@@\n")[2]
    lines = after.splitlines()
    assert re.fullmatch(r"\(gdb\) \$1 = -?\d+", lines[0]), after
    assert lines[1] == MISSING
    assert re.fullmatch(r"\(gdb\) \$2 = -?\d+", lines[2]), after
    assert after.count(MISSING) == 1


def test_without_a_process(program: Path) -> None:
    output = support.gdb_batch(["mpipp vec", "mpipp info", "mpipp"], program=program)
    nothing = "There is no process and no core file: run the program or open a core."
    assert output.splitlines()[:2] == [nothing, nothing]
    assert output.splitlines()[2].startswith("mpipp TYPE [ADDR [COUNT]]")
    assert support.gdb_batch(["mpipp make nosuch"]) == (
        "No symbol table is loaded: there is no debug information here; "
        "compile with -g, or select a frame.\n"
    )


def test_before_and_after_mpi(program: Path, mpi: support.MPI) -> None:
    stop = ["break main", "run"]
    output = support.gdb_batch(
        ["output vec", "echo \\n", "break exit", "continue", "mpipp info"],
        program=program,
        mpi=mpi,
        stop=stop,
    )
    assert re.match(r"<unknown MPI_Datatype 0x[0-9a-f]+>\n", output), output
    assert re.search(r"\nprocess   rank 0 of 1, pid \d+, MPI finalized\n", output), output


def test_info(program: Path, mpi: support.MPI) -> None:
    output = said(program, mpi, "mpipp info")
    assert re.fullmatch(
        r"process   rank 0 of 1, pid \d+, MPI started\n"
        r"library   MPICH Version: [34]\.\S+\n"
        r"wrapper   for MPICH, built with .+\n"
        r"objects   3 datatypes, 1 request\n",
        output,
    ), output


def test_pretty_printers_are_listed(program: Path, mpi: support.MPI) -> None:
    output = said(program, mpi, "info pretty-printer global mpipp")
    assert output.split() == [
        "global", "pretty-printers:", "mpipp", "MPI_Comm", "MPI_Datatype", "MPI_Errhandler",
        "MPI_File", "MPI_Group", "MPI_Info", "MPI_Message", "MPI_Op", "MPI_Request",
        "MPI_Session", "MPI_Status", "MPI_Win", "buffer",
    ]  # fmt: skip


def test_completion(program: Path) -> None:
    completed = {
        "mpipp p": ["print", "py"],
        "mpipp l": ["list"],
        "mpipp list r": ["requests"],
        "mpipp list types --ki": ["--kind"],
        "mpipp list types --kind H": ["HINDEXED", "HINDEXED_BLOCK", "HVECTOR"],
        "mpipp print make_r": ["make_record"],
        "set mpipp ": ["buffers", "colour", "summary"],
        "set mpipp colour ": ["auto", "off", "on"],
    }
    output = support.gdb_batch(
        [word for typed in completed for word in ("echo @@@\\n", f"complete {typed}")],
        program=program,
        stop=["list main"],
    )
    found = {
        typed: [line.split()[-1] for line in lines.splitlines() if line.startswith(typed.rstrip())]
        for typed, lines in zip(completed, output.split("@@@\n")[1:])
    }
    assert found == completed


def test_help() -> None:
    commands = ["mpipp", "mpipp print", "mpipp list", "mpipp info", "mpipp py", "set mpipp",
                "set mpipp buffers", "show mpipp colour"]  # fmt: skip
    output = support.gdb_batch(
        [word for command in commands for word in ("echo @@@\\n", f"help {command}")]
    )
    assert "not documented" not in output
    said = output.split("@@@\n")[1:]
    assert len(said) == len(commands), output
    for command, one in zip(commands, said):
        assert re.match(r"[A-Z].*\.\n", one), command


def test_settings_that_are_not_there() -> None:
    assert support.gdb_batch(["set mpipp", "set mpipp buffer_s on"]).splitlines() == [
        'Name a setting of mpipp: see "show mpipp".',
        'There is no such setting of mpipp: see "show mpipp".',
    ]


def test_too_old(tmp_path: Path) -> None:
    fake = "import gdb; gdb.VERSION = 'Fedora 9.2'"
    output = support.gdb_batch([f"python {fake}", f"source {support.PRINTERS}"], printers=False)
    assert output == "mpipp: this is gdb Fedora 9.2, mpipp needs gdb 10 or newer\n"
