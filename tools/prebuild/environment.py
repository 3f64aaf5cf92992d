# SPDX-License-Identifier: MIT
"""The Python environment of the build: zig and hatchling."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Mapping
from pathlib import Path

_PACKAGES = ("ziglang==0.17.1", "hatchling>=1.27")


class Environment:
    """A virtual environment with the tools of the build. It is created if it does not exist.

    Args:
        directory: its directory.
    """

    def __init__(self, directory: Path) -> None:
        self._python = directory / "bin" / "python"
        marker = directory / "packages"
        wanted = " ".join(_PACKAGES)
        if not marker.exists() or marker.read_text() != wanted:
            venv.create(directory, with_pip=True)
            self.pip("install", *_PACKAGES)
            marker.write_text(wanted)

    def pip(self, *words: str) -> None:
        """Run pip. Raises CalledProcessError, after pip's own message."""
        self.run("pip", "--disable-pip-version-check", "-q", *words)

    def run(self, module: str, *words: str, variables: Mapping[str, str] | None = None) -> None:
        """Run a module of the environment, with more environment variables.

        Raises CalledProcessError, after the module's own message.
        """
        environment = {**os.environ, **(variables or {})}
        subprocess.run([self.command, "-m", module, *words], check=True, env=environment)

    @property
    def command(self) -> str:
        """The path of the environment's Python."""
        return str(self._python)

    def write_compiler(self, path: Path, target: str) -> str:
        """Write a script that is a C compiler for a target of zig. Returns its path."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#!/bin/sh\nexec "{self.command}" -m ziglang cc -target {target} "$@"\n')
        path.chmod(0o755)
        return str(path)


def fail(sentence: str) -> None:
    """End the build with one sentence."""
    sys.exit(f"prebuild: {sentence}")
