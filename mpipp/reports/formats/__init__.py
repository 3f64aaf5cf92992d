# SPDX-License-Identifier: MIT
"""The formats of a report: text, SARIF, tables."""
