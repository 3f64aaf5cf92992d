# SPDX-License-Identifier: MIT
"""A run's findings as one page of HTML: it needs no network, and runs nothing."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from mpipp.reports import stop_targets
from mpipp.reports.formats import guard_table, perturbation_table
from mpipp.reports.formats.html import rma_timeline_svg
from mpipp.reports.formats.html.escape import html as e
from mpipp.reports.formats.html.style import STYLE
from mpipp.reports.formats.html.svg_filter import cleaned
from mpipp.reports.store import Drawn, Entry, Party, Place, Row, Run, Timeline

# A browser that finds anything else in it does not load or run it.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_HOW = "How many operations there were, and how their buffers were looked at"
_TIMES = "; seconds since MPI was initialized, of calls that do not repeat those before them"
_ACCESSES = 2  # parties of a conflict; more of them say how it came
_MANY = 12  # findings, of which only the errors are open; places, all of which are folded


def html(run: Run) -> str:
    """The page."""
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
        *_contents(run.findings),
        '<main id="findings" tabindex="-1">',
        *_findings(run.findings),
        "</main></body></html>\n",
    ]
    return "\n".join(parts)


def _run(run: Run) -> Iterator[str]:
    rows = [
        ("Command", shlex.join(run.command)),
        ("In", run.directory),
        ("MPI", run.mpi),
        ("Started", run.started),
        ("Took", f"{run.seconds:g} s"),
        ("Exit status", "" if run.exit is None else str(run.exit)),
    ]
    yield '<dl class="run">'
    yield from (f"<div><dt>{e(name)}</dt><dd>{e(text)}</dd></div>" for name, text in rows if text)
    yield "</dl>"
    if run.not_checked:
        yield '<section class="note" aria-labelledby="unchecked">'
        yield '<h2 id="unchecked">Not checked</h2>'
        yield from _list(run.not_checked)
        yield "</section>"
    if run.guarded:
        yield '<section class="note plain" aria-labelledby="guarded">'
        yield f'<h2 id="guarded">{e(guard_table.TITLE)}</h2>'
        yield _wide("".join(_guarded(run)), guard_table.TITLE)
        yield "<p>What could have been missed:</p>"
        yield from _list(list(guard_table.missed(run.guarded)))
        yield "</section>"
    if run.provoked:
        yield from _provoked(run)
    if run.suppressed:
        yield '<section class="note" aria-labelledby="suppressed">'
        yield '<h2 id="suppressed">Suppressed</h2>'
        yield from _list([f"{one.reason} ({one.count})" for one in run.suppressed])
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
        yield from _list([f"{count} {what}".strip() for count, what in place.done])
        yield "</dd></div>"
    yield "</dl></details></section>"


def _list(items: Sequence[str], look: str = "") -> Iterator[str]:
    if items:
        yield f'<ul class="{look}">' if look else "<ul>"
        yield from (f"<li>{e(item)}</li>" for item in items)
        yield "</ul>"


def _contents(entries: Sequence[Entry]) -> Iterator[str]:
    if len(entries) < 2:
        return
    yield '<nav aria-labelledby="contents"><h2 id="contents">Findings</h2><ol>'
    for entry in entries:
        yield (
            f'<li>{_badge(entry)} <a href="#inside-f{entry.number}">{e(entry.what)}</a> '
            f'<span class="dim">{e(_place(entry))}</span></li>'
        )
    yield "</ol></nav>"


def _findings(entries: Sequence[Entry]) -> Iterator[str]:
    if not entries:
        yield '<p class="none">Nothing was found.</p>'
    for severity, title in (("error", "Errors"), ("warning", "Warnings")):
        chosen = [one for one in entries if one.severity == severity]
        if not chosen:
            continue
        yield f'<section aria-labelledby="{severity}s"><h2 id="{severity}s">{title}</h2>'
        for entry in chosen:
            is_open = severity == "error" or len(entries) <= _MANY
            yield f'<details class="finding {severity}" id="f{entry.number}"{" open" * is_open}>'
            yield f"<summary>{_badge(entry)} <h3>{e(entry.what)}</h3>"
            yield f'<span class="dim">{e(_place(entry))}</span>{_libraries(entry)}</summary>'
            # A link to what is inside opens it.
            yield f'<div class="inside" id="inside-f{entry.number}">'
            yield from _finding(entry)
            yield "</div></details>"
        yield "</section>"


def _badge(entry: Entry) -> str:
    return f'<span class="badge {entry.severity}">{entry.severity}</span>'


def _libraries(entry: Entry) -> str:
    names = dict.fromkeys(party.library for party in entry.parties if party.library)
    return "".join(f' <span class="badge library">in {e(name)}</span>' for name in names)


def _place(entry: Entry) -> str:
    return next((party.places[0].frame.text for party in entry.parties if party.places), "")


def _finding(entry: Entry) -> Iterator[str]:
    if entry.picture or not entry.parties:  # what its parties do not tell
        block = "\n".join(line.text for line in entry.lines[1:])
        yield f'<pre class="block">{e(block)}</pre>'
    of = entry.lifelines
    if of is not None:
        name = f"{rma_timeline_svg.title(of)}. {rma_timeline_svg.described(of)}"
        yield '<div class="timelines">'
        yield from _figure(cleaned(rma_timeline_svg.svg(of), name), rma_timeline_svg.title(of))
        yield "</div>"
    if entry.parties:
        yield '<div class="parties">'
        for number, party in enumerate(entry.parties):
            # The others are in the picture.
            yield from _party(party, is_open=of is None or number < _ACCESSES)
        yield "</div>"
        if entry.shown_as:
            yield f'<p class="dim">shown as in {e(entry.shown_as)}</p>'
    rows = [
        ("May follow from", entry.follows),
        ("Rule", entry.rule),
        ("To do", entry.advice),
        ("MUST", entry.must),
        ("Stop there", _stopping(entry)),
        ("Check", f"{entry.check}, {entry.id}" if entry.id != entry.check else entry.check),
    ]
    yield '<dl class="rule">'
    yield from (f"<div><dt>{name}</dt><dd>{e(text)}</dd></div>" for name, text in rows if text)
    yield "</dl>"
    if entry.picture:
        title = "Who waits for whom"
        yield from _figure(cleaned(entry.picture, title), title)
    if entry.timeline is not None:
        yield from _timeline(entry.timeline)


def _figure(drawn: str, title: str) -> Iterator[str]:
    if drawn:
        yield f"<figure><figcaption>{e(title)}</figcaption>{_wide(drawn, 'the picture')}</figure>"


def _stopping(entry: Entry) -> str:
    known = any(stop_targets.of(entry.parties))
    return f"mpipp run --check {stop_targets.OPTION} DIR:{entry.number}" if known else ""


def _party(party: Party, is_open: bool) -> Iterator[str]:
    yield '<section class="party">'
    yield f"<h4>{e(party.process or 'the process')}</h4>"
    yield f'<p class="call"><code>{e(party.text)}</code></p>'
    for number, place in enumerate(party.places):
        yield from _source(place, party.made if number == 0 else "from", is_open and number == 0)
    for number, place in enumerate(party.started):
        yield from _source(place, party.how_started if number == 0 else "from", is_open=False)
    yield from _list(party.details, "details")
    for buffer in party.buffers:
        yield from _buffer(buffer)
    yield "</section>"


def _source(place: Place, how: str, is_open: bool) -> Iterator[str]:
    frame = place.frame
    where = f"{e(how)} <strong>{e(frame.text)}</strong>"
    if not place.source:
        yield f'<p class="place">{where}</p>'
        return
    yield f'<details class="source"{" open" * is_open}><summary>{where}</summary>'
    yield f'<div class="scroll" role="region" tabindex="0" aria-label="source of {e(frame.text)}">'
    yield "<pre>"
    for number, line in enumerate(place.source, place.first):
        here = number == frame.line
        row = f'<span class="number">{number:>5}</span> {e(line)}'
        yield f"<mark>{row}</mark>" if here else row
    yield "</pre></div>"
    if frame.path:
        yield f'<p class="dim path">{e(frame.path)}</p>'
    yield "</details>"


def _wide(content: str, name: str) -> str:
    # What may be wider than the page, to be moved by keyboard, too.
    return f'<div class="scroll" role="region" tabindex="0" aria-label="{e(name)}">{content}</div>'


def _buffer(drawn: Drawn) -> Iterator[str]:
    amount = f"{drawn.count} {drawn.datatype}" if drawn.role else drawn.datatype
    title = f"{drawn.role}: {amount}" if drawn.role else amount
    where = "" if drawn.address is None else f" at {drawn.address:#x}"
    yield f'<section class="buffer"><h5>{e(title + where)}</h5>'
    for svg, what in ((drawn.tree_svg, "Type tree"), (drawn.map_svg, "Memory")):
        picture = cleaned(svg, f"{what} of {amount}") if svg else ""
        if picture:
            yield f"<figure><figcaption>{what}</figcaption>"
            yield f"{_wide(picture, f'{what} of {amount}')}</figure>"
    if not drawn.in_time:
        yield '<p class="dim">not drawn: the pictures before it took all the time that they may</p>'
    if len(drawn.tree) > 2:
        yield "<details><summary>Type tree as text</summary>"
        text = f"<pre>{e(chr(10).join(drawn.tree))}</pre>"
        yield f"{_wide(text, f'text of {amount}')}</details>"
    yield "</section>"


def _timeline(of: Timeline) -> Iterator[str]:
    yield '<section class="around"><h4>Around it</h4>'
    if of.rows:
        yield from _calls(of)
    if of.now:
        yield '<h5>When it was looked at</h5><dl class="now">'
        yield from (f"<div><dt>{e(who)}</dt><dd>{e(what)}</dd></div>" for who, what in of.now)
        yield "</dl>"
    yield "</section>"


def _calls(of: Timeline) -> Iterator[str]:
    yield f'<div class="scroll" role="region" tabindex="0" aria-label="{e(of.title)}">'
    timed = any(cell.seconds is not None for row in of.rows for cell in row.cells)
    title = f"{of.title}{_TIMES if timed else ''}"
    yield f"<table><caption>{e(title)}</caption><thead><tr>"
    yield '<th scope="col">Number</th>'
    yield from (f'<th scope="col">{e(lane)}</th>' for lane in of.lanes)
    yield "</tr></thead><tbody>"
    width = len(of.lanes) + 1
    if of.before:
        yield f'<tr><td class="dim" colspan="{width}">{of.before:,} before</td></tr>'
    for row in of.rows:
        yield from _row(row)
    if of.after:
        yield f'<tr><td class="dim" colspan="{width}">{of.after:,} after</td></tr>'
    yield "</tbody></table></div>"


def _row(row: Row) -> Iterator[str]:
    yield '<tr class="here" aria-current="true">' if row.here else "<tr>"
    yield f'<th scope="row">{row.ordinal:,}</th>'
    for cell in row.cells:
        if not cell.call:
            yield '<td class="dim">none</td>'
            continue
        at = "" if cell.seconds is None else f"at {cell.seconds:,.6f} s"
        where = ", ".join(filter(None, (cell.place, at)))
        place = f'<span class="dim">{e(where)}</span>' if where else ""
        yield f"<td><code>{e(cell.call)}</code> {e(cell.data)} {place}</td>"
    yield "</tr>"
