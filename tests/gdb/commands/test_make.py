# SPDX-License-Identifier: MIT
"""The output of `mpipp make`, and its verdict in `mpipp compare`."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests import support
from tests.gdb import expectations, transcript

PROGRAMS = expectations.PROGRAMS
MARK = ("break mark", "run", "up")


def source(text: str, ending: str) -> Path:
    """A file with this text. Equal texts share a file."""
    digest = hashlib.sha256(text.encode()).hexdigest()[:10]
    path = support.BUILD / "sources" / digest / f"made{ending}"
    path.parent.mkdir(parents=True, exist_ok=True)
    with support.locked(path.with_suffix(".lock")):
        if not path.exists():  # another process must not read an incomplete file
            path.write_text(text)
    return path


def made(commands: list[str], program: str, mpi: support.MPI) -> list[str]:
    """The output of `mpipp make` for each of these words."""
    compiled = support.compile_program(support.program_source("gdb", program), mpi)
    typed: list[str] = []
    for words in commands:
        typed += [f"mpipp make {words}", "echo @@@\\n"]
    output = support.gdb_batch(typed, program=compiled, mpi=mpi, stop=MARK)
    return output.split("@@@\n")[:-1]


def compared(words: list[str], program: Path, mpi: support.MPI) -> list[str]:
    """The verdict of `mpipp compare` for each of these words."""
    commands = [f"mpipp compare {each}" for each in words]
    output = support.gdb_batch(commands, program=program, mpi=mpi, stop=MARK)
    return output.splitlines()


@support.on_mpi("mpich4")
def test_what_is_printed_of_c(mpi: support.MPI) -> None:
    program = support.compile_program(support.program_source("gdb", "compare.c"), mpi)
    transcript.hold("make_c.txt", program=program, mpi=mpi, stop=MARK)


@support.on_mpi("mpich4")
def test_what_is_printed_of_cxx(mpi: support.MPI) -> None:
    program = support.compile_program(support.program_source("gdb", "compare.cc"), mpi)
    transcript.hold("make_cxx.txt", program=program, mpi=mpi, stop=MARK)


@support.on_mpi("mpich4")
def test_what_is_printed_of_fortran(mpi: support.MPI) -> None:
    program = support.compile_program(support.program_source("gdb", "compare.f90"), mpi)
    transcript.hold("make_fortran.txt", program=program, mpi=mpi, stop=MARK)


C_MAIN = """
#include "{programs}/mark.h"
int main(int argc, char **argv) {{
  MPI_Init(&argc, &argv);
  MPI_Datatype node = node_type(), particle = make_particle(), mixed = make_mixed();
  struct node one;
  mixed_t other;
  (void)one, (void)other;
  mark();
  MPI_Finalize();
  return node == particle || node == mixed;
}}
"""


@support.each_handle
def test_c_compiles_and_is_right(mpi: support.MPI) -> None:
    codes = made(["struct node --name node_type", "mixed_t --name make_mixed"], "compare.c", mpi)
    head = f'#include "{PROGRAMS}/types/compare_types.h"\n'
    # Both codes contain the function for the particle, which the program may have only once.
    shared = codes[1].index("// struct particle")
    own = codes[1].index("// mixed_t")
    code = codes[0] + codes[1][:shared] + codes[1][own:]
    text = head + code + C_MAIN.format(programs=PROGRAMS)
    flags = ("-g", "-O0", "-std=c11", "-Wall", "-Wextra", "-Werror")
    program = support.compile_program(source(text, ".c"), mpi, flags)
    said = compared(
        ["node with struct node", "particle with struct particle", "mixed with mixed_t"],
        program,
        mpi,
    )
    assert said == [
        "matches: node, 56 elements, fits struct node (208 bytes); "
        "not covered: node.next (struct node *) at 120",
        "matches: particle, 14 elements, fits struct particle (40 bytes); every member is covered",
        "matches: mixed, 52 elements, fits mixed_t (152 bytes); every member is covered",
    ]


CXX_MAIN = """
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Datatype circle = make_Circle(), point = make_point();
  int counter = 0;
  shapes::Circle one(counter);
  shapes::Point<double> other(1, 2, 3);
  mark();
  MPI_Finalize();
  return circle == point;
}
"""


@support.on_mpi("mpich4", "openmpi4")
def test_cxx_compiles_and_is_right(mpi: support.MPI) -> None:
    names = ["circle", "shapes::Point<double> --name make_point"]
    code = "".join(made(names, "compare.cc", mpi))
    types = support.program_source("gdb", "compare.cc").read_text().partition("struct Mesh")[0]
    types = types.replace('"../mark.h"', f'"{PROGRAMS}/mark.h"')
    flags = ("-g", "-O0", "-Wall", "-Wno-invalid-offsetof", "-Wno-cast-function-type", "-Werror")
    program = support.compile_program(source(types + code + CXX_MAIN, ".cc"), mpi, flags)
    words = ["circle with shapes::Circle", "point with shapes::Point<double>"]
    assert compared(words, program, mpi) == [
        "matches: circle, 14 elements, fits shapes::Circle (104 bytes); not covered: "
        "shapes::Circle.counter (int &) at 40, "
        "shapes::Circle.more (std::vector<int, std::allocator<int> >) at 80",
        "matches: point, 3 elements, fits shapes::Point<double> (24 bytes); "
        "every member is covered",
    ]


FORTRAN_MAIN = """
program test
  use mpi_f08
  use {module}
  implicit none
  type(MPI_Datatype) :: {names}
  call MPI_Init()
  {statements}
  call mark()
  call MPI_Finalize()
