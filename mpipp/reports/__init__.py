# SPDX-License-Identifier: MIT
"""The findings of a run, stored in a directory, and the reports that show them.

`evidence` and `call_timeline` collect the data of a finding while the program's records exist.
`store` reads and writes the directory. `formats` are the reports.
"""
