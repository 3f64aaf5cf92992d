# SPDX-License-Identifier: MIT
"""What was done to calls so that errors show."""

from __future__ import annotations

from typing import NamedTuple

from mpipp.model.object_header import Site


class Provoked(NamedTuple):
    """What was done to the calls of one place in the program, in one way.

    Attributes:
        procedure: "" of several, for which there was no room; of these no way is known.
        way: of wrapper/registry/perturbations.h: "called", "waits", "cut" ...
        by: the procedure of another call that it was done by, "" if the way has none.
        times: how many calls.
        least, most: of what is counted so: parts, milliseconds.
    """

    procedure: str
    site: Site
    way: str
    by: str
    by_site: Site
    times: int
    least: int
    most: int
