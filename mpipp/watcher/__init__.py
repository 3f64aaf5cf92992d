# SPDX-License-Identifier: MIT
"""The watcher: a process beside the program's, which checks what they have recorded.

`ipc.launch` runs in place of the program first, and starts one watcher a node; `ipc.protocol`
reads what the wrapper (wrapper/watcher_client/connection.c) sends; `event_loop` decides when
to check.
"""
