# SPDX-License-Identifier: MIT
"""Print the reference of gdb commands as Markdown. gdb runs this script with mpipp loaded."""

import inspect
import sys
from typing import Any

from mpipp.gdb import commands, settings
from mpipp.gdb.commands import convenience_functions, print_


def section(title: str, documented: Any) -> str:
    """The section about one command: its summary, then the rest of its help unchanged."""
    summary, _, rest = (inspect.getdoc(documented) or "").partition("\n")
    text = f"## `{title}`\n\n{summary}\n"
    return text + (f"\n```text\n{rest.strip()}\n```\n" if rest.strip() else "")


parts = [
    "# Commands, settings and functions in gdb\n\n"
    "This page shows the help that gdb prints for `help mpipp`, `help mpipp list` and so on.\n"
    "(`make docs` generates this page.)\n"
]
parts.append(section("mpipp", print_.Mpipp))
parts += [section(command.name, command) for command in commands.SUBCOMMANDS]
parts += [section(f"set {setting.name}", setting) for setting in settings.SETTINGS]
parts += [section(f"${function.name}", function) for function in convenience_functions.FUNCTIONS]
sys.stdout.write("\n".join(parts))
