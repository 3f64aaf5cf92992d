# SPDX-License-Identifier: MIT
"""The watcher: a process beside those of the program, which checks their records.

`ipc.launch` runs first, in place of the program, and starts one watcher a node. `ipc.protocol`
reads what the wrapper (wrapper/watcher_client/connection.c) sends. `event_loop` is the entry point
and hands each message on. `processes.process_table` and `nodes.process_exits` get processes that
come and go; `queries` and `strict.prechecks` answer processes that wait. When they are due, the
loop calls `process_end_checks` and `history.running_comparison`, which produce the findings.
"""
