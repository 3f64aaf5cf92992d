# SPDX-License-Identifier: MIT
"""The watcher: a process beside the program's, which checks what they have recorded.

`start` runs in place of the program first, and starts one watcher a node; `connection` takes what
the wrapper (wrapper/watch/connection.c) hands over; `watcher` decides when to look.
"""
