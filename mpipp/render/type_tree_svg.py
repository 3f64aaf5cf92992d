# SPDX-License-Identifier: MIT
"""The meta type-tree as one SVG picture, for notebooks and documents.

Boxes stand for datatypes, with the constructor's arguments and their bounds in bytes. The branch to
a component is labelled with its blocks. The root is on the left. A datatype that occurs again is
drawn once, and later shown as #n. Parts beyond the limits are one box.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from html import escape

from mpipp.common.lazy_dataclass import dataclass
from mpipp.datatypes.shapes import Blocks
from mpipp.render.datatype_structs import quoted
from mpipp.render.type_tree_text import shared
from mpipp.typetree import Datatype

_MOST_BOXES = 60
_MOST_CHILDREN = 12
_DEEPEST = 8
_MOST_LINES = 4  # lines of a label
_MOST_LISTED = 6  # numbers of an argument
_LONGEST = 30  # characters of a line

# Pixels.
_LINE = 16
_CHARACTER = 7.3  # width in the monospaced font, at 12 px
_PADDING = 9
_BETWEEN = 14  # distance between boxes in a column
_TRUNK = 14  # from a box to the vertical line that leads to its children
_ARROW = 16
_MARGIN = 14

# The picture contains its background, because a notebook may be light or dark.
STYLE = """
.mpipp-tree{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.mpipp-tree text{fill:#24292f}
.mpipp-tree .back{fill:#fff;stroke:#d0d7de}
.mpipp-tree .box{fill:#ddf4ff;stroke:#0969da}
.mpipp-tree .leaf{fill:#dafbe1;stroke:#1a7f37}
.mpipp-tree .more{fill:#f6f8fa;stroke:#8c959f;stroke-dasharray:4 3}
.mpipp-tree .kind{font-weight:bold}
.mpipp-tree .dim{fill:#57606a}
.mpipp-tree .line{fill:none;stroke:#8c959f}
.mpipp-tree .tip{fill:#8c959f}
@media (prefers-color-scheme:dark){
.mpipp-tree text{fill:#e6edf3}
.mpipp-tree .back{fill:#0d1117;stroke:#30363d}
.mpipp-tree .box{fill:#12233c;stroke:#58a6ff}
.mpipp-tree .leaf{fill:#12301d;stroke:#3fb950}
.mpipp-tree .more{fill:#161b22;stroke:#6e7681}
.mpipp-tree .dim{fill:#8b949e}
}
""".strip()


@dataclass
class _Box:
    # A datatype, or a box for several. `text` is a list of (class, line). The position is the
    # middle of the left side, in pixels.
    look: str
    text: list[tuple[str, str]]
    title: str
    branches: list[_Branch] = field(default_factory=list)
    x: float = 0
    y: float = 0

    @property
    def width(self) -> float:
        return max(len(line) for _, line in self.text) * _CHARACTER + 2 * _PADDING

    @property
    def height(self) -> float:
        return len(self.text) * _LINE + _PADDING


@dataclass
class _Branch:
    label: list[str]
    box: _Box

    @property
    def width(self) -> float:
        return max(map(len, self.label), default=0) * _CHARACTER

    @property
    def height(self) -> float:
        return max(self.box.height, len(self.label) * _LINE)


def tree_svg(datatype: Datatype) -> str:
    """The meta type-tree of `datatype` as an SVG document of bounded size."""
    root = _boxes(datatype)
    height = _placed(root)
    boxes = list(_all(root))
    width = max(box.x + box.width for box in boxes) + _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="mpipp-tree" role="img" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}">',
        f"<title>The type-tree of {_xml(_words(datatype))}</title>",
        f"<style>{STYLE}</style>",
        '<rect class="back" x="0.5" y="0.5" rx="6" '
        f'width="{width - 1:.0f}" height="{height - 1:.0f}"/>',
    ]
    for box in boxes:
        parts += _drawn_branches(box)
    for box in boxes:
        parts += _drawn(box)
    return "\n".join([*parts, "</svg>", ""])


def _boxes(datatype: Datatype) -> _Box:
    # Breadth first, so that limits cut off the parts far from the root.
    numbers = shared(datatype)
    seen: set[Datatype] = {datatype}
    root = _box(datatype, numbers)
    pending = deque([(datatype, root, 1)])
    count = 1
    while pending:
        node, box, depth = pending.popleft()
        groups = _groups(node)
        for position, group in enumerate(groups):
            rest = len(groups) - position
            if count >= _MOST_BOXES or (position == _MOST_CHILDREN - 1 and rest > 1):
                blocks = sum(len(one.blocks) for one in groups[position:])
                box.branches.append(_Branch([], _fold(_amount(blocks, "more block"))))
                break
            if depth == _DEEPEST and not group.component.is_leaf:
                levels = _amount(group.component.depth, "more level")
                box.branches.append(_Branch(group.label(node), _fold(levels)))
                continue
            again = group.component in seen and not group.component.is_leaf
            child = (_reference_box if again else _box)(group.component, numbers)
            box.branches.append(_Branch(group.label(node), child))
            count += 1
            if not again and not group.component.is_leaf:
                seen.add(group.component)
                pending.append((group.component, child, depth + 1))
    return root


@dataclass
class _Group:
    # Consecutive blocks of one component.
    component: Datatype
    blocks: range

    def label(self, node: Datatype) -> list[str]:
        """The label of blocks: number, length, displacement in bytes."""
        shape = node.shape
        if not isinstance(shape, Blocks) and shape.order:
            counts = [level.dimension.count for level in shape.levels()]
            from_there = [f"from {shape.displacement(())}"] if all(counts) else []
            return [" × ".join(map(str, counts)), *from_there]
        if shape.stages == 1:
            if node.combiner != "CONTIGUOUS":
                return []
            apart = f"{self.component.extent} apart"
            count = shape.branching(())
            return [f"{count} ×", *([apart] if count > 1 else [])]
        lines = []
        for block in _ends(self.blocks):
            if block is None:
                lines.append("…")
            else:
                length, at = shape.branching((block,)), shape.displacement((block,))
                lines.append(f"[{block}] {length} × at {at}")
        return lines


def _ends(blocks: range) -> Sequence[int | None]:
    # All blocks if they are few, else the first ones, None, and the last one.
    if len(blocks) <= _MOST_LINES:
        return blocks
    return [*blocks[: _MOST_LINES - 2], None, blocks[-1]]


def _groups(node: Datatype) -> list[_Group]:
    if node.is_leaf or not node.components:
        return []
    if node.combiner not in ("STRUCT", "VALUE_INDEX"):
        shape = node.shape
        return [_Group(node.components[0], range(shape.branching(())))]
    found = []
    first = 0
    for _, run in itertools.groupby(node.components, _identity):
        blocks = list(run)
        found.append(_Group(blocks[0], range(first, first + len(blocks))))
        first += len(blocks)
    return found


def _identity(node: Datatype) -> object:
    return node.name if node.combiner == "NAMED" else node


def _box(node: Datatype, numbers: Mapping[Datatype, int]) -> _Box:
    bounds = _bounds(node)
    if node.combiner == "NAMED":
        return _Box("leaf", [("kind", _cut(node.name)), ("dim", bounds[0])], _full(node))
    text = [("kind", _cut(f"{node.combiner}{_number(node, numbers)}"))]
    if node.name:
        text.append(("kind", _cut(quoted(node.name))))
    text += [("", line) for line in _arguments(node)]
    text += [("dim", line) for line in bounds]
    return _Box("leaf" if node.is_leaf else "box", text, _full(node))


def _reference_box(node: Datatype, numbers: Mapping[Datatype, int]) -> _Box:
    text = [("kind", f"{node.combiner}{_number(node, numbers)}"), ("dim", "the same datatype")]
    return _Box("more", text, _full(node))


def _fold(what: str) -> _Box:
    return _Box("more", [("dim", f"… {what}")], what)


def _number(node: Datatype, numbers: Mapping[Datatype, int]) -> str:
    return f" #{numbers[node]}" if node in numbers else ""


def _arguments(node: Datatype) -> Iterator[str]:
    # An argument in one line, or several. The blocks of a list are shown at the branches instead.
    line = ""
    for name, value in node.arguments.items():
        if name in ("blocklengths", "displacements", "ndims"):
            continue
        text = f"{name} {_brief(value)}"
        if line and len(line) + 2 + len(text) > _LONGEST:
            yield line
            line = ""
        line = _cut(f"{line}, {text}" if line else text)
    if line:
        yield line


def _brief(value: object) -> str:
    if not isinstance(value, tuple):
        return str(value)
    shown = ["DFLT" if item is None else str(item) for item in value[:_MOST_LISTED]]
    return "{" + ", ".join([*shown, *["…"] * (len(value) > _MOST_LISTED)]) + "}"


def _bounds(node: Datatype) -> list[str]:
    # Bounds in bytes, without a lower bound of 0 and without true bounds that are equal.
    of = node.extents
    line = f"size {of.size}"
    if of.extent != of.size or of.lb:
        line += f", extent {of.extent}"
    if of.lb:
        line = f"{line}, lb {of.lb}"
    if not of.size or (of.true_lb, of.true_extent) == (of.lb, of.extent):
        return [line]
    return [line, f"true lb {of.true_lb}, true extent {of.true_extent}"]


def _full(node: Datatype) -> str:
    # A tooltip with all bounds.
    of = node.extents
    given = [f"{name} {_brief(value)}" for name, value in node.arguments.items()]
    bounds = [f"size {of.size}", f"lb {of.lb}", f"ub {node.ub}", f"extent {of.extent}"]
    if node.element_count:
        bounds += [f"true lb {of.true_lb}", f"true extent {of.true_extent}"]
    bounds.append(_amount(node.element_count, "element"))
    return "\n".join([_words(node), *given, ", ".join(bounds)])


def _words(node: Datatype) -> str:
    if node.combiner == "NAMED":
        return node.name
    return f"{node.combiner} {quoted(node.name)}" if node.name else node.combiner


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"


def _amount(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _all(root: _Box) -> Iterator[_Box]:
    yield root
    for branch in root.branches:
        yield from _all(branch.box)


def _placed(root: _Box) -> float:
    # Set the position of every box: columns by depth, each box in the middle of its branches.
    # Returns the height of the picture.
    column = [root]
    x: float = _MARGIN
    while column:
        for box in column:
            box.x = x
        branches = [branch for box in column for branch in box.branches]
        widest = max(box.width for box in column)
        label = max((branch.width for branch in branches), default=0)
        x += widest + _TRUNK + _ARROW + (label + 2 * _PADDING if label else 0)
        column = [branch.box for branch in branches]
    return _place_rows(root, _MARGIN, root.height) + _MARGIN


def _place_rows(box: _Box, top: float, height: float) -> float:
    # Set the position of a box and its branches, from `top` on. Returns the bottom. The box needs
    # `height` with its label.
    rows = [branch.height for branch in box.branches]
    bottom = top
    for branch, row in zip(box.branches, rows):
        bottom = _place_rows(branch.box, bottom, row) + _BETWEEN
    bottom -= _BETWEEN if rows else 0
    if bottom - top < height:
        _shift(box, (height - (bottom - top)) / 2)
        bottom = top + height
    if rows:
        box.y = (box.branches[0].box.y + box.branches[-1].box.y) / 2
        low, high = box.y - height / 2, box.y + height / 2
        if low < top:  # the branches lie in the upper half of their rows
            box.y = top + height / 2
        elif high > bottom:
            box.y = bottom - height / 2
    else:
        box.y = top + height / 2
    return bottom


def _shift(box: _Box, by: float) -> None:
    for branch in box.branches:
        for below in _all(branch.box):
            below.y += by


def _drawn(box: _Box) -> Iterator[str]:
    top = box.y - box.height / 2
    yield f"<g><title>{_xml(box.title)}</title>"
    yield (
        f'<rect class="{box.look}" x="{box.x:.1f}" y="{top:.1f}" width="{box.width:.1f}" '
        f'height="{box.height:.1f}" rx="{5 if box.look == "box" else 10}"/>'
    )
    for i, (look, line) in enumerate(box.text):
        yield _text(box.x + _PADDING, top + _PADDING / 2 + (i + 0.75) * _LINE, line, look)
    yield "</g>"


def _drawn_branches(box: _Box) -> Iterator[str]:
    if not box.branches:
        return
    trunk = box.x + box.width + _TRUNK
    yield _path(f"M{box.x + box.width:.1f} {box.y:.1f}H{trunk:.1f}")
    ends = [box.y, *(branch.box.y for branch in box.branches)]
    if max(ends) > min(ends):
        yield _path(f"M{trunk:.1f} {min(ends):.1f}V{max(ends):.1f}")
    for branch in box.branches:
        x, y = branch.box.x, branch.box.y
        start = trunk
        if branch.label:
            label = trunk + _PADDING
            yield _path(f"M{trunk:.1f} {y:.1f}H{label - 2:.1f}")
            top = y - len(branch.label) * _LINE / 2
            for i, line in enumerate(branch.label):
                yield _text(label, top + (i + 0.75) * _LINE, line, "dim")
            start = label + branch.width + 3
        yield _path(f"M{start:.1f} {y:.1f}H{x - 6:.1f}")
        yield f'<path class="tip" d="M{x:.1f} {y:.1f}l-7 -3.5v7z"/>'


def _path(d: str) -> str:
    return f'<path class="line" d="{d}"/>'


def _text(x: float, y: float, line: str, look: str) -> str:
    kind = f' class="{look}"' if look else ""
    return f'<text{kind} x="{x:.1f}" y="{y:.1f}" xml:space="preserve">{_xml(line)}</text>'


def _xml(text: str) -> str:
    # XML forbids control characters and surrogates.
    return escape(
        "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text), quote=False
    )
