# SPDX-License-Identifier: MIT
"""Programs that need MPI to buffer their messages, or collective calls not to synchronize."""
