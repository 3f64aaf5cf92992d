# SPDX-License-Identifier: MIT
"""Builds wheels of mpipp with wrappers that run on every Linux distribution since glibc 2.17.

One machine builds for all machine types: zig brings a C compiler with the headers and symbol
versions of old C libraries. The MPI headers come from the wheels of MPICH and Open MPI for the
target.
"""
