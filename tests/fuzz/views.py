# SPDX-License-Identifier: MIT
"""Everything that mpipp can show of registries without a debugger, with a function for each."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from mpipp.analysis import all_checks
from mpipp.analysis.context.process import Gap, Operation, Process
from mpipp.analysis.context.world import worlds
from mpipp.analysis.deadlock.analysis import explain
from mpipp.analysis.deadlock_text import json_output as deadlock_json
from mpipp.analysis.deadlock_text import wait_diagram
from mpipp.analysis.deadlock_text.report import Report
from mpipp.analysis.deadlock_text.wait_diagram_svg import svg as hangs_svg
from mpipp.analysis.findings import formatting as finding_text
from mpipp.analysis.findings.finding import Party
from mpipp.common.errors import MpippError
from mpipp.datatypes import element_address
from mpipp.datatypes.memory import Buffer
from mpipp.datatypes.signatures import formatting as signature_text
from mpipp.datatypes.values.nodes import Node, buffer
from mpipp.model import KINDS, Broken, DatatypeRecord, Request, Thread
from mpipp.registry.memory.address_space import Memory
from mpipp.registry.registry import Registry
from mpipp.render import (
    buffers,
    memory_map,
    object_structs,
    one_line,
    outline,
    signature_mismatch,
    type_tree_svg,
)
from mpipp.render import (
    json_output as json_values,
)
from mpipp.render.memory_map import blocks_text, svg
from mpipp.render.nested_text import Walker
from mpipp.render.print_settings import Limits
from mpipp.render.signature_mismatch import Entries
from mpipp.render.structure import Shown, count, part
from mpipp.render.type_tree_text import expanded_tree, meta_tree
from mpipp.render.value_text import values_text
from mpipp.reports.evidence import Taking
from mpipp.watcher.output.evidence_adapter import Pictures
from tests.around import Around

# Characters that a terminal may obey.
_CONTROL = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_LONGEST = 200_000  # characters in a line
_MOST = 20


class Case:
    """The registries of one damaged case; `of` reads them on demand."""

    def __init__(
        self, chance: random.Random, sides: Sequence[tuple[Memory, int, Mapping[str, Any]]]
    ) -> None:
        self.chance = chance
        self._sides = sides
        self._registries: dict[int, Registry] = {}

    @property
    def registries(self) -> list[Registry]:
        """The registries of all processes."""
        return [self.of(side) for side in range(len(self._sides))]

    def of(self, side: int) -> Registry:
        """The registry of one process. Raises MpippError."""
        if side not in self._registries:
            memory, address, _ = self._sides[side]
            self._registries[side] = Registry(memory, address)
        return self._registries[side]

    def memory(self, side: int) -> Memory:
        """The process's memory."""
        return self._sides[side][0]

    def side(self) -> int:
        """A random process, usually the first, which is damaged."""
        return self.chance.choice((0, 0, 0, len(self._sides) - 1))

    def handle(self, side: int, kind: str) -> int:
        """A handle of a kind, usually one that exists."""
        handles = self._sides[side][2].get(kind) or (7,)
        return self.chance.choice(handles)

    def datatype(self, side: int) -> DatatypeRecord:
        """A random readable datatype. Raises MpippError if there is none."""
        for _ in range(4):
            found = self.of(side).find("datatype", self.handle(side, "datatype"))
            if isinstance(found, DatatypeRecord) and not found.header.null:
                return found
        raise MpippError("there is no sound datatype")

    def count(self) -> int:
        """A count that a user may write."""
        return self.chance.choice((0, 1, 1, 2, 3, 1000, 1 << 31, 1 << 63, 10**30))

    def address(self, side: int) -> int:
        """The address of something in the process."""
        _, address, _ = self._sides[side]
        return self.chance.choice((0, address, 1 << 63, (1 << 64) - 1, self.chance.getrandbits(48)))


def plain(texts: Iterable[str]) -> None:
    """Fail for characters that must not reach a terminal."""
    for text in texts:
        found = _CONTROL.search(text)
        assert found is None, f"a control character at {found.start()}: {text[:300]!r}"
        assert len(text) < _LONGEST, f"a line of {len(text)} characters: {text[:300]!r}"


