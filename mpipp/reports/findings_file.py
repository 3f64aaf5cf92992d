# SPDX-License-Identifier: MIT
"""A run's directory with the findings of a watched run. The run writes it, and reports read it.

The files may come from anywhere: they are validated, and never executed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from mpipp.common import run_directory
from mpipp.common.errors import MpippError
from mpipp.common.run_directory import DATA, TEXT, RunDirectory
from mpipp.render import json_output
from mpipp.render.finding_head import Point as SourcePoint
from mpipp.reports.table_rows import Guarded, Provoked
from mpipp.symbolizer.source_frames import Frame

_T = TypeVar("_T")


class Place(NamedTuple):
    """The place of a call, with source lines from number `first` on if they are known."""

    frame: Frame
    first: int
    source: Sequence[str]


class Drawn(NamedTuple):
    """A buffer of a party, or its datatype, as a picture."""

    role: str  # the parameter's name in the standard; "" for a datatype
    count: int  # type: ignore[assignment]  # in place of tuple's own
    datatype: str
    address: int | None
    tree: Sequence[str]  # lines
    tree_svg: str  # "" if there is no picture
    map_svg: str
    in_time: bool  # False if the time for pictures was used up


class Party(NamedTuple):
    """A call or an object in a finding."""

    process: str  # "ranks 0 to 3"
    text: str
    place_label: str  # "called at"
    details: Sequence[str]
    places: Sequence[Place]  # innermost first
    buffers: Sequence[Drawn]
    ordinal: int = 0  # position of the call in its channel; 0 if unknown
    ranks: Sequence[int] = ()  # ranks in MPI_COMM_WORLD; empty if unknown
    procedure: str = ""  # the procedure of a call
    arguments: Mapping[str, int] = {}  # arguments that select the channel: dest, source, tag, root
    starter: str = ""  # for a persistent operation, the procedure that started it
    started: Sequence[Place] = ()  # the places of that call, innermost first

    @property
    def how_started(self) -> str:
        """The text before the places in `started`: "started by MPI_Start at"."""
        return f"started by {self.starter} at"

    @property
    def library(self) -> str:
        """The shared object that contains the call; "" if it is in the program itself."""
        return self.places[0].frame.library if self.places else ""


class Cell(NamedTuple):
    """An activity of a process: a procedure, its data, its place."""

    call: str
    data: str
    place: str
    seconds: float | None  # since MPI was initialized; None if unknown


class Row(NamedTuple):
    """The calls with one ordinal in a channel. `here` marks the row of the finding."""

    ordinal: int
    here: bool
    cells: Sequence[Cell]


class Timeline(NamedTuple):
    """The calls of processes before and after those of the finding."""

    title: str
    lanes: Sequence[str]
    rows: Sequence[Row]
    before: int  # ordinals that are not shown
    after: int
    now: Sequence[tuple[str, str]]  # processes, and their activities


class Point(NamedTuple):
    """An action of a process around a conflict: a call, a load or a store."""

    lane: int
    call: str
    place: str
    text: str  # the action, for the two conflicting accesses


class Lifelines(NamedTuple):
    """The actions of processes around a conflict of one-sided operations.

    See mpipp.analysis.findings.rma_timeline.
    """

    lanes: Sequence[str]
    points: Sequence[Point]
    epochs: Sequence[tuple[int, int]]
    pending: Sequence[tuple[int, int]]
    edges: Sequence[tuple[int, int]]
    missing: tuple[int, int]
    why: str
    wanted: str


class Line(NamedTuple):
    """A line of a finding. `place` is the source line in its text, or ""."""

    text: str
    place: str


class Entry(NamedTuple):
    """A finding."""

    id: str
    check: str
    severity: str  # "error", "warning" or "remark"
    what: str
    parties: Sequence[Party]
    rule: str
    advice: str
    must: str
    follows: str
    lines: Sequence[Line]  # the lines as they are printed
    shown_as: str  # the processes whose facts are shown, if others have different facts
    fingerprint: str  # equal for the same mistake in another run
    picture: str  # the wait-for graph as SVG; "" if no process waits
    timeline: Timeline | None
    lifelines: Lifelines | None
    point: SourcePoint | None = None  # the source line of the finding, if it has exactly one
    number: int = 0  # number in the run, from 1, equal in all reports

    @property
    def text(self) -> str:
        """All lines as one text."""
        return "\n".join(line.text for line in self.lines)

    @property
    def place(self) -> Place | None:
        """The first place of its parties with a source line; None if there is none."""
        places = (place for party in self.parties for place in party.places[:1])
        return next((place for place in places if place.frame.path and place.frame.line), None)


class Suppressed(NamedTuple):
    """The number of findings with the same suppression, and its reason."""

    reason: str
    count: int  # type: ignore[assignment]  # in place of tuple's own


class Run(NamedTuple):
    """A watched run."""

    command: Sequence[str]
    directory: str
    mpi: str
    started: str  # ISO 8601
    seconds: float
    exit: int | None
    processes: int
    calls: int
    errors: int
    warnings: int
    more: int  # findings beyond the limits
    suppressed: Sequence[Suppressed]
    not_checked: Sequence[str]
    summary: str  # the last line
    findings: Sequence[Entry]
    guarded: Sequence[Guarded]
    provoke: str  # the value of --provoke that repeats the perturbations, or ""
    provoked: Sequence[Provoked]


def document(content: Mapping[str, Any]) -> str:
    """A run's findings, and the other data of reports, as a JSON document."""
    return json_output.document("run", _with_shared_pictures(content)) + "\n"


