# SPDX-License-Identifier: MIT
"""The findings of a run, kept in a directory and shown.

`evidence` and `call_timeline` keep what a report shows of a finding while the program's records
are there; `store` is the directory; `formats` are the reports.
"""
