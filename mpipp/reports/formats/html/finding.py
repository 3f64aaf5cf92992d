# SPDX-License-Identifier: MIT
"""One finding in HTML: its calls, their source and buffers, the rule, and advice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mpipp.reports.findings_file import Drawn, Entry, Party, Place, Row, Timeline
from mpipp.reports.formats.html import rma_timeline_svg
from mpipp.reports.formats.html.escape import html as e
from mpipp.reports.formats.html.svg_filter import cleaned, width

_TIMES = "; times in seconds after MPI_Init, none for calls that repeat earlier ones"
_ACCESSES = 2  # unfolded parties of a conflict; the picture shows all
_READABLE = 0.6  # the smallest scale of a picture
STEP = 100  # pixels between the widths in the style sheet
FITS, WIDEST = 2, 20  # numbers of steps: FITS fit on any screen, WIDEST on the widest


def content(entry: Entry, stop: str) -> Iterator[str]:
    """A finding without its headline. `stop` is the command that stops there, or ""."""
    yield f'<p class="advice"><strong>To do:</strong> {e(entry.advice)}</p>' if entry.advice else ""
    if entry.follows:
        yield f'<p class="advice"><strong>May follow from:</strong> {e(entry.follows)}</p>'
    if entry.picture or not entry.parties:  # without it, the parties below show all the text
        block = "\n".join(line.text for line in entry.lines[1:])
        yield f'<pre class="block">{e(block)}</pre>'
    if entry.picture:
        title = "Wait-for graph"
        yield from _figure(cleaned(entry.picture, title), title)
    if entry.lifelines is not None:
        title = rma_timeline_svg.title(entry.lifelines)
        name = f"{title}. {rma_timeline_svg.described(entry.lifelines)}"
        yield '<div class="timelines">'
        yield from _figure(cleaned(rma_timeline_svg.svg(entry.lifelines), name), title)
        yield "</div>"
    if entry.parties:
        yield '<div class="parties">'
        for number, party in enumerate(entry.parties):
            # Fold the other parties: the picture shows them.
            yield from _party(party, is_open=entry.lifelines is None or number < _ACCESSES)
        yield "</div>"
        if entry.shown_as:
            yield f'<p class="dim">shown as in {e(entry.shown_as)}</p>'
    yield from _rule(entry, stop)
    if entry.timeline is not None:
        yield from _timeline(entry.timeline)


def copied(text: str, what: str) -> str:
    """A button that copies a text, if the browser runs the page's script."""
    label = f'aria-label="Copy {e(what)}"'
    return f'<button type="button" class="copy" {label} data-copy="{e(text)}" hidden>Copy</button>'


def listed(items: Sequence[str], look: str = "") -> Iterator[str]:
    """A list of sentences; nothing if it is empty."""
    if items:
        yield f'<ul class="{look}">' if look else "<ul>"
        yield from (f"<li>{e(item)}</li>" for item in items)
        yield "</ul>"


def wide(content: str, name: str) -> str:
    """Content that may be wider than the page, and can be scrolled by keyboard."""
    return f'<div class="scroll" role="region" tabindex="0" aria-label="{e(name)}">{content}</div>'


def _rule(entry: Entry, stop: str) -> Iterator[str]:
    yield '<dl class="rule">'
    if stop:
        code = f"<code>{e(stop)}</code> {copied(stop, 'the command')}"
        yield f'<div><dt>Stop there</dt><dd class="command">{code}</dd></div>'
    rows = [
        ("Rule", entry.rule),
        ("MUST", entry.must),
        ("Check", f"{entry.check}, {entry.id}" if entry.id != entry.check else entry.check),
    ]
    yield from (f"<div><dt>{name}</dt><dd>{e(text)}</dd></div>" for name, text in rows if text)
    yield "</dl>"


def _figure(drawn: str, title: str, caption: str = "") -> Iterator[str]:
    if not drawn:
        return
    yield f"<figure><figcaption>{e(caption or title)}</figcaption>"
    steps = int(width(drawn) * _READABLE) // STEP
    frame = '<div class="picture">'
    if steps > FITS:
        look = f"scroll picture at-least-{min(steps, WIDEST)}"
        frame = f'<div class="{look}" role="region" tabindex="0" aria-label="{e(title)}">'
    yield f"{frame}{drawn}</div></figure>"


def _party(party: Party, is_open: bool) -> Iterator[str]:
    yield '<section class="party">'
    yield f"<h4>{e(party.process or 'the process')}</h4>"
    yield f'<p class="call"><code>{e(party.text)}</code></p>'
    for number, place in enumerate(party.places):
        how = party.place_label if number == 0 else "from"
        yield from _source(place, how, is_open and number == 0)
    for number, place in enumerate(party.started):
        yield from _source(place, party.how_started if number == 0 else "from", is_open=False)
    yield from listed(party.details, "details")
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
    rows = []
    for number, line in enumerate(dedented(place.source), place.first):
        tag = "mark" if number == frame.line else "span"
        code = f"<code>{e(line) or ' '}</code>"
        rows.append(f'<{tag} class="line"><span class="number">{number}</span> {code}</{tag}>')
    yield f"<pre>{''.join(rows)}</pre>"
    if frame.path:
        yield f'<p class="dim path">{e(frame.path)}</p>'
    yield "</details>"


def dedented(lines: Sequence[str]) -> list[str]:
    """Lines without their common indentation."""
    margins = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    least = min(margins, default=0)
    return [line[least:].rstrip() for line in lines]


def _buffer(drawn: Drawn) -> Iterator[str]:
    amount = f"{drawn.count} {drawn.datatype}" if drawn.role else drawn.datatype
    title = f"{drawn.role}: {amount}" if drawn.role else amount
    where = "" if drawn.address is None else f" at {drawn.address:#x}"
    yield f'<section class="buffer"><h5>{e(title + where)}</h5>'
    for svg, what in ((drawn.tree_svg, "Type tree"), (drawn.map_svg, "Memory")):
        name = f"{what} of {amount}"
        yield from _figure(cleaned(svg, name) if svg else "", name, what)
    if not drawn.in_time:
        yield '<p class="dim">not drawn: drawing the earlier pictures took too long</p>'
    if len(drawn.tree) > 2:
        yield "<details><summary>Type tree as text</summary>"
        text = f"<pre>{e(chr(10).join(drawn.tree))}</pre>"
        yield f"{wide(text, f'text of {amount}')}</details>"
    yield "</section>"


def _timeline(of: Timeline) -> Iterator[str]:
    yield '<section class="around"><h4>Calls before and after</h4>'
    if of.rows:
        yield from _calls(of)
    if of.now:
        yield '<h5>At the time of the check</h5><dl class="now">'
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
    columns = len(of.lanes) + 1
    if of.before:
        yield f'<tr><td class="dim" colspan="{columns}">{of.before:,} before</td></tr>'
    for row in of.rows:
        yield from _row(row)
    if of.after:
        yield f'<tr><td class="dim" colspan="{columns}">{of.after:,} after</td></tr>'
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
