# SPDX-License-Identifier: MIT
"""Comparison of all processes of a job, on any number of nodes, by files in the run's directory.

`process_file` writes and reads the file of one process; `fingerprints` selects the processes
that may differ; `compare` compares all that a directory has.
"""
