# SPDX-License-Identifier: MIT
"""Pictures of a run's directory, as part of a page: only what mpipp draws is let through."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

from mpipp.reports.html import html

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
_STYLE = re.compile("<style>.*?</style>", re.DOTALL)


def cleaned(svg: str, name: str) -> str:
    """A picture for a page that has its style; "" if it is none.

    Args:
        name: what it shows, for those who do not see it.
    """
    if "<!" in svg or "<?" in svg:
        return ""
    try:
        root = ElementTree.fromstring(_STYLE.sub("", svg))
    except (ElementTree.ParseError, ValueError):
        return ""
    if root.tag != f"{_NAMESPACE}svg":
        return ""
    root.set("role", "img")
    root.set("aria-label", name)
    return "".join(_written(root))


def _written(element: ElementTree.Element) -> Iterator[str]:
    tag = str(element.tag).replace(_NAMESPACE, "")
    if tag not in _ELEMENTS:
        return
    yield f"<{tag}"
    for key, value in element.attrib.items():
        pattern = _PATTERNS.get(key)
        if pattern is not None and pattern.fullmatch(value):
            yield f' {key}="{html(value)}"'
        elif key == _SPACE:
            yield ' xml:space="preserve"'
    yield ">"
    if tag in _TEXTS:
        yield html(element.text or "")
    for child in element:
        yield from _written(child)
    yield f"</{tag}>"
