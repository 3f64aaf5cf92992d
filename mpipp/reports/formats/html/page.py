# SPDX-License-Identifier: MIT
"""A run's findings as one HTML page, which needs no network.

Everything is visible without the page's script. A browser runs no other script.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence

from mpipp.reports import stop_targets
from mpipp.reports.findings_file import Entry, Run
from mpipp.reports.formats import guard_table, perturbation_table
from mpipp.reports.formats.html import finding as one_finding
from mpipp.reports.formats.html.escape import html as e
from mpipp.reports.formats.html.finding import copied, listed, wide
from mpipp.reports.formats.html.script import HASH, SCRIPT
from mpipp.reports.formats.html.style import STYLE
from mpipp.reports.formats.html.summary import controls, ranks_of, summary

# With this policy, a browser loads nothing and runs only the page's own script.
_POLICY = (
    f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{HASH}'; "
    "base-uri 'none'; form-action 'none'"
)
_HOW = "The number of operations, and how their buffers were guarded"
_MANY = 12  # findings or errors that are open at first; with more places, all are closed
_DIGITS = 12  # digits of a fingerprint in a link
_FINGERPRINT = re.compile("[0-9a-f]{32}")


def html(run: Run, name: str = "DIR") -> str:
    """The page; `name` is the run's directory."""
    title = run.summary or "no findings"
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f'<meta http-equiv="Content-Security-Policy" content="{e(_POLICY)}">',
        f"<title>mpipp: {e(title)}</title>",
        f"<style>{STYLE}</style></head><body>",
        '<a class="skip" href="#findings">Skip to the findings</a>',
        "<header>",
        f"<h1>{e(title)}</h1>",
        *_run(run),
        "</header>",
        "<main>",
        *summary(run),
        *_notes(run),
        *controls(run.findings),
        *_contents(run.findings),
        '<div id="findings" tabindex="-1">',
        *_findings(run, name),
        f"</div></main><script>{SCRIPT}</script></body></html>\n",
    ]
    return "\n".join(parts)


def _run(run: Run) -> Iterator[str]:
    command = shlex.join(run.command)
    if command:
        button = copied(command, "the command")
        yield f'<p class="command"><code>{e(command)}</code> {button}</p>'
    rows = [
        ("In", run.directory),
        ("MPI", run.mpi),
        ("Started", run.started),
        ("Took", f"{run.seconds:g} s"),
        ("Exit status", "" if run.exit is None else str(run.exit)),
    ]
    yield '<dl class="run">'
    yield from (f"<div><dt>{e(name)}</dt><dd>{e(text)}</dd></div>" for name, text in rows if text)
    yield "</dl>"


def _notes(run: Run) -> Iterator[str]:
    if run.not_checked:
        yield '<section class="note" aria-labelledby="unchecked">'
        yield '<h2 id="unchecked">Not checked</h2>'
        yield from listed(run.not_checked)
        yield "</section>"
    if run.guarded:
        yield '<section class="note plain" aria-labelledby="guarded">'
        yield f'<h2 id="guarded">{e(guard_table.TITLE)}</h2>'
        yield wide("".join(_guarded(run)), _HOW)
        yield "<p>What could have been missed:</p>"
        yield from listed(list(guard_table.missed(run.guarded)))
        yield "</section>"
    if run.provoked:
        yield from _provoked(run)
    if run.suppressed:
        yield '<section class="note" aria-labelledby="suppressed">'
        yield '<h2 id="suppressed">Suppressed</h2>'
        yield from listed([f"{one.reason} ({one.count})" for one in run.suppressed])
        yield "</section>"


def _guarded(run: Run) -> Iterator[str]:
    first, *heads = guard_table.heads(run.guarded)
    yield f'<table class="counts"><caption>{e(_HOW)}</caption><thead><tr>'
    yield f'<th scope="col">{e(first)}</th>'
    yield from (f'<th scope="col" class="number">{e(head)}</th>' for head in heads)
    yield "</tr></thead><tbody>"
    for name, *cells in guard_table.rows(run.guarded):
        numbers = "".join(f'<td class="number">{e(cell)}</td>' for cell in cells)
        yield f'<tr><th scope="row">{e(name)}</th>{numbers}</tr>'
    yield "</tbody></table>"


