# SPDX-License-Identifier: MIT
"""A filter for pictures from a run's directory: only elements that mpipp draws may enter a page."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from mpipp.reports.formats.html.escape import html

_NAMESPACE = "{http://www.w3.org/2000/svg}"
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
_ELEMENTS = frozenset("svg g title desc rect path line text".split())
_TEXTS = frozenset("title desc text".split())
_NUMBERS = frozenset("x y x1 x2 y1 y2 rx width height font-size".split())
_PATTERNS = {
    **dict.fromkeys(_NUMBERS, re.compile(r"-?[\d.]+")),
    "viewBox": re.compile(r"[-\d. ]+"),
    "d": re.compile(r"[-MmLlHhVvCcZz\d., ]+"),
    "class": re.compile(r"[\w -]+"),
    "role": re.compile("img"),
    "aria-label": re.compile(".*", re.DOTALL),
    "text-anchor": re.compile("start|middle|end"),
    "pointer-events": re.compile("none"),
}
_DEEPEST = 32  # nested elements
_WIDTH = re.compile(r' width="(\d{1,6}(?:\.\d*)?)"')
_WIDEST = 1e5


def cleaned(svg: str, name: str) -> str:
    """A picture without foreign parts, for a page with its style; "" if it is invalid.

    Args:
        name: a description of the picture, for readers who cannot see it.
    """
    if "<!" in svg or "<?" in svg:
        return ""
    written = _Written(name)
    parser = ElementTree.XMLParser(target=written)
    try:
        parser.feed(svg)
        parser.close()
    except (ElementTree.ParseError, ValueError):
        return ""
    return "".join(written.parts)


class _Written:
    # The parser calls this for each element. The method keeps elements that mpipp draws, and builds
    # no tree, so any depth is safe.
    def __init__(self, name: str) -> None:
        self._name = name
        self.parts: list[str] = []
        self._depth = 0
        self._unknown = 0  # depth inside an element that is left out with its content
        self._has_text = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > _DEEPEST or (self._depth == 1 and tag != f"{_NAMESPACE}svg"):
            raise ValueError
        name = tag.replace(_NAMESPACE, "")
        self._has_text = False
        if self._unknown or name not in _ELEMENTS:
            self._unknown = self._unknown or self._depth
            return
        if self._depth == 1:
            attributes = {**attributes, "role": "img", "aria-label": self._name}
        self.parts += [f"<{name}", *map(_attribute, attributes.items()), ">"]
        self._has_text = name in _TEXTS

    def data(self, text: str) -> None:
        if self._has_text:
            self.parts.append(html(text))

    def end(self, tag: str) -> None:
        if not self._unknown:
            self.parts.append(f"</{tag.replace(_NAMESPACE, '')}>")
        if self._unknown == self._depth:
            self._unknown = 0
        self._has_text = False
        self._depth -= 1


def _attribute(of: tuple[str, str]) -> str:
    key, value = of
    pattern = _PATTERNS.get(key)
    if pattern is not None and pattern.fullmatch(value):
        return f' {key}="{html(value)}"'
    return ' xml:space="preserve"' if key == _SPACE else ""


def width(drawn: str) -> float:
    """The width of a filtered picture in pixels; 0 if it has none."""
    found = _WIDTH.search(drawn.partition(">")[0])
    return min(float(found[1]), _WIDEST) if found else 0.0
