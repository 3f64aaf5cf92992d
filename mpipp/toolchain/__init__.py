# SPDX-License-Identifier: MIT
"""MPI libraries, compilers, launchers and debuggers of this machine; builds of the wrapper."""
