# SPDX-License-Identifier: MIT
"""The beginning of a picture, which is equal in all."""

from __future__ import annotations

from mpipp.common.text.xml import quoted


def svg_head(kind: str, label: str, width: float, height: float, style: str) -> str:
    """The first lines of a picture with a background: `class="mpipp-KIND"`, pixels, and CSS.

    Args:
        label: what the picture shows, for screen readers.
    """
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="mpipp-{kind}" role="img" '
        f'aria-label={quoted(label)} width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}">\n<style>{style}</style>\n'
        f'<rect class="back" width="{width:g}" height="{height:g}"/>'
    )
