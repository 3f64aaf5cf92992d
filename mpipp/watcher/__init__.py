# SPDX-License-Identifier: MIT
"""The watcher: a process beside those of the program, which checks their records.

`ipc.launch` runs first, in place of the program, and starts one watcher on each node.
`ipc.protocol` reads the messages from the wrapper (wrapper/watcher_client/connection.c).
`event_loop` is the entry point, and passes each message to a handler. `processes.process_table` and
`nodes.process_exits` handle the start and end of processes; `queries` and
`collective_precheck.prechecks` answer waiting processes. At certain times the loop calls
`process_end_checks` and `history.running_comparison`, which produce the findings.
"""
