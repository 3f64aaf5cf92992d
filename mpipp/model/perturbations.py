# SPDX-License-Identifier: MIT
"""Perturbations of calls, to expose races."""

from __future__ import annotations

from typing import NamedTuple

from mpipp.model.object_header import Site


class Provoked(NamedTuple):
    """The perturbations of calls of one place in the program, in one way.

    Attributes:
        procedure: "" for several beyond the capacity, whose way is unknown.
        way: of wrapper/registry/perturbations.h: "called", "waits", "cut" ...
        by: the procedure of another call that it was done by, "" if the way has none.
        times: number of calls.
        least, most: of the counted amounts: parts, milliseconds.
    """

    procedure: str
    site: Site
    way: str
    by: str
    by_site: Site
    times: int
    least: int
    most: int
