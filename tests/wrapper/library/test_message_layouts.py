# SPDX-License-Identifier: MIT
"""The structs that a process and its watcher share: read from headers, asserted by compilers."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from mpipp.watcher.ipc import layouts as generated
from tests import support
from wrapper.generator import layouts


def test_members_and_enumerators() -> None:
    assert layouts.members("mpipp_change")[-1] == layouts.Member("now", "32s", 64, 32)
    assert dict(layouts.enumerators("mpipp_end"))["ABORTING"] == 3
    assert generated.HELLO.read(b"MPIPPHI\0" + bytes(48)).magic == b"MPIPPHI\0"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("int pid;", "int has no fixed size"),
        ("uint32_t one; uint64_t two;", "there is a gap before two"),
        ("uint64_t all[3];", "all is an array"),
    ],
)
def test_what_cannot_be_shared(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, body: str, why: str
) -> None:
    (tmp_path / "some.h").write_text(f"struct some {{\n  {body}\n}};\n")
    monkeypatch.setattr(layouts, "WRAPPER", tmp_path)
    monkeypatch.setitem(layouts.STRUCTS, "some", ("some.h", ""))
    with pytest.raises(ValueError, match=f"struct some: {why}"):
        layouts.members("some")


def test_a_struct_that_has_changed_is_not_compiled(tmp_path: Path) -> None:
    header = (layouts.WRAPPER / "watcher_client" / "messages.h").read_text()
    source = tmp_path / "messages.c"
    words = [support.need("gcc"), "-fsyntax-only", f"-I{layouts.WRAPPER}", str(source)]
    for here, fails in (("uint32_t here;", False), ("uint64_t here;", True)):
        source.write_text(header.replace("uint32_t here;", here))
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert ("static assertion failed" in done.stderr) == fails, done.stderr
