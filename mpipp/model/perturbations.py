# SPDX-License-Identifier: MIT
"""Perturbations of calls, to expose races."""

from __future__ import annotations

from typing import NamedTuple

from mpipp.model.object_header import Site


class Provoked(NamedTuple):
    """The calls of one place in the program that were perturbed in one way.

    Attributes:
        procedure: its name; "" for a group of places that got no entry of their own.
        way: of wrapper/registry/perturbations.h: "called", "waits", "cut" ...
        by: the procedure of another call that perturbed this one; "" if there is none.
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
