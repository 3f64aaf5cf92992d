# SPDX-License-Identifier: MIT
"""Programs with arbitrary text for names in their debug information, under gdb with mpipp."""

from __future__ import annotations

import random
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests import support

PROGRAMS = Path(__file__).with_name("programs")
LANGUAGES = ("c", "cc", "f90")
KINDS = (
    "array base empty file function global hidden local member module operation space type typedef"
).split()
TOGETHER = 20  # cases of one gdb
CANARY = "canary"  # the file that a command hidden in a name creates, in gdb's directory
_LONG = re.compile(rb"long_([a-z]+)_a{20,}")
_FILE = "long_file_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
STOP = ("mpipp break MPI_Recv", "run", "echo \\n")
_MARK = b"---8<---\n"
_PIECES = (
    *(b"\n", b"\r", b"\t", b"\b", b"\f", b" ", b"\n\n", b"\x1a\x1a", b"\x7f", b"\x9b", b"\xc2\x9b"),
    *(b"\xff", b"\xe2\x80\xae", b"\xe2\x80\xa8", b"\xc3\xa9", b"\xed\xa0\x80", b"\xf0\x9f\x98\x80"),
    *(
        b'"',
        b"'",
        b"`",
        b"\\",
        b"$",
        b"%",
        b"%s%n",
        b"{}",
        b"{0}",
        b"(",
        b")",
        b"[",
        b"]",
        b"{",
        b"}",
    ),
    *(
        b"<",
        b">",
        b"::",
        b":",
        b";",
        b",",
        b"*",
        b"&",
        b"@",
        b"#",
        b"/",
        b"/*",
        b"//",
        b"-",
        b"--all",
    ),
    *(b"0", b"1e9", b"struct ", b"(anonymous namespace)", b"<incomplete type>", b"  private:\n"),
    *(
        b"\x1b[31m",
        b"\x1b]0;title\x07",
        b"\x1b[2J",
        b"\x1bP",
        b"std::vector<",
        b"_vptr",
        b"MPI_Comm",
    ),
    *(b"type = class x {\n", b"\nshell touch canary\n", b"\n!touch canary\n", b"$(touch canary)"),
    *(b"\npython open('canary', 'w')\n", b'$_shell("touch canary")', b"|touch canary;", b"a", b"_"),
)

# Commands as a user types them. Variables with short names have types and members with long ones.
COMMANDS: Mapping[str, Sequence[str]] = {
    "any": (
        *("mpipp", "mpipp type", "mpipp type 0", "mpipp print type", "mpipp info", "mpipp py 1"),
        *(
            "mpipp list calls",
            "mpipp list calls --ranks",
            "mpipp list types",
            "mpipp list requests",
        ),
        *("mpipp list ops --all --json", "mpipp list messages", "mpipp list types --made x.c:1"),
        *("mpipp check", "mpipp check --leaks --json", "mpipp why", "mpipp why --json"),
        *("mpipp why --picture", "mpipp why --svg /dev/null", "mpipp typesig type"),
        *("mpipp match type with type", "mpipp blocks type --map", "mpipp compare"),
        *(
            "mpipp compare --json",
            "mpipp compare --elements",
            "mpipp rank 0",
            "mpipp attach 4194304",
        ),
        *("mpipp guard all", "mpipp break MPI_Ssend", "mpipp browse --terminal type"),
        "mpipp frame",
    ),
    "c": (
        *("mpipp compare type with here", "mpipp compare type with *pointer", "mpipp make here"),
        *("mpipp make *pointer --mpi4py", "mpipp type &here", "mpipp type pointer"),
        *("mpipp overlap type &here with type pointer", "mpipp watch type[0] &here", "mpipp op"),
        *("mpipp print here", "mpipp compare type with here.unnamed", "output here.bits"),
    ),
    "cc": (
        *("mpipp compare type with here", "mpipp compare type with *pointer", "mpipp make here"),
        *("mpipp compare type with many", "mpipp make many[0] --mpi4py", "mpipp type many"),
        *("mpipp overlap type &here with type pointer", "mpipp print here", "mpipp type here"),
    ),
    "f90": (
        *("mpipp compare type with here", "mpipp make here", "mpipp compare type with any"),
        *("mpipp compare type with local", "mpipp type here", "mpipp make local --mpi4py"),
        *("mpipp print here", "mpipp overlap type here with type local"),
    ),
}


def program(language: str, mpi: support.MPI) -> Path:
    """The program with long names, in a file with a long name."""
    directory = support.BUILD / "sources" / "names"
    directory.mkdir(parents=True, exist_ok=True)
    source = directory / f"{_FILE}.{language}"
    with support.locked(directory / f"lock-{language}"):
        text = (PROGRAMS / f"names.{language}").read_bytes()
        if not source.exists() or source.read_bytes() != text:
            source.write_bytes(text)
    # With a build id, gdb would use cached data of another file with the same id.
    return support.compile_program(source, mpi, ["-g", "-O0", "-w", "-Wl,--build-id=none"])