def write(directory: str, found: str, text: str) -> None:
    """Write a document and the findings as text into a run's directory. Raises OSError."""
    run = RunDirectory(directory)
    run.publish(TEXT, text.encode(errors="backslashreplace"))
    run.publish(DATA, found.encode())


def _with_shared_pictures(content: Mapping[str, Any]) -> dict[str, Any]:
    # Many findings show the same datatypes: store each picture once.
    pictures: dict[str, int] = {}

    def number(svg: str) -> int | None:
        return pictures.setdefault(svg, len(pictures)) if svg else None

    for finding in content["findings"]:
        finding["picture"] = number(finding.get("picture", ""))
        for party in finding.get("parties", ()):
            for buffer in party.get("buffers", ()):
                for name in ("tree_svg", "map_svg"):
                    buffer[name] = number(buffer[name])
    return {**content, "pictures": list(pictures)}


def read(directory: str) -> Run:
    """Read the files of a run. Raises MpippError: they are missing or invalid."""
    return run_of(content(directory), os.path.join(directory, DATA))


def content(directory: str) -> bytes:
    """The document in a run's directory. Raises MpippError if there is none."""
    path = os.path.join(directory, DATA)
    try:
        return run_directory.read(path)
    except OSError as error:
        raise MpippError(
            f"cannot read {path} ({error.strerror}): "
            "a run with mpipp run --check --report DIR writes it"
        ) from None


def run_of(data: bytes, path: str) -> Run:
    """The run in a document. Raises MpippError if the document is invalid.

    Args:
        path: the path of the document, for messages.
    """
    try:
        said = run_directory.parsed(data)
    except ValueError:
        raise MpippError(f"{path} is not JSON: run the program again") from None
    fields = _Fields(said, path)
    if fields.text("command") != "run" or fields.number("mpipp") != json_output.VERSION:
        raise MpippError(f"{path} was not written by this version of mpipp: run the program again")
    return _run(fields)


class _Fields:
    # A JSON object that returns members by type. Missing members are empty.

    def __init__(self, value: object, path: str, pictures: Sequence[str] = ()) -> None:
        if not isinstance(value, dict):
            raise MpippError(f"{path} is damaged: run the program again")
        self._value: dict[str, Any] = value
        self._path = path
        self.pictures = pictures

    def text(self, name: str) -> str:
        return str(self._get(name, str, ""))

    def number(self, name: str) -> int:
        return int(self._get(name, int, 0))

    def optional(self, name: str) -> int | None:
        return self.number(name) if self.has_value(name) else None

    def has_value(self, name: str) -> bool:
        return self._value.get(name) is not None

    def seconds(self, name: str) -> float:
        return float(self._get(name, (int, float), 0.0))

    def flag(self, name: str) -> bool:
        return bool(self._get(name, bool, False))

    def texts(self, name: str) -> list[str]:
        found: list[object] = self._get(name, list, [])
        if not all(isinstance(one, str) for one in found):
            raise MpippError(f"{self._path} is damaged: {name} has an entry that is not a text")
        return [str(one) for one in found]

    def numbers(self, name: str) -> list[int]:
        found: list[object] = self._get(name, list, [])
        if not all(type(one) is int for one in found):
            raise MpippError(f"{self._path} is damaged: {name} has an entry that is not a number")
        return [one for one in found if isinstance(one, int)]

    def integers(self, name: str) -> dict[str, int]:
        """A mapping of names to numbers."""
        found: dict[str, object] = self._get(name, dict, {})
        return {one: value for one, value in found.items() if type(value) is int}

    def objects(self, name: str, make: Callable[[_Fields], _T]) -> list[_T]:
        found: list[object] = self._get(name, list, [])
        return [make(_Fields(one, self._path, self.pictures)) for one in found]

    def object(self, name: str) -> _Fields:
        return _Fields(self._get(name, dict, {}), self._path, self.pictures)

    def picture(self, name: str) -> str:
        number = self.optional(name)
        known = number is not None and 0 <= number < len(self.pictures)
        return self.pictures[number] if known and number is not None else ""

    def has(self, name: str) -> bool:
        return name in self._value

    def _get(self, name: str, kind: Any, otherwise: Any) -> Any:
        found = self._value.get(name, otherwise)
        if not isinstance(found, kind) or (isinstance(found, bool) and kind is not bool):
            raise MpippError(f"{self._path} is damaged: {name} has another type")
        return found


