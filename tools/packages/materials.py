# SPDX-License-Identifier: MIT
"""The bill of materials: the Python packages that an installation of mpipp contains."""

from __future__ import annotations

import os
import platform
import subprocess
import tempfile
import venv
from pathlib import Path

from mpipp import __version__

_TIME = "1580601600"  # hatchling writes the same time into the source
_ROOT = Path(__file__).resolve().parents[2]


def install(wheels: list[Path], directory: Path, tools: str) -> Path:
    """Install the wheel for this machine into a new environment. Returns the environment's Python.

    Args:
        tools: a Python that has pip.
    """
    venv.create(directory, clear=True, with_pip=False)
    python = directory / "bin" / "python"
    usable = [wheel for wheel in wheels if wheel.stem.endswith((platform.machine(), "any"))]
    words = ["--python", str(python), "--disable-pip-version-check", "-q", "install"]
    subprocess.run([tools, "-m", "pip", *words, *map(str, usable[:1])], check=True)
    return python


def write(python: Path, file: Path, tools: str) -> None:
    """Write the packages of an environment as CycloneDX JSON, and validate it.

    Args:
        python: the environment's Python.
        tools: a Python that has cyclonedx-bom.
    """
    with tempfile.TemporaryDirectory() as directory:
        project = Path(directory) / "pyproject.toml"
        project.write_text(_project_with_version())
        words = ["--pyproject", str(project), "--output-reproducible", "--validate"]
        words += ["--spec-version", "1.6", "--output-format", "JSON", "-o", str(file), str(python)]
        environment = {**os.environ, "SOURCE_DATE_EPOCH": _TIME}
        subprocess.run(
            [tools, "-m", "cyclonedx_py", "environment", *words], check=True, env=environment
        )


def _project_with_version() -> str:
    text = (_ROOT / "pyproject.toml").read_text()
    return text.replace('dynamic = ["version"]', f'version = "{__version__}"')