def _provoked(run: Run) -> Iterator[str]:
    yield '<section class="note plain" aria-labelledby="provoked">'
    yield f'<h2 id="provoked">{e(perturbation_table.title(run))}</h2>'
    places = list(perturbation_table.places(run.provoked))
    is_open = len(places) <= _MANY
    yield f"<details{' open' * is_open}><summary>{len(places)} places in the program</summary>"
    yield '<dl class="done">'
    for place in places:
        yield f"<div><dt><strong>{e(place.call)}</strong><br>{e(place.amount)}</dt><dd>"
        yield from listed([f"{count} {what}".strip() for count, what in place.done])
        yield "</dd></div>"
    yield "</dl></details></section>"


def _contents(entries: Sequence[Entry]) -> Iterator[str]:
    if len(entries) < 2:
        return
    links = permalinks(entries)
    yield '<nav aria-labelledby="contents"><h2 id="contents">Findings</h2><ol>'
    for entry in entries:
        yield (
            f'<li id="row-f{entry.number}">{_badge(entry)} '
            f'<a href="#{links[entry.number]}">{e(entry.what)}</a> '
            f'<span class="dim">{e(_place(entry))}</span></li>'
        )
    yield "</ol></nav>"


_SECTIONS = (("error", "Errors"), ("warning", "Warnings"), ("remark", "Remarks"))


def _findings(run: Run, name: str) -> Iterator[str]:
    links, opened = permalinks(run.findings), _opened(run.findings)
    if not run.findings:
        yield '<p class="none">Nothing was found.</p>'
    for severity, title in _SECTIONS:
        chosen = [one for one in run.findings if one.severity == severity]
        if not chosen:
            continue
        yield f'<section class="findings" aria-labelledby="{severity}s">'
        yield f'<h2 id="{severity}s">{title}</h2>'
        for entry in chosen:
            is_open = entry.number in opened
            data = f'data-severity="{severity}" data-kind="{e(entry.check)}"'
            data += f' data-ranks="{ranks_of(entry)}"'
            look = f'class="finding {severity}" id="f{entry.number}"'
            yield f"<details {look} {data}{' open' * is_open}>"
            yield f"<summary>{_badge(entry)} <h3>{e(entry.what)}</h3>"
            yield f'<span class="dim">{e(_place(entry))}</span>{_libraries(entry)}</summary>'
            # A link to the content of a finding opens the finding.
            link = links[entry.number]
            yield f'<div class="inside" id="{link}">'
            yield f'<p class="permalink"><a href="#{link}">Link to this finding</a> '
            yield f"{copied(f'#{link}', 'the link to this finding')}</p>"
            yield from one_finding.content(entry, _stopping(run, entry, name))
            yield "</div></details>"
        yield "</section>"


def _opened(entries: Sequence[Entry]) -> set[int]:
    # The numbers of the findings that are unfolded: all if they are few, else all errors, else the
    # first.
    errors = [one for one in entries if one.severity == "error"]
    few = next((some for some in (entries, errors) if len(some) <= _MANY), entries[:1])
    return {one.number for one in few}


def permalinks(entries: Sequence[Entry]) -> dict[int, str]:
    """The link names of findings, by number. The names are equal in reports of later runs."""
    counts = Counter(one.fingerprint[:_DIGITS] for one in entries)
    return {
        one.number: f"finding-{one.fingerprint[:_DIGITS]}"
        if counts[one.fingerprint[:_DIGITS]] == 1 and _FINGERPRINT.fullmatch(one.fingerprint)
        else f"finding-{one.number}"
        for one in entries
    }


def _badge(entry: Entry) -> str:
    return f'<span class="badge {entry.severity}">{entry.severity}</span>'


def _libraries(entry: Entry) -> str:
    names = dict.fromkeys(party.library for party in entry.parties if party.library)
    return "".join(f' <span class="badge library">in {e(name)}</span>' for name in names)


def _place(entry: Entry) -> str:
    return next((party.places[0].frame.text for party in entry.parties if party.places), "")


def _stopping(run: Run, entry: Entry, name: str) -> str:
    # The command that repeats the run, stops in a call of the finding, and keeps the report.
    if not any(stop_targets.of(entry.parties)):
        return ""
    target = [stop_targets.OPTION, f"{name}:{entry.number}"]
    if list(run.command[:2]) != ["mpipp", "run"]:
        return shlex.join(["mpipp", "run", "--check", *target])
    return shlex.join(["mpipp", "run", *target, *_without_report(run.command[2:])])


def _without_report(words: Sequence[str]) -> Iterator[str]:
    rest = iter(words)
    for word in rest:
        if word == "--report":
            next(rest, None)
        elif not word.startswith("--report="):
            yield word
        if word == "--":
            yield from rest
