# SPDX-License-Identifier: MIT
"""The output of `mpipp print EXPR --ranks`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mpipp.common import output_file
from mpipp.common.errors import MpippError
from mpipp.gdb import job_ranks
from mpipp.gdb.all_ranks import values
from mpipp.gdb.all_ranks.values import Values
from mpipp.gdb.parser import operands
from mpipp.ranks import gathered_values, stored_values, value_plot
from mpipp.ranks import values as merged
from mpipp.ranks.value_plot_svg import svg

_USAGE = "mpipp print EXPR --ranks, with one of --plot, --svg FILE and --save FILE"


def lines(argument: str) -> Iterable[str]:
    """The values of all ranks as text, or as a picture. Raises MpippError."""
    picture, rest = operands.option_file(argument, "--svg")
    store, rest = operands.option_file(rest, "--save")
    options, expression = operands.options(rest, ("--ranks", "--plot", "--svg", "--save"))
    chosen = [bool(picture), bool(store), "--plot" in options]
    if not expression or sum(chosen) > 1 or not options <= {"--ranks", "--plot"}:
        raise MpippError(f"write {_USAGE}")
    found = values.gathered(expression)
    if store:
        return [output_file.write(store, stored_values.text(found.by_rank.values, expression))]
    if not (picture or "--plot" in options):
        return _text(found, expression)
    drawn = [one for one in found.by_rank.values if one.numbers is not None]
    if not drawn:
        raise MpippError(
            f"{expression} is neither a number nor an array of numbers: leave out --plot or --svg"
        )
    if picture:
        return [output_file.write(picture, svg(drawn, expression))]
    return [*value_plot.lines(drawn), *_failures(found)]


def changes(expression: str, file: str) -> Iterator[str]:
    """The differences between the values and those in a file. Raises MpippError."""
    before = stored_values.read(file)
    found = values.gathered(expression)
    yield from merged.change_lines(before, found.by_rank.values)
    yield from _failures(found)


def _text(found: Values, expression: str) -> Iterator[str]:
    yield from gathered_values.lines(found.by_rank, expression)
    yield from _unranked(found)


def _failures(found: Values) -> Iterator[str]:
    yield from gathered_values.failure_lines(found.by_rank)
    yield from _unranked(found)


def _unranked(found: Values) -> Iterator[str]:
    if found.unranked:
        yield f"{job_ranks.words(found.unranked)}: the rank is not known"
