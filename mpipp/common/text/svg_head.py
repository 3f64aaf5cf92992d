# SPDX-License-Identifier: MIT
"""The beginning of an SVG picture, equal for all pictures."""

from __future__ import annotations

from mpipp.common.text.xml import quoted


def svg_head(kind: str, label: str, width: float, height: float, style: str) -> str:
    """Return the first lines of a picture with a background.

    Args:
        kind: the picture's class is `mpipp-KIND`.
        label: a description for screen readers.
        width: pixels, as is `height`.
        style: CSS.
    """
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="mpipp-{kind}" role="img" '
        f'aria-label={quoted(label)} width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}">\n<style>{style}</style>\n'
        f'<rect class="back" width="{width:g}" height="{height:g}"/>'
    )
