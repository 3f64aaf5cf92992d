# SPDX-License-Identifier: MIT
"""Decodes the records of perturbed calls."""

from __future__ import annotations

from collections.abc import Iterator

from mpipp.model import Provoked
from mpipp.registry.layout.record_fields import RawPerturbation
from mpipp.registry.layout.record_source import Source


def provoked(source: Source) -> Iterator[Provoked]:
    """Yield the perturbations, for each place of a call and each kind. Raises MpippError."""
    if "provoked" not in source.tables:
        return
    for raw in source.entries("provoked", RawPerturbation):
        if not raw.times:
            continue
        has_room = bool(raw.way)
        yield Provoked(
            source.procedure(raw.procedure) if has_room else "",
            source.site(raw.caller, 0),
            source.enumerator("way", raw.way) if has_room else "",
            source.procedure(raw.by_procedure) if raw.by_procedure else "",
            source.site(raw.by_caller, 0),
            raw.times,
            raw.least,
            raw.most,
        )