end program
"""


def fortran_main(module: str, **made_by: str) -> str:
    """A program that creates datatypes, each by a function of the module."""
    statements = "\n  ".join(f"{name} = {function}()" for name, function in made_by.items())
    return FORTRAN_MAIN.format(module=module, names=", ".join(made_by), statements=statements)


@support.every_fortran
def test_fortran_compiles_and_is_right(mpi: support.MPI) -> None:
    code = "".join(made(["one", "type(weighted) --name heavy"], "compare.f90", mpi))
    module = (
        support.program_source("gdb", "compare.f90").read_text().partition("  subroutine send")[0]
    )
    module = module.replace("  use mpi\n", "")
    main = fortran_main("shapes", of_particle="make_particle", of_heavy="heavy")
    text = module + code + "end module\n" + main
    program = support.compile_program(source(text, ".f90"), mpi, ("-g", "-O0", "-Wall", "-Werror"))
    assert compared(
        ["of_particle with type(particle)", "of_heavy with type(weighted)"], program, mpi
    ) == [
        "matches: of_particle, 20 elements, fits type(particle) (272 bytes); not covered: "
        "particle%list (real(kind=4), allocatable (:)) at 120, "
        "particle%plane (real(kind=4) (:,:)) at 184",
        "matches: of_heavy, 3 elements, fits type(weighted) (24 bytes); every member is covered",
    ]


PYTHON_MAIN = """
made = [node_type(), make_particle()]
for number, datatype in enumerate(made):
    datatype.Set_name(f"made {number}")
