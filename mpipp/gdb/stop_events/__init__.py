# SPDX-License-Identifier: MIT
"""Messages when a process stops: at a guarded access, for the watcher, in an MPI call."""
