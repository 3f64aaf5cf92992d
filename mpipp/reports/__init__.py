# SPDX-License-Identifier: MIT
"""What a watched run has found, kept in a directory and shown: as text, a page, or for tools.

`evidence` and `timeline` say of a finding, while the program's records are there, what a report
shows of it; `directory` keeps that; `text`, `page` and `sarif` are the reports.
"""