def sentence(error: MpippError) -> None:
    """Fail unless the error is one non-empty line."""
    text = str(error)
    assert len(text) > 10 and "\n" not in text, f"no sentence: {text!r}"
    plain([text[:_LONGEST]])


def _shown(what: Shown, depth: int = 4) -> None:
    if isinstance(what, str):
        plain([one_line.inline(what, 1)])
    if isinstance(what, Node):
        plain([values_text(what)])
        depth = 0 if what.kind == "text" else depth
    for i in range(min(count(what), 4) if depth else 0):
        _shown(part(what, i), depth - 1)


def info(case: Case) -> None:
    of = case.of(case.side()).info
    plain([of.library_version.replace("\t", " "), of.built_with, of.flavor, of.status])


def lists(case: Case) -> None:
    side = case.side()
    registry = case.of(side)
    kind = case.chance.choice(KINDS)
    for found in itertools.islice(registry.objects(kind, ended=True), 200):
        if isinstance(found, Broken):
            plain([found.reason])
        else:
            plain([one_line.described(found, Around(registry)).text, object_structs.summary(found)])
            json_values.document("list", {"name": found.header.name})


def objects(case: Case) -> None:
    side = case.side()
    registry = case.of(side)
    for kind in case.chance.sample(KINDS, 4):
        found = registry.find(kind, case.handle(side, kind))
        by_fint = registry.by_fint(kind, case.chance.choice((0, 1, 7, -1, 1 << 40)))
        for one in (found, by_fint):
            if one is not None:
                _shown(object_structs.described(one, Around(registry)))


def calls(case: Case) -> None:
    side = case.side()
    registry, memory = case.of(side), case.memory(side)
    around = Around(registry)
    active = [t.call for t in registry.threads() if isinstance(t, Thread) and t.call]
    for call in active:
        plain([call.procedure, *map(str, one_line.arguments(call, around))])
        for given in registry.passed_requests(call, 200):
            plain(
                [
                    str(one_line.described(one, around))
                    for one in given
                    if not isinstance(one, Broken)
                ]
            )
    made = [r.call for r in registry.pending_requests() if isinstance(r, Request)]
    for call in [*active, *made[:_MOST]]:
        for number in range(len(call.buffers)):
            for _, shown in buffers.of_call(call, number, 1, memory, around):
                _shown(shown)
    buffers.by_address((call, 1) for call in active)


def browsed(case: Case) -> None:
    side = case.side()
    registry = case.of(side)
    found = case.datatype(side)
    data = outline.data("data", case.memory(side), case.address(side), case.count(), found.tree)
    pending = [outline.Tree("type", object_structs.described(found, Around(registry))), data]
    for _ in range(_MOST):
        if not pending:
            break
        item = pending.pop()
        line = item.line()
        plain([line.name, line.value, line.type])
        pending += [item.child(i) for i in range(min(item.count, 3))]


def _processes(case: Case) -> list[Process]:
    gaps = case.chance.choice((None, [Gap(0, 4096, False), Gap(1 << 47, 1 << 64, False)]))
    return [
        Process(number, registry, Around(registry), gaps)
        for number, registry in enumerate(case.registries)
    ]


class _Nowhere:
    # Stands for a program without known source lines.

    def place(self, operation: Operation) -> str:
        return "somewhere"

    def outside(self, process: Process) -> str:
        return "computing"


def why(case: Case) -> None:
    for world in worlds(_processes(case)):
        found, nowhere = explain(world), _Nowhere()
        plain(Report(found, nowhere).lines())
        drawn = wait_diagram.groups(found, nowhere)
        plain(wait_diagram.lines(drawn))
        plain(hangs_svg(drawn).splitlines())
        plain([json_values.document("why", deadlock_json.record(found, nowhere))])


def check(case: Case) -> None:
    processes = _processes(case)

    def failed(process: Process | None, error: MpippError) -> None:
        sentence(error)

    found = list(all_checks.findings(processes, failed, leaks_too=True))
    for one in finding_text.folded(found, _nowhere):
        plain(
            line.text
            for line in finding_text.lines(finding_text.record(one.finding, _nowhere, _ranks))
        )
    drawn = Pictures(processes, lambda number, site: [], _ranks, Taking(lambda: 0.0))
    for finding in found:
        record = finding_text.record(finding, _nowhere, _ranks)
        plain([json_values.document("check", record)])
        drawn.add(finding, record)
        plain([json_values.document("run", record)])


