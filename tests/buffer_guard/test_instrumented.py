# SPDX-License-Identifier: MIT
"""Programs compiled by `mpipp cc`: each access is reported, with any size and place."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.short import some
from tests.support import MPI, ROOT, need, on_mpi, repeated, shell
from tests.watcher import runs

STORE = "a store to the buffer of a pending MPI_Issend: stores to "
STORE_RECEIVED = "a store to the buffer of a pending MPI_Irecv: stores to "
GIVEN_BACK = "the buffer of a pending MPI_Issend is freed: frees the memory, which contains "
LOAD = "a load from the buffer of a pending MPI_Irecv: loads "
FOUND = [
    f"{STORE_RECEIVED}buf(INT) in stores_int",
    f"{LOAD}buf(INT) in loads_int",
    f"{STORE}buf(INT) in stores_int",
    f"{STORE}buf(BYTE) in stores_byte",
    f"{STORE}buf[23](BYTE) in stores_byte",
    f"{STORE}buf(BYTE) in straddles",
    f"{STORE_RECEIVED}buf(VECTOR)[3][0](DOUBLE) in stores_double",
    f"{STORE}buf[2](DOUBLE) in stores_vector",
    f"{STORE}buf[7](DOUBLE) in adds_atomically",
    f"{STORE}buf(DOUBLE) in copies",
    f"{STORE}buf(DOUBLE) in copies_struct",
    f"{LOAD}buf(DOUBLE) in loops",
    f"{STORE}buf[1](DOUBLE) in stores_there",
    f"{LOAD}buf[23](BYTE) in loads_byte",
    f"{LOAD}buf(BYTE) in loads_straddling",
    f"{LOAD}buf[2](DOUBLE) in loads_vector",
    f"{STORE_RECEIVED}buf[7](DOUBLE) in adds_to_received",
    f"{LOAD}buf(DOUBLE) in copies_from",
    f"{LOAD}buf[1](DOUBLE) in loads_there",
]
WIDTHS = ["4", "4", "4", "1", "1", "8", "8", "16", "8", "56", "40", "8", "8"]
WIDTHS += ["1", "8", "16", "8", "56", "8"]
LOOKED_AT = [("MPI_Irecv", "10"), ("MPI_Issend", "9")]
OUTPUT = "7 1.4822e-323\n"


def compiled(mpi: MPI, where: Path, command: str, name: str, *flags: str, with_: str = "") -> Path:
    """A program compiled by `mpipp COMMAND`, with Clang or with the MPI compiler's own compiler."""
    known = {key: mpi.env[key] for key in ("LD_LIBRARY_PATH",) if key in mpi.env}
    language = {"cc": "CC", "c++": "CXX"}.get(command, "FC")
    chosen = {f"MPICH_{language}": with_, f"OMPI_{language}": with_} if with_ else {}
    compiler = {"cc": mpi.mpicc, "c++": mpi.mpicxx}.get(command, mpi.mpifort)
    words: list[str | Path] = [
        command,
        "--mpicc",
        str(compiler),
        "-g",
        *flags,
        runs.program_source(name),
    ]
    program = where / f"{Path(name).stem}-{with_ or 'gcc'}"
    done = shell(*words, "-o", program, env={**known, **chosen})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return program


def told(block: str) -> str:
    """A report without its variable parts: the access, its element, and its place."""
    headline, access, at, *_ = block.splitlines()
    access = access.removeprefix("  rank 0: ")
    what = re.sub(r" at 0x[0-9a-f]+(, which contains .*)?.*", r"\1", access).rstrip(",")
    function = re.sub(r"    at \S+:\d+ ", "", at)
    return f"{headline.removeprefix('error: ')}: {what} {function}"


