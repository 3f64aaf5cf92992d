# SPDX-License-Identifier: MIT
"""All processes of a job, on however many nodes: what each leaves in the run's directory.

`plain` turns the model into plain values and back, `files` writes and reads a process's file,
`written` is a process that was read, and `run` compares all that a directory has.
"""