def renamed(found: Path, name: bytes, to: Path, kinds: Sequence[str] = ()) -> Path:
    """A copy of a program in which each long name, or those of some kinds, begins like `name`."""

    def put(long: re.Match[bytes]) -> bytes:
        kind = long[1].decode()
        if kinds and kind not in kinds:
            return long[0]
        # Names of different kinds stay different.
        return (name + kind.encode()).ljust(len(long[0]), b"a")[: len(long[0])]

    to.write_bytes(_LONG.sub(put, found.read_bytes()))
    to.chmod(0o755)
    return to


def drawn(chance: random.Random) -> bytes:
    """A random name of at most 40 bytes."""
    pieces = chance.choices(_PIECES, k=chance.choice((1, 1, 2, 3, 5)))
    return b"".join(pieces)[:40]


def commands(language: str) -> list[str]:
    """All commands of mpipp, and other commands that print its objects."""
    return [*COMMANDS["any"], *COMMANDS[language]]


def said(
    found: Path,
    asked: Sequence[str],
    mpi: support.MPI,
    directory: Path,
    core: Path | None = None,
    charset: str = "C.UTF-8",
) -> list[tuple[str, bytes]]:
    """The raw output of gdb for each command, run in `directory`.

    Without a core file, gdb stops the program in MPI_Recv. The caller's frame is selected.
    """
    words = [*support.gdb_words(mpi), "-iex", "set breakpoint pending on", "-batch"]
    # Printers of other packages fail at a name that is not UTF-8.
    words += ["-iex", "set auto-load python-scripts off"]
    words += ["-iex", "disable pretty-printer global builtin"]
    for command in ("mpipp frame",) if core else STOP:
        words += ["-ex", command]
    for command in asked:
        words += ["-ex", f"echo {_MARK.decode().rstrip()}\\n", "-ex", command]
    words += [str(found), *([str(core)] if core else [])]
    done = subprocess.run(
        words,
        env={**mpi.env, "LC_ALL": charset},
        cwd=directory,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=support.LONGEST,
        check=False,
    )
    texts = done.stdout.split(_MARK)[1:]
    ended = f"gdb ended, status {done.returncode}: {done.stdout[-2000:]!r}"
    assert len(texts) == len(asked), ended
    return list(zip(asked, texts))


_OBEYED = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
# gdb's own output when it looks up a symbol.
_OF_GDB = re.compile(r"(?m)^warning: (could not convert|charset conversion failure) .*\n.*\n")
_FAILED = re.compile(r"Traceback|Python Exception|Error (?:while|occurred)|internal-error")


def wrong(texts: Sequence[tuple[str, bytes]], directory: Path) -> Iterator[str]:
    """The errors in these outputs."""
    if (directory / CANARY).exists():
        (directory / CANARY).unlink()
        yield "a name was run as a command"
    for command, raw in texts:
        # Bytes that are not UTF-8 become surrogates (PEP 383).
        text = _OF_GDB.sub("", raw.decode(errors="surrogateescape"))
        if command.startswith("mpipp") and (_FAILED.search(text) or _OBEYED.search(text)):
            yield f"{command}: {raw[:2000]!r}"


class _Case(NamedTuple):
    seed: int
    program: Path
    asked: list[str]


def run(seeds: range, mpi_id: str) -> Iterator[str]:
    """The failures with random names, each with its seed. All use one core file."""
    mpi = support.find_mpi(mpi_id)
    language = LANGUAGES[seeds[0] // TOGETHER % len(LANGUAGES)]
    whole = program(language, mpi)
    with tempfile.TemporaryDirectory(prefix="mpipp-names-") as place:
        directory = Path(place)
        said(whole, ["gcore core"], mpi, directory)
        every = [_case(seed, whole, language, directory) for seed in seeds]
        try:
            yield from _wrong(every, whole, mpi, directory)
        except AssertionError:
            for one in every:
                yield from _alone(one, whole, mpi, directory)


def _case(seed: int, whole: Path, language: str, directory: Path) -> _Case:
    chance = random.Random(seed)
    kinds = chance.sample(KINDS, chance.choice((1, 2, len(KINDS))))
    to = renamed(whole, drawn(chance), directory / f"program{seed}", kinds)
    return _Case(seed, to, [f"file {to}", "mpipp frame", *chance.sample(commands(language), 12)])


def _wrong(cases: Sequence[_Case], whole: Path, mpi: support.MPI, directory: Path) -> list[str]:
    asked = [command for one in cases for command in one.asked]
    texts = said(whole, asked, mpi, directory, directory / "core")
    found, of = [], -1
    for command, text in texts:
        of += command.startswith("file ")
        for sentence in wrong([(command, text)], directory):
            found.append(f"names, seed {cases[of].seed}: {sentence}")
    return found


def _alone(one: _Case, whole: Path, mpi: support.MPI, directory: Path) -> list[str]:
    try:
        return _wrong([one], whole, mpi, directory)
    except AssertionError as error:
        words = [*support.gdb_words(mpi, printers=False), "-batch"]
        for command in ("backtrace", *("up", "print type", "info locals") * 4):
            words += ["-ex", command]  # some names end gdb without mpipp, too
        words += [str(one.program), str(directory / "core")]
        done = subprocess.run(
            words, cwd=directory, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        if done.returncode < 0 or b"internal-error" in done.stdout + done.stderr:
            return []
        return [f"names, seed {one.seed}: {error}"]
