# SPDX-License-Identifier: MIT
"""Pending receives get a fill pattern. If the program adds to a number in it, the
change must show."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.support import ROOT, need

SOURCE = """\
#include <stdio.h>
#include "buffer_guard/compare/fill_pattern.h"
enum { BYTES = 64 };
#define ADDS(TYPE) \\
  for (uint64_t at = 0; at + sizeof(TYPE) <= BYTES; at += sizeof(TYPE)) { \\
    mpipp_pattern_put((uintptr_t)begin, BYTES); \\
    missed += mpipp_pattern_differs((uintptr_t)begin, BYTES) != BYTES; \\
    TYPE value; \\
    memcpy(&value, begin + at, sizeof value); \\
    value += 1; \\
    memcpy(begin + at, &value, sizeof value); \\
    uint64_t first = mpipp_pattern_differs((uintptr_t)begin, BYTES); \\
    missed += first < at || first >= at + sizeof value; \\
  }
static int misses_some(char *to, uint64_t bytes, uint64_t stored) {
  int missed = 0;
  char by[BYTES];
  memset(by, 'b', sizeof by);
  mpipp_pattern_put((uintptr_t)to, bytes);
  to[stored] ^= 1;
  char kept = to[stored], behind = to[bytes] = 'e';
  mpipp_pattern_replace((uintptr_t)to, bytes, by);
  for (uint64_t at = 0; at < bytes; at++) missed += to[at] != (at == stored ? kept : 'b');
  return missed + (to[bytes] != behind);
}
int main(void) {
  int missed = 0;
  static char many[1 << 20];
  for (char *begin = many; begin < many + (1 << 16); begin += 4) {
    ADDS(double)
    ADDS(float)
    ADDS(long double)
    ADDS(int)
    ADDS(char)
  }
  for (uint64_t bytes = 1; bytes < BYTES; bytes++) {
    for (uint64_t stored = 0; stored < bytes; stored++)
      missed += misses_some(many + bytes, bytes, stored);
  }
  printf("%d\\n", missed);
  return 0;
}
"""


def test_to_add_something_changes_each_number(tmp_path: Path) -> None:
    (tmp_path / "adds.c").write_text(SOURCE)
    program = tmp_path / "adds"
    words = [
        need("gcc"),
        "-O1",
        f"-I{ROOT / 'wrapper'}",
        str(tmp_path / "adds.c"),
        "-o",
        str(program),
    ]
    subprocess.run(words, check=True)
    done = subprocess.run([program], stdout=subprocess.PIPE, check=True, text=True)
    assert done.stdout == "0\n"