@on_mpi("mpich4", "openmpi4")
def test_each_access_is_told_and_what_is_right_is_as_without(mpi: MPI, tmp_path: Path) -> None:
    with_ = Path(need("clang")).name if mpi.id == "openmpi4" else ""
    program = compiled(mpi, tmp_path, "cc", "compiled.c", "-O2", "-pthread", with_=with_)
    run = runs.run(mpi, [program, "wrong"], "--check=buffers", "--report", str(tmp_path / "report"))
    assert ([told(block) for block in run.blocks], run.status) == (FOUND, 0)
    sizes = [re.search(r"in an access of ([\d,]+) byte", block) for block in run.blocks]
    assert [one and one[1] for one in sizes] == WIDTHS
    table = shell("report", tmp_path / "report").stdout.partition("not at all  by each access\n")[2]
    assert re.findall(r"  (MPI_I\w+), .* (\d+)\n", table) == LOOKED_AT
    right = runs.run(mpi, [program], "--check=buffers")
    assert (right.status, right.output, right.blocks) == (0, OUTPUT, [])
    assert re.fullmatch(
        r"mpipp: no errors in 2 processes \([\d,]+ MPI calls checked\)", right.last[-1]
    )
    alone = mpi.run([program], n=2, preload=False)
    assert (alone.returncode, alone.stdout) == (0, OUTPUT)


@on_mpi("mpich4", "openmpi4")
def test_a_line_is_told_once_and_what_comes_after_many_is_not_lost(
    mpi: MPI, tmp_path: Path
) -> None:
    program = compiled(mpi, tmp_path, "cc", "unrolled.c", "-O2")
    run = runs.run(mpi, [program, "wrong"], "--check=buffers", n=1)
    assert [told(block) for block in run.blocks] == [
        f"{STORE}buf(DOUBLE) in first",
        f"{STORE}buf[5](DOUBLE) in second",
    ]
    assert all("MPI_Wait, which completes it, came after" in block for block in run.blocks)
    assert run.last[0] == (
        "mpipp: not checked: 8 loads or stores in buffers of pending operations: too many between "
        "two MPI calls"
    )
    assert len(run.last) == 2 and run.last[1].startswith("mpipp: 2 errors in 1 process (")
    right = runs.run(mpi, [program], "--check=buffers", n=1)
    assert (right.status, right.blocks) == (0, [])


@on_mpi("mpich4")
def test_accesses_that_are_not_understood_are_counted(mpi: MPI, tmp_path: Path) -> None:
    source = tmp_path / "segment.c"
    source.write_text(
        "int loads(int __attribute__((address_space(256))) * at) { return at[0] + at[1]; }\n"
    )
    clang = Path(need("clang")).name
    program = compiled(mpi, tmp_path, "cc", "unrolled.c", "-O2", str(source), with_=clang)
    run = runs.run(mpi, [program], "--check=buffers", n=1)
    assert run.last[:-1] == [
        f"mpipp: not checked: 2 loads or stores of {source}: their code could not be followed"
    ]


@on_mpi("mpich4", "openmpi4")
def test_what_is_right_in_operations_of_each_kind_is_not_told(mpi: MPI, tmp_path: Path) -> None:
    program = runs.compiled(runs.program_source("guarded.c"), mpi, tmp_path)
    run = runs.run(mpi, [program, tmp_path], "--check=buffers")
    assert (run.status, run.output, run.blocks) == (0, "done\n", [])
    program = runs.compiled(runs.program_source("guarded_random.c"), mpi, tmp_path)
    for words in (("1", str(some(60))), ("7", str(some(25)), "threads")):
        alone = mpi.run([program, *words], n=3, preload=False).stdout
        run = runs.run(mpi, [program, *words], "--check=buffers", n=3)
        assert (run.status, run.output, run.blocks) == (0, alone, [])
        assert alone and "lost" not in alone


@pytest.mark.parametrize("command", ["cc", "c++", "fortran"])
def test_the_help_names_the_checks_that_it_is_for(command: str) -> None:
    said = " ".join(shell(command, "--help").stdout.split())
    assert "so that --check=buffers,rma checks every load and store" in said


