# SPDX-License-Identifier: MIT
"""The expected output of gdb, from comments in test programs.

Their form is `// $EXPR: TEXT` or `// $[mpich4] EXPR: TEXT`. In TEXT, %p stands for any address.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from tests import support

_HERE = Path(__file__).resolve().parent
PROGRAMS = _HERE / "programs"
FRAMES = _HERE / "gdb_frames.py"

_FUNCTION = re.compile(r"\w[^=;]*?(\w+)\([^;]*$")
_EXPECTATION = re.compile(r"(?://|!) \$(?:\[(?P<mpis>[^]]*)\] )?(?P<expression>.+?): (?P<text>.*)$")


class Expectation(NamedTuple):
    """gdb must print `text` for `expression` in the frame of `function`; `written` in this line."""

    function: str
    expression: str
    text: str
    line: int

    def matches(self, printed: str) -> bool:
        """Return whether gdb printed this."""
        pattern = re.escape(self.text).replace("%p", "0x[0-9a-f]+")
        return re.fullmatch(pattern, printed) is not None


def read(source: Path, mpi: str) -> list[Expectation]:
    """The expectations in a program's source for an MPI build, in order."""
    found = []
    function = "main"
    for number, line in enumerate(source.read_text().splitlines(), 1):
        start = _FUNCTION.match(line)
        if start:
            function = start.group(1)
        match = _EXPECTATION.search(line)
        if match and (not match["mpis"] or mpi in match["mpis"].split(",")):
            found.append(Expectation(function, match["expression"], match["text"], number))
    return found


def check(
    source: Path,
    mpi: support.MPI,
    *,
    stop: list[str],
    program: Path,
    function: str = "",
    **options: object,
) -> None:
    """Run gdb to a place by the commands `stop`, and compare its output with the comments.

    Args:
        function: the frame for all comments; by default the C function around each.
    """
    expected = read(source, mpi.id)
    assert expected, f"{source.name} expects nothing of {mpi.id}"
    commands = [f"source {FRAMES}"]
    for item in expected:
        commands.append(f"python select_frame('{function or item.function}')")
        commands += [f"output {item.expression}", "echo \\n"]
    output = support.gdb_batch(commands, program=program, mpi=mpi, stop=stop, **options)  # type: ignore[arg-type]
    printed = output.splitlines()[: len(expected)]
    wrong = [
        f"{source.name}:{item.line}: {item.expression}\n  expected {item.text}\n  printed  {text}"
        for item, text in zip(expected, printed)
        if not item.matches(text)
    ]
    assert not wrong and len(printed) == len(expected), "\n".join([*wrong, output])
