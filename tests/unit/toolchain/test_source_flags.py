# SPDX-License-Identifier: MIT
"""The compiler's flags for the sources of the wrapper."""

from __future__ import annotations

import re
from pathlib import Path

from mpipp.toolchain import source_flags
from tests.support import ROOT

GENERATED = ROOT / "wrapper" / "generated"


def test_files_with_own_flags_exist() -> None:
    assert {name for name in source_flags._WRAPPERS if not (GENERATED / name).exists()} == set()


def test_all_entries_have_parameters_for_gdb() -> None:
    files = [path for path in GENERATED.glob("*.c") if "EXPORT int" in path.read_text()]
    files.append(GENERATED / "calls_marked.c")
    assert len(files) > 5
    for file in files:
        assert "-g" in source_flags.flags(file.relative_to(ROOT / "wrapper")), file


def test_calls_of_the_fast_path_are_optimized() -> None:
    uses = re.compile(r"mpipp_(is_plain|begin_plain\w*)\(")
    files = [path for path in GENERATED.glob("calls_*.c") if uses.search(path.read_text())]
    assert files
    for file in files:
        assert "-O2" in source_flags.flags(file.relative_to(ROOT / "wrapper")), file


def test_the_hand_written_code_is_optimized() -> None:
    assert source_flags.flags(Path("recorder/keyvals.c")) == ("-O2", "-g1")
