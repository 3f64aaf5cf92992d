# SPDX-License-Identifier: MIT
"""Run commands in a terminal, and draw them with their output as SVG: docs/images/terminal.svg.

`python -m tools.record_terminal [FILE]` runs COMMANDS in a new directory. The lines appear one
after the other. Viewers that reduce motion show all of them at once.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

import pexpect
from rich.console import Console
from rich.style import Style
from rich.text import Text

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "images" / "terminal.svg"
COMMANDS = (
    "mpicc -g examples/rows.c -o rows",
    "mpiexec -n 4 ./rows wrong",
    "mpipp run --check -n 4 -- ./rows wrong",
)
_COLUMNS = 112
_CELL, _LINE, _MARGIN = 8.0, 19, 16
_SIZE = 13.3  # pixels of the font, for which a character is _CELL wide
_PAUSE, _STEP = 0.9, 0.04  # seconds before and after a command, and between lines
_PROMPT = Style(color="green", bold=True)
# Red, green, yellow, blue, magenta and cyan, by their numbers in terminal escape sequences.
_COLOURS = dict(enumerate("#ff7b72 #7ee787 #e3b341 #79c0ff #d2a8ff #56d4dd".split(), 1))
_STANDARD = 16  # number of colours; the second half is bright
_PATIENCE = 300


class Line(NamedTuple):
    """A line of the terminal, and the time at which it appears, in seconds."""

    text: Text
    time: float


def record(commands: Sequence[str], directory: Path) -> list[Line]:
    """Run commands in a terminal, and return its lines."""
    lines: list[Line] = []
    time = 0.0
    for command in commands:
        lines.append(Line(Text.assemble(("$ ", _PROMPT), command), time))
        time += _PAUSE
        for text in _output(command, directory):
            lines.append(Line(text, time))
            time += _STEP
        time += _PAUSE if lines[-1].text.plain else 0
    return lines


def _output(command: str, directory: Path) -> Iterator[Text]:
    path = f"{directory}/bin:{os.environ['PATH']}"
    terminal = {**os.environ, "TERM": "xterm-256color", "PATH": path, "PYTHONPATH": str(ROOT)}
    said = pexpect.run(
        f"/bin/sh -c {_quoted(command)}",
        cwd=str(directory),
        env=terminal,
        encoding="utf-8",
        timeout=_PATIENCE,
        dimensions=(50, _COLUMNS),
    )
    # A progress line is overwritten several times: show only its last text.
    lines = [line.rstrip("\r").rpartition("\r")[2] for line in str(said).split("\n")]
    while lines and not Text.from_ansi(lines[-1]).plain.strip():
        lines.pop()
    for line in lines:
        yield from Text.from_ansi(line).wrap(Console(width=_COLUMNS), _COLUMNS)


def prepare(directory: Path) -> None:
    """Copy the examples into a directory, with commands of one MPI, because Debian has several."""
    shutil.copytree(ROOT / "examples", directory / "examples")
    (directory / "bin").mkdir()
    words = {name: shutil.which(f"{name}.mpich") or name for name in ("mpicc", "mpiexec")}
    words["mpipp"] = f"{sys.executable} -m mpipp.cli"
    for name, command in words.items():
        script = directory / "bin" / name
        script.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        script.chmod(0o755)
    # Build the wrapper now, so that the recording does not show it.
    wrapper = [sys.executable, "-m", "mpipp.cli", "wrapper", "--mpicc", words["mpicc"]]
    subprocess.run(wrapper, cwd=ROOT, check=True, capture_output=True)


def _quoted(command: str) -> str:
    return "'" + command.replace("'", "'\\''") + "'"


def svg(lines: Sequence[Line]) -> str:
    """The lines as an SVG picture."""
    width = _COLUMNS * _CELL + 2 * _MARGIN
    height = len(lines) * _LINE + 2 * _MARGIN
    spoken = escape("\n".join(line.text.plain for line in lines))
    drawn = "\n".join(_drawn(number, line) for number, line in enumerate(lines))
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img">
<title>A terminal session with mpipp</title>
<desc>{spoken}</desc>
<style>
text {{ font: {_SIZE}px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; fill: #e6edf3;
  white-space: pre; }}
.b {{ font-weight: bold; }}
.d {{ opacity: 0.7; }}
@media (prefers-reduced-motion: no-preference) {{
  .l {{ animation: appear 0.01s both; }}
  @keyframes appear {{ from {{ visibility: hidden; }} to {{ visibility: visible; }} }}
}}
</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
{drawn}
</svg>
"""


def _drawn(number: int, line: Line) -> str:
    top = _MARGIN + number * _LINE + 0.7 * _LINE
    spans = "".join(_spans(line.text))
    return (
        f'<text class="l" style="animation-delay: {line.time:.2f}s" '
        f'x="{_MARGIN}" y="{top:.1f}">{spans}</text>'
    )


def _spans(text: Text) -> Iterator[str]:
    console = Console(width=_COLUMNS, color_system="standard", force_terminal=True)
    column = 0
    for segment in text.render(console):
        if not segment.text or segment.text == "\n":
            continue
        style = segment.style or Style()
        # Each word has its own position, so that the picture does not depend on the viewer's font.
        for word in re.finditer(r"\S+(?: \S+)*", segment.text):
            x = _MARGIN + (column + word.start()) * _CELL
            length = len(word[0]) * _CELL
            yield (
                f'<tspan x="{x:.0f}" textLength="{length:.0f}"{_look(style)}>'
                f"{escape(word[0])}</tspan>"
            )
        column += len(segment.text)


def _look(style: Style) -> str:
    classes = " ".join(word for word, has in (("b", style.bold), ("d", style.dim)) if has)
    number = style.color.number if style.color else None
    colour = None if number is None or number >= _STANDARD else _COLOURS.get(number % 8)
    found = f' class="{classes}"' if classes else ""
    return found + (f' fill="{colour}"' if colour else "")


def main() -> int:
    """Record the commands, and write the picture; returns the exit status."""
    picture = Path(sys.argv[1]) if sys.argv[1:] else PICTURE
    with tempfile.TemporaryDirectory(prefix="mpipp-terminal-") as name:
        directory = Path(name)
        prepare(directory)
        picture.write_text(svg(record(COMMANDS, directory)))
    print(f"{picture}: written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
