# SPDX-License-Identifier: MIT
"""The result of `compare` as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mpipp.program_types.compare.comparison import Lack, Report
from mpipp.render.print_settings import DEFAULT_LIMITS, Limits

_MOST_LACKS = 8


def lines(
    report: Report, title: str, every: bool = False, limits: Limits = DEFAULT_LIMITS
) -> Iterator[str]:
    """Yield the report about `title`: the verdict, the problems, and the covered members.

    If there are problems, or if `every` is set, each element is listed with its member. No list is
    longer than `limits.elements`.
    """
    of = report.layout.described
    elements = _amount(report.elements, "element")
    remarks = len(report.problems) - report.errors
    if not report.elements:
        yield f"nothing to compare: {title} has no elements"
        return
    if report.errors:
        also = f" and {_amount(remarks, 'remark')}" if remarks else ""
        yield f"{_amount(report.errors, 'problem')}{also}: {title} does not fit {of}"
    elif remarks:
        yield f"matches with {_amount(remarks, 'remark')}: {title}, {elements}, fits {of}"
    else:
        yield f"matches: {title}, {elements}, fits {of}; {_coverage(report)}"
    most = limits.elements or len(report.problems)
    for problem in report.problems[:most]:
        start = "" if problem.certain or not report.errors else "remark: "
        more = f" ({problem.count} such elements)" if problem.more else ""
        yield f"  {start}{problem.text}{more}"
    if len(report.problems) > most:
        yield "  ..."
    if report.hint:
        yield f"  {report.hint}"
    if report.problems:
        yield f"  {_coverage(report)}"
    if every or report.errors:
        yield from _covers(report, limits)
    if not report.complete:
        yield "  too many elements are irregular: the rest was not checked"


def _covers(report: Report, limits: Limits) -> Iterator[str]:
    most = limits.elements or len(report.covers)
    shown = report.covers[:most]
    width = max((len(cover.element) for cover in shown), default=0)
    for cover in shown:
        yield f"    {cover.element.ljust(width)} -> {cover.member}"
    if len(report.covers) > most:
        yield "    ..."


def _coverage(report: Report) -> str:
    lacks = report.lacks
    if lacks is None:
        why = "overlap" if report.complete else "are irregular"
        return f"the coverage is unknown: too many elements {why}"
    if not lacks:
        return "every member is covered"
    said = [_lack(lack) for lack in lacks[:_MOST_LACKS]]
    if len(lacks) > _MOST_LACKS:
        said.append(f"{len(lacks) - _MOST_LACKS} more")
    return f"not covered: {', '.join(said)}"


def _lack(lack: Lack) -> str:
    if lack.covered:
        whole = lack.covered % lack.element_size == 0
        unit, what = (lack.element_size, "elements") if whole else (1, "bytes")
        missing = (lack.size - lack.covered) // unit
        return f"{missing} of {lack.size // unit} {what} of {lack.member}"
    what = f" ({lack.type})" if lack.elsewhere else ""
    return f"{lack.member}{what} at {lack.offset}"


def content(report: Report, title: str) -> dict[str, Any]:
    """Return the report for `mpipp.render.json_output.document` (docs/reference/json.md)."""
    return {
        "datatype": title,
        "with": report.layout.name,
        "type": report.layout.type,
        "size": report.layout.kind.size,
        "verdict": "matches" if not report.errors else "does not fit",
        "elements": report.elements,
        "problems": [
            {
                "code": problem.code,
                "certain": problem.certain,
                "address": problem.element,
                "type": problem.datatype,
                "displacement": problem.displacement,
                "count": problem.count,
                "member": problem.member,
                "member_offset": problem.member_offset,
                "text": problem.text,
            }
            for problem in report.problems
        ],
        "hint": report.hint,
        "covers": [
            {
                "address": cover.element,
                "displacement": cover.displacement,
                "member": cover.member,
            }
            for cover in report.covers
        ],
        "not_covered": [
            {
                "member": lack.member,
                "offset": lack.offset,
                "type": lack.type,
                "covered": lack.covered,
                "size": lack.size,
            }
            for lack in report.lacks or ()
        ],
        "covered_known": report.lacks is not None,
        "complete": report.complete,
    }


def _amount(number: int, one: str) -> str:
    return f"{number} {one}" if number == 1 else f"{number} {one}s"
