# SPDX-License-Identifier: MIT
"""docs/watch.md describes the options that there are, in their order."""

from __future__ import annotations

import re

from mpipp.cli.run_options import GROUPS
from tests.support import ROOT

SECTION = (ROOT / "docs" / "watch.md").read_text().partition("## 11. All options\n")[2]
OPTIONS = [option for options in GROUPS.values() for option in options]


def test_every_option_is_described() -> None:
    rows = [line.split("|")[1] for line in SECTION.splitlines() if line.startswith("| `")]
    described = [re.split(r"[ \[]", name)[0] for row in rows for name in re.findall("`(.*?)`", row)]
    assert described == [word for option in OPTIONS for word in option.words]


def test_the_options_of_run_alone() -> None:
    said = re.findall("`(-.*?)`", SECTION.rpartition("`mpipp exec` has all")[2])
    alone = [option.words[0] for option in OPTIONS if option.of_run]
    assert [*said, "--provoke", "--provoke-sweep"] == alone
