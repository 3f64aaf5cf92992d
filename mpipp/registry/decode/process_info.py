# SPDX-License-Identifier: MIT
"""Decodes the registry's root: facts about the MPI library and the process."""

from __future__ import annotations

from mpipp.model import ProcessInfo
from mpipp.registry.layout.field_table import text
from mpipp.registry.layout.record_fields import RawRoot
from mpipp.registry.layout.record_source import Source, expect_number


def process_info(source: Source, root: RawRoot) -> ProcessInfo:
    """Return the data of the root. Raises MpippError if it is invalid."""
    expect_number(root.world_size)
    return ProcessInfo(
        flavor=source.enumerator("flavor", root.flavor),
        status=source.enumerator("status", root.status),
        pid=root.pid,
        world_rank=root.world_rank if root.world_rank >= 0 else None,
        world_size=root.world_size if root.world_size >= 0 else None,
        standard=(root.standard, root.standard_minor) if root.standard else None,
        end_awaited=bool(root.end_awaited),
        spawned=root.spawned,
        library_version=text(root.library_version),
        built_with=text(root.built_with),
        dropped=root.dropped,
        started_at=root.started_at,
        handle_size=root.handle_size,
        frames=root.frames,
        job=root.job,
        parent=root.parent,
        main_thread=root.main_thread or None,
        tag_ub=root.tag_ub or None,
        status_size=root.status_size,
        kind_bits=root.kind_bits,
        several_threads=bool(root.several_threads),
        several_called=bool(root.several_called),
        ledger_bytes=root.ledger_bytes,
        forgotten=root.forgotten,
        unasked=root.unasked,
        logged=bool(root.onesided),
        unlogged=root.onesided_lost,
        pages=(root.onesided_closed, root.onesided_pages),
        untraced=root.onesided_unseen,
        looks=bool(root.onesided_looks),
        attached=source.attachment(root.attached),
        of_sessions=bool(root.of_sessions),
        apart=root.apart,
        unseen=bool(root.unseen),
        guard=source.enumerator("guard", root.guard),
        blind=bool(root.blind),
        crowded=root.crowded,
        untold=root.untold,
        hindrances=source.bits("hindrance", root.hindrances),
    )