def test_what_is_not_possible_is_a_sentence(tmp_path: Path) -> None:
    def said(*words: str) -> str:
        done = shell(*words, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        return done.stderr

    mpicc = need("mpicc.mpich")
    assert said("cc") == "mpipp: nothing to compile: see mpipp cc --help\n"
    assert said("cc", "--mpicc", "/no/mpicc", "a.c") == (
        "mpipp: there is no compiler /no/mpicc: name one with --mpicc\n"
    )
    assert said("cc", "--mpicc", mpicc, "-fsanitize=address", "a.c") == (
        "mpipp: -fsanitize=address cannot be combined with mpipp cc, which uses the compiler's "
        "instrumentation itself: leave it out\n"
    )
    assert said("cc", "--mpicc", need("python3"), "a.c").endswith(
        "which is neither GCC nor Clang: name another with --mpicc\n"
    )


def test_a_compilers_own_words_go_through(tmp_path: Path) -> None:
    mpicc = need("mpicc.mpich")
    alone = subprocess.run([mpicc, "--version"], capture_output=True, text=True, check=True)
    done = shell("cc", "--mpicc", mpicc, "--version")
    assert (done.returncode, done.stdout) == (0, alone.stdout)
    (tmp_path / "wrong.c").write_text("int main(void) { return nothing; }\n")
    done = shell("cc", "--mpicc", mpicc, "-c", "wrong.c", cwd=tmp_path)
    assert done.returncode == 1 and "nothing" in done.stderr


@pytest.mark.parametrize("with_", ["gcc", "clang"])
def test_a_compiler_that_says_what_it_does_compiles_for_mpipp_too(
    with_: str, tmp_path: Path
) -> None:
    (tmp_path / "store.c").write_text("void store(int *place) { *place = 1; }\n")
    mpicc, chosen = need("mpicc.mpich"), {"MPICH_CC": need(with_)}
    words = ["cc", "--mpicc", mpicc, "-O2", "-c", "store.c", "-o"]
    objects = []
    for name, verbose in (("quiet.o", []), ("verbose.o", ["-v"])):
        done = shell(*words, name, *verbose, cwd=tmp_path, env=chosen)
        assert (done.returncode, bool(done.stderr)) == (0, bool(verbose))
        objects.append((tmp_path / name).read_bytes())
    assert objects[0] == objects[1]
    # Without a file, the compiler prints its version.
    done = shell("cc", "--mpicc", mpicc, "-v", cwd=tmp_path, env=chosen)
    assert done.returncode == 0 and "version" in done.stderr


FOUND_CXX = [
    f"{STORE}buf(BYTE) in stores_wide",
    f"{STORE}buf(BYTE) in stores_long",
    f"{STORE}buf(BYTE) in compare_exchange_strong (inlined)",
    f"{STORE}buf(BYTE) in fills",
    f"{STORE}buf(BYTE) in operator() (inlined)",
    f"{GIVEN_BACK}buf(BYTE) in gives_back",
]


@pytest.mark.parametrize("with_", ["", *repeated("clang++")])
@on_mpi("openmpi4")
def test_programs_in_cxx(mpi: MPI, with_: str, tmp_path: Path) -> None:
    if with_:
        need(with_)
    program = compiled(mpi, tmp_path, "c++", "compiled.cc", "-O2", "-pthread", with_=with_)
    run = runs.run(mpi, [program, "wrong"], "--check=buffers")
    assert (run.status, [told(block) for block in run.blocks]) == (0, FOUND_CXX)
    right = runs.run(mpi, [program], "--check=buffers")
    assert (right.output, right.blocks) == ("4 2.5 5 1.5 x\n", [])
    assert mpi.run([program], n=2, preload=False).stdout == right.output


FOUND_FORTRAN = [
    f"{STORE}buf(DOUBLE_PRECISION) in {name} (inlined)"
    for name in ("stores", "in_section", "copies")
]
FOUND_FORTRAN.append(f"{GIVEN_BACK}buf(DOUBLE_PRECISION) in gives_back (inlined)")


@on_mpi("mpich4")
def test_programs_in_fortran(mpi: MPI, tmp_path: Path) -> None:
    program = compiled(mpi, tmp_path, "fortran", "compiled.f90", "-O2")
    run = runs.run(mpi, [program, "wrong"], "--check=buffers")
    assert (run.status, [told(block) for block in run.blocks]) == (0, FOUND_FORTRAN)
    right = runs.run(mpi, [program], "--check=buffers")
    assert (right.output.split()[14], right.blocks) == ("3.5", [])
    assert mpi.run([program], n=2, preload=False).stdout == right.output


MAIN = """\
#include <mpi.h>
#include <sys/resource.h>
#include "part.h"
static const struct rlimit most = {8000000000, 8000000000};
static void limit(int argc) {
  if (argc > 1) setrlimit(RLIMIT_AS, &most);
}
__attribute__((section(".preinit_array"), used)) static void (*const first)(int) = limit;
int main(void) {
  int value = 1, sent = 5;
  MPI_Request request;
  MPI_Init(0, 0);
  MPI_Irecv(&value, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
  part(&value);
  MPI_Send(&sent, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return value != 5;
}
"""
PART = '#include "part.h"\nvoid part(int *at) { *at = 2; }\n'


@on_mpi("mpich4")
def test_objects_and_shared_libraries_are_made_apart(mpi: MPI, tmp_path: Path) -> None:
    (tmp_path / "main.c").write_text(MAIN)
    (tmp_path / "part.c").write_text(PART)
    (tmp_path / "part.h").write_text("void part(int *);\n")

    def compile_with(compiler: str, line: str) -> None:
        words = ["cc", "--mpicc", mpi.mpicc, "-g", *line.split()]
        done = shell(*words, env={"MPICH_CC": need(compiler)}, cwd=tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

    compile_with("clang", "-O2 -MD -c main.c")
    assert (tmp_path / "main.d").read_text().startswith("main.o: main.c ")
    compile_with("clang", "-O1 -fPIC -c part.c -o other.o")
    compile_with("clang", "-shared other.o -o libpart.so")
    compile_with("clang", f"main.o -o apart -L{tmp_path} -lpart -Wl,-rpath,{tmp_path}")
    run = runs.run(mpi, [tmp_path / "apart"], "--check=buffers", n=1)
    assert [told(block) for block in run.blocks] == [
        f"{STORE_RECEIVED}buf(INT) in part, in libpart.so"
    ]
    assert runs.run(mpi, [tmp_path / "apart", "limit"], "--check=buffers", n=1).last[0] == (
        "mpipp: not checked: accesses by instrumented code to buffers: no 16 TB of addresses "
        "(see ulimit -v)"
    )
    compile_with("gcc", "main.c part.c -oboth")
    done = mpi.run(["sh", "-c", f"ulimit -v 8000000; exec {tmp_path}/both"], preload=False)
    assert done.returncode == 127 and done.stderr.startswith(
        "mpipp: this program was compiled by mpipp with GCC, and has no 16 TB of addresses: "
        "run it without a limit of virtual memory (ulimit -v), or compile it without mpipp\n"
    )


LOOPS = {
    "upward": 20,
    "upward_of_int": 7,
    "upward_of_unsigned": 20,
    "unsigned_that_wraps": 5,
    "downward": 11,
    "downward_of_int": 19,
    "by_pointer": 18,
    "by_pointer_downward": 17,
    "by_two": 44,
    "with_step": 7,
    "with_end": 42,
    "with_condition": 10,
    "of_structures": 22,
    "of_bytes": 17,
    "elsewhere": 4,
    "in_rows": 40,
    "in_columns": 24,
    "in_triangle": 55,
    "in_three": 39,
    "until_found": 27,
    "never": 0,
    "once": 1,
}


@pytest.mark.parametrize("with_", ["clang", "gcc"])
def test_what_loops_touch_is_found_and_no_more(with_: str, tmp_path: Path) -> None:
    program = tmp_path / "loops"
    words = ["cc", "--mpicc", need(with_), "-O2", "-w", f"-I{ROOT / 'wrapper'}"]
    done = shell(*words, runs.program_source("loops.c"), "-o", program)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = subprocess.run([program], capture_output=True, text=True, timeout=60)
    *loops, at_once = done.stdout.splitlines()
    assert loops == [f"{name} {count}" for name, count in LOOPS.items()]
    assert (at_once == "kept at once: 0") == (with_ == "gcc")


@on_mpi("mpich4", "openmpi4")
def test_where_memory_is_counted_before_it_is_used(mpi: MPI, tmp_path: Path) -> None:
    program = runs.compiled(runs.program_source("overcommitted.c"), mpi, tmp_path)
    assert mpi.run([program], n=1, preload=False).stdout == "done\n"
    run = runs.run(mpi, [program], "--check=buffers", n=1)
    assert (run.status, run.output) == (0, "done\n")
    assert run.last == ["mpipp: 1 error in 1 process (5 MPI calls checked)"]
    (block,) = run.blocks
    assert "\n  rank 0: stores to buf[1](DOUBLE), at 0x" in block
    assert ", in an access of 8 bytes\n    at overcommitted.c:" in block


@on_mpi("mpich4", "openmpi4")
def test_what_functions_use_by_name_is_told(mpi: MPI, tmp_path: Path) -> None:
    with_ = Path(need("clang++" if mpi.id == "openmpi4" else "g++")).name
    other = ["-fsanitize=undefined"] if with_ == "g++" else []  # Clang's library may be missing
    for flags in (["-O0"], ["-O2"], ["-O3", *other]):
        words = ("named.cc", *flags, "-pthread")
        program = compiled(mpi, tmp_path, "c++", *words, with_=with_)
        run = runs.run(mpi, [program, "wrong"], "--check=buffers", n=1)
        assert [told(block) for block in run.blocks] == [
            f"{STORE_RECEIVED}buf(INT) in stores",
            f"{LOAD}buf(INT) in loads",
            f"{STORE_RECEIVED}buf[5](INT) in stores_element",
            f"{STORE_RECEIVED}buf[1](INT) in stores_row",
            f"{STORE_RECEIVED}buf(INT) in stores_member",
            f"{STORE_RECEIVED}buf(INT) in stores_in_scope",
        ]
        right = runs.run(mpi, [program], "--check=buffers", n=1)
        assert (right.status, right.output, right.blocks) == (0, "824\n", [])
        assert mpi.run([program], n=1, preload=False).stdout == "824\n"


@pytest.mark.thorough
@on_mpi("mpich4", "openmpi4")
def test_variables_are_looked_at_while_frames_come_and_go_around_them(
    mpi: MPI, tmp_path: Path
) -> None:
    for flags in (["-O0"], ["-O2", "-fsanitize=undefined"], ["-O3"]):
        program = compiled(mpi, tmp_path, "cc", "frames.c", *flags, "-pthread")
        run = runs.run(mpi, [program, "wrong"], "--check=buffers", n=1)
        assert [told(block) for block in run.blocks] == [
            f"{STORE_RECEIVED}buf(INT) in calls_deep",
            f"{STORE_RECEIVED}buf(INT) in recurs",
            f"{STORE_RECEIVED}buf(INT) in jumps_over",
            f"{STORE_RECEIVED}buf[6](INT) in of_any_length",
            f"{STORE_RECEIVED}buf(INT) in allocates",
            f"{STORE_RECEIVED}buf(INT) in has_much",
            f"{STORE_RECEIVED}buf[5](INT) in receives_into_much",
            f"{STORE_RECEIVED}buf(INT) in returns",
            f"{STORE_RECEIVED}buf(INT) in has_argument",
            f"{STORE_RECEIVED}buf(INT) in is_interrupted",
            f"{STORE_RECEIVED}buf(INT) in forks",
            f"{STORE_RECEIVED}buf(INT) in in_thread",
        ]
        right = runs.run(mpi, [program], "--check=buffers", n=1)
        assert (right.status, right.output, right.blocks) == (0, "done\n", [])
        assert mpi.run([program], n=1, preload=False).stdout == "done\n"


@on_mpi("mpich4", "openmpi4")
def test_what_procedures_in_fortran_use_by_name_is_told(mpi: MPI, tmp_path: Path) -> None:
    need("gfortran")
    for level in ("-O0", "-O3"):
        program = compiled(mpi, tmp_path, "fortran", "named.f90", level, "-w")
        run = runs.run(mpi, [program, "wrong"], "--check=buffers", n=1)
        assert [told(block).removesuffix(" (inlined)") for block in run.blocks] == [
            f"{STORE_RECEIVED}buf(INTEGER) in stores",
            f"{STORE_RECEIVED}buf[2](INTEGER) in stores_element",
            f"{STORE_RECEIVED}buf[1](INTEGER) in stores_automatic",
        ]
        right = runs.run(mpi, [program], "--check=buffers", n=1)
        assert (right.status, right.output.split(), right.blocks) == (0, ["6"], [])


@pytest.mark.thorough
@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3"])
def test_what_is_left_around_variables_is_taken_away(level: str, tmp_path: Path) -> None:
    program = tmp_path / "zones"
    words = ["cc", "--mpicc", need("gcc"), level, f"-I{ROOT / 'wrapper'}"]
    done = shell(*words, runs.program_source("zones.c"), "-o", program)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = subprocess.run([program], capture_output=True, text=True, timeout=60)
    assert done.stdout == "zones: left 0\nmarks: told 3, left 3\n"