def _order(entry: Entry) -> tuple[bool, str, int, str]:
    # Errors first, then by place: the order in which a run finds them is random.
    frame = next((party.places[0].frame for party in entry.parties if party.places), Frame(""))
    return entry.severity != "error", frame.path or frame.text, frame.line, entry.id


def _run(of: _Fields) -> Run:
    of.pictures = of.texts("pictures")
    run = of.object("run")
    return Run(
        command=run.texts("command"),
        directory=run.text("directory"),
        mpi=run.text("mpi"),
        started=run.text("started"),
        seconds=run.seconds("seconds"),
        exit=run.optional("exit"),
        processes=of.number("processes"),
        calls=of.number("calls"),
        errors=of.number("errors"),
        warnings=of.number("warnings"),
        more=of.number("more"),
        suppressed=of.objects(
            "suppressed", lambda one: Suppressed(one.text("reason"), one.number("count"))
        ),
        not_checked=of.texts("not_checked"),
        summary=of.text("summary"),
        findings=[
            entry._replace(number=number)
            for number, entry in enumerate(sorted(of.objects("findings", _entry), key=_order), 1)
        ],
        guarded=of.objects("guarded", _guarded),
        provoke=run.text("provoke"),
        provoked=of.objects("provoked", _provoked),
    )


def _guarded(of: _Fields) -> Guarded:
    counts = (of.number(name) for name in ("pages", "compared", "skipped", "nothing", "accesses"))
    return Guarded(of.text("place"), of.text("procedure"), *counts)


def _provoked(of: _Fields) -> Provoked:
    names = [of.text(name) for name in ("place", "procedure", "way", "by", "by_place")]
    numbers = [of.number(name) for name in ("times", "least", "most")]
    return Provoked.of([*names, of.numbers("ranks"), *numbers])


def _entry(of: _Fields) -> Entry:
    check, severity = of.text("check"), of.text("severity")
    return Entry(
        id=of.text("id") or check,
        check=check,
        severity=severity if severity in ("warning", "remark") else "error",
        what=of.text("what"),
        parties=of.objects("parties", _party),
        rule=of.text("rule"),
        advice=of.text("advice"),
        must=of.text("must"),
        follows=of.text("follows"),
        lines=_lines(of),
        shown_as=of.text("shown_as"),
        fingerprint=of.text("fingerprint"),
        picture=of.picture("picture"),
        timeline=_timeline(of.object("timeline")) if of.has("timeline") else None,
        lifelines=_lifelines(of.object("lifelines")) if of.has("lifelines") else None,
        point=_source_point(of.object("point")) if of.has_value("point") else None,
    )


def _source_point(of: _Fields) -> SourcePoint:
    return SourcePoint(of.text("path"), of.number("line"))


def _lines(of: _Fields) -> list[Line]:
    # Earlier versions wrote only the text.
    found = of.objects("lines", lambda one: Line(one.text("text"), one.text("place")))
    return found or [Line(line, "") for line in of.text("text").split("\n")]


def _party(of: _Fields) -> Party:
    return Party(
        of.text("process"),
        of.text("text"),
        of.text("made"),
        of.texts("details"),
        of.objects("frames", _place),
        of.objects("buffers", _drawn),
        of.optional("ordinal") or 0,
        of.numbers("ranks"),
        of.text("procedure"),
        of.integers("arguments"),
        of.object("started").text("procedure") if of.has_value("started") else "",
        of.objects("started_frames", _place),
    )


def _place(of: _Fields) -> Place:
    frame = Frame(
        of.text("text"), of.text("path"), of.number("line"), of.text("function"), of.text("library")
    )
    return Place(frame, of.number("first"), of.texts("source"))


def _drawn(of: _Fields) -> Drawn:
    return Drawn(
        of.text("role"),
        of.number("count"),
        of.text("datatype"),
        of.optional("address"),
        of.texts("tree"),
        of.picture("tree_svg"),
        of.picture("map_svg"),
        of.flag("in_time"),
    )


def _timeline(of: _Fields) -> Timeline:
    return Timeline(
        of.text("title"),
        of.texts("lanes"),
        of.objects("rows", _row),
        of.number("before"),
        of.number("after"),
        of.objects("now", lambda one: (one.text("process"), one.text("text"))),
    )


def _lifelines(of: _Fields) -> Lifelines:
    def point(one: _Fields) -> Point:
        return Point(one.number("lane"), one.text("call"), one.text("place"), one.text("text"))

    def endpoints(one: _Fields) -> tuple[int, int]:
        return one.number("from"), one.number("to")

    return Lifelines(
        of.texts("lanes"),
        of.objects("points", point),
        of.objects("epochs", endpoints),
        of.objects("pending", endpoints),
        of.objects("edges", endpoints),
        endpoints(of.object("missing")),
        of.text("why"),
        of.text("wanted"),
    )


def _row(of: _Fields) -> Row:
    def cell(one: _Fields) -> Cell:
        at = one.seconds("seconds") if one.has_value("seconds") else None
        return Cell(one.text("call"), one.text("data"), one.text("place"), at)

    return Row(of.number("ordinal"), of.flag("here"), of.objects("cells", cell))