MPI.COMM_SELF.Barrier()
"""

# A datatype by its name, because gdb does not know Python's variables.
COMPARE_NAMED = (
    "python from mpipp.gdb.program import sessions; "
    "gdb.execute('mpipp compare %d with {type}' % next(found.header.handle "
    "for found in sessions.current().registry.objects('datatype') "
    "if found.header.name == '{name}'))"
)


@support.on_mpi("mpich4", "mpich5", "openmpi5")
def test_mpi4py_runs_and_is_right(mpi: support.MPI) -> None:
    (code,) = made(["struct node --mpi4py --name node_type"], "compare.c", mpi)
    script = source(code + PYTHON_MAIN, ".py")
    types = support.compile_program(support.program_source("gdb", "compare.c"), mpi)
    output = support.gdb_batch(
        [
            COMPARE_NAMED.format(type="struct node", name="made 0"),
            COMPARE_NAMED.format(type="struct particle", name="made 1"),
        ],
        program=mpi.python,
        args=[str(script)],
        mpi=mpi,
        stop=[
            "mpipp break MPI_Barrier",
            "run",
            "delete",
            f"add-symbol-file {types} 0",
            "set language c",
        ],
    )
    said = [line.partition(", fits ")[2] for line in output.splitlines()]
    assert said == [
        "struct node (208 bytes); not covered: node.next (struct node *) at 120",
        "struct particle (40 bytes); every member is covered",
    ], output


ODD_C = """
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Datatype shared = make_shared_t(), packed = make_packed_t(), links = make_links_t();
  shared_t one;
  packed_t other;
  links_t last;
  (void)one, (void)other, (void)last;
  mark();
  MPI_Finalize();
  return shared == packed || shared == links;
}
"""


@pytest.mark.thorough
@support.on_mpi("mpich4", "openmpi4")
def test_odd_structs_of_c(mpi: support.MPI) -> None:
    codes = made(["shared_t", "packed_t", "links_t", "nothing", "*huge"], "odd_members.c", mpi)
    assert codes[0].splitlines()[3:8] == [
        "// shared_t, 8 bytes",
        "MPI_Datatype make_shared_t(void) {",
        "  const int blocklengths[2] = {4, 1};",
        "  const MPI_Aint displacements[2] = {",
        "    0,  // bit fields a:3,b:10: as bytes",
    ]
    assert codes[2].splitlines()[3:13] == [
        "// links_t, 48 bytes",
        "// left out: first has nothing to send: next is a pointer; previous is a pointer",
        "// left out: second has nothing to send: next is a pointer; previous is a pointer",
        "MPI_Datatype make_links_t(void) {",
        "  const int blocklengths[3] = {8, 4, 1};",
        "  const MPI_Aint displacements[3] = {",
        "    offsetof(links_t, z),  // z is complex int: as bytes",
        "    offsetof(links_t, value),  // value is a union: as bytes",
        "    offsetof(links_t, last),",
        "  };",
    ]
    assert codes[3:] == [
        "struct nothing has nothing to send: no members.\n",
        "c has 3000000000 elements: a blocklength is at most 2147483647.\n",
    ]
    types = support.program_source("gdb", "odd_members.c").read_text().partition("int main")[0]
    types = types.replace('"../mark.h"', f'"{PROGRAMS}/mark.h"')
    program = support.compile_program(source(types + "".join(codes[:3]) + ODD_C, ".c"), mpi)
    words = ["shared with shared_t", "packed with packed_t", "links with links_t"]
    assert compared(words, program, mpi) == [
        "matches: shared, 5 elements, fits shared_t (8 bytes); every member is covered",
        "matches: packed, 8 elements, fits packed_t (8 bytes); every member is covered",
        "matches: links, 13 elements, fits links_t (48 bytes); not covered: "
        "links_t.first.next (struct list *) at 0, links_t.first.previous (struct list *) at 8, "
        "links_t.second.next (struct list *) at 16, links_t.second.previous (struct list *) at 24",
    ]


ODD_CXX = """
int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Datatype both = make_Both(), derived = make_Derived(), inside = make_Inside();
  MPI_Datatype library = make_Library();
  Both one{};
  Derived other{};
  Inside third;
  Library last{};
  mark();
  MPI_Finalize();
  return both == derived || inside == library;
}
"""


@pytest.mark.thorough
@support.on_mpi("mpich4", "openmpi4")
def test_odd_classes_of_cxx(mpi: support.MPI) -> None:
    codes = made(["both", "derived", "inside", "library"], "odd_members.cc", mpi)
    lines = "".join(codes[:3]).splitlines()
    assert [line for line in lines if "  // " in line or "left out" in line] == [
        "    0,  // Base::id",
        "    4,  // Other::id",
        "    0,  // Base::id",
        "    0,  // id is private",
        "    4,  // unnamed is private",
    ]
    types = support.program_source("gdb", "odd_members.cc").read_text().partition("// Here")[0]
    types = types.replace('"../mark.h"', f'"{PROGRAMS}/mark.h"')
    flags = ("-g", "-O0", "-Wall", "-Wno-invalid-offsetof", "-Wno-cast-function-type")
    program = support.compile_program(source(types + "".join(codes) + ODD_CXX, ".cc"), mpi, flags)
    words = ["both with Both", "derived with Derived", "inside with Inside", "library with Library"]
    space = "(anonymous namespace)::"
    assert compared(words, program, mpi) == [
        f"matches: both, 4 elements, fits {space}Both (16 bytes); every member is covered",
        f"matches: derived, 2 elements, fits {space}Derived (8 bytes); every member is covered",
        f"matches: inside, 3 elements, fits {space}Inside (12 bytes); every member is covered",
        f"matches: library, 4 elements, fits {space}Library (48 bytes); not covered: "
        "Library.text.start (const char *) at 24, Library.nothing (std::nullptr_t) at 32",
    ]


@support.on_mpi("mpich4")
def test_a_member_that_another_hides_is_not_covered_by_it(mpi: support.MPI) -> None:
    program = support.compile_program(support.program_source("gdb", "odd_members.cc"), mpi)
    assert compared(["of_derived with derived"], program, mpi) == [
        "matches with 1 remark: of_derived, 1 element, fits derived "
        "((anonymous namespace)::Derived, 8 bytes)",
        "  the extent is 4 bytes, but sizeof((anonymous namespace)::Derived) is 8: with a count "
        "above 1 further entries are out of place: use MPI_Type_create_resized",
        "  not covered: derived.id at 4",
    ]


@pytest.mark.thorough
@support.every_fortran
def test_odd_derived_types_of_fortran(mpi: support.MPI) -> None:
    (code,) = made(["one"], "odd_members.f90", mpi)
    module = support.program_source("gdb", "odd_members.f90").read_text().partition("end module")[0]
    text = module + code + "end module\n" + fortran_main("odd", of_mixture="make_mixture")
    program = support.compile_program(source(text, ".f90"), mpi, ("-g", "-O0", "-Wall"))
    assert compared(["of_mixture with type(mixture)"], program, mpi) == [
        "matches: of_mixture, 75 elements, fits type(mixture) (288 bytes); not covered: "
        "mixture%text (PTR TO -> ( character*0 )) at 208, "
        "mixture%_text_length (integer(kind=8)) at 272"
    ]
