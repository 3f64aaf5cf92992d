# Copyright Spack Project Developers. See COPYRIGHT file for details.
#
# SPDX-License-Identifier: (Apache-2.0 OR MIT)

from spack_repo.builtin.build_systems.python import PythonPackage

from spack.package import *


class Mpipp(PythonPackage):
    """A debugger and checker for MPI programs. It shows MPI handles and communication
    buffers in gdb, and compares a run with the rules of the MPI standard."""

    homepage = "https://github.com/mpipp/mpipp"
    url = "https://github.com/mpipp/mpipp/releases/download/v0.1.0/mpipp-0.1.0.tar.gz"
    git = "https://github.com/mpipp/mpipp.git"

    license("MIT")

    version("main", branch="main")
    # `make packages` writes the hash of the source into the copy in
    # dist/mpipp-VERSION-recipes.tar.gz.
    version("0.1.0", sha256="0000000000000000000000000000000000000000000000000000000000000000")

    variant("browse", default=False, description="Show datatypes as a tree in a terminal")

    depends_on("python@3.9:", type=("build", "run"))
    depends_on("py-hatchling@1.27:", type="build")

    with default_args(type=("build", "run")):
        depends_on("py-pyelftools@0.29:")
        depends_on("py-rich@10:")
        depends_on("py-textual", when="+browse")

    # mpipp builds its wrapper for the MPI library of the user's program, so it needs no MPI here.
    depends_on("gdb@10:+python", type="run")