def _ranks(*numbers: int) -> str:
    return f"ranks {numbers}"


def _nowhere(_: Party) -> list[str]:
    return []


def trees(case: Case) -> None:
    tree = case.datatype(case.side()).tree
    limits = Limits(elements=40)
    plain(itertools.islice(meta_tree(tree, lambda node: "", limits), 100))
    plain(expanded_tree(tree, case.chance.randint(0, 6), limits))
    plain([Walker().text(tree)])
    plain(type_tree_svg.tree_svg(tree).splitlines())


def places(case: Case) -> None:
    tree = case.datatype(case.side()).tree
    chance = case.chance
    many = chance.choice((None, case.count()))
    any_number = chance.getrandbits(chance.randint(1, 70))
    position = chance.choice((0, 1, tree.size - 1, any_number, -chance.getrandbits(9)))
    indices = [chance.choice((0, 0, 1, 2, 1 << 40, -1)) for _ in range(chance.randint(0, 12))]
    written = "".join(f"[{index}]" for index in indices)
    some: tuple[Callable[[], Any], ...] = (
        lambda: [element_address.at_packed(tree, position, many)],
        lambda: element_address.at_displacement(tree, position, many or 1),
        lambda: [element_address.resolve(tree, element_address.parse(written), many)],
    )
    for ask in some:
        _each(partial(_paths, ask))


def _paths(ask: Callable[[], Any]) -> None:
    plain(element.path for element in ask())


def _each(ask: Callable[[], None]) -> None:
    try:
        ask()
    except MpippError as error:
        sentence(error)


def data(case: Case) -> None:
    side = case.side()
    found = case.datatype(side)
    limits = Limits(elements=case.chance.choice((0, 3, 200)), repeats=case.chance.choice((0, 10)))
    if limits.elements == 0 and (found.tree.element_count > 1000 or limits.repeats == 0):
        limits = Limits(elements=100)
    node = buffer(case.memory(side), case.address(side), case.count(), found.tree)
    text = values_text(node, limits)
    plain([text if limits.elements else text[: _LONGEST - 1]])  # the request allowed this length
    _shown(buffers.entries(case.address(side), case.count(), found, case.memory(side)))


def signatures(case: Case) -> None:
    sides = [Entries("type", case.datatype(case.side()).tree, case.count()) for _ in range(2)]
    found = signature_mismatch.compare(*sides)
    plain(signature_mismatch.lines(found, *sides, cite=str))
    plain([json_values.document("match", signature_mismatch.content(found, *sides))])
    plain([signature_text.text(sides[0].signature, 50)])
    signature_text.entries(sides[0].signature, 100)


def blocks(case: Case) -> None:
    tree = case.datatype(case.side()).tree
    found = memory_map.memory_map(tree, case.chance.choice((0, 1, 2, 3, 10, case.count())))
    plain(blocks_text.lines(found, "type", 50))
    plain([json_values.document("blocks", blocks_text.content(found, "type", 100))])
    if found.region.comb is not None:
        plain(memory_map.text(found))
        plain(svg.svg(found).splitlines())


def overlaps(case: Case) -> None:
    side = case.side()
    base = case.address(side)
    one, other = (
        Buffer(case.datatype(side).tree, case.count(), base + case.chance.choice((0, 4, 64)))
        for _ in range(2)
    )
    names = ("one", "other")
    plain(blocks_text.overlap_lines(one, other, names))
    plain([json_values.document("overlap", blocks_text.overlap_content(one, other, names))])


LOOKS: tuple[Callable[[Case], None], ...] = (
    info,
    lists,
    objects,
    calls,
    browsed,
    check,
    check,
    why,
    trees,
    places,
    data,
    signatures,
    blocks,
    overlaps,
)


def some(case: Case) -> Iterator[str]:
    """Run some random views. Yields the name of each before it runs."""
    for look in case.chance.sample(LOOKS, 3):
        yield look.__name__
        _each(partial(look, case))
