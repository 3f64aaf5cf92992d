# SPDX-License-Identifier: MIT
"""The formats of a report: text, HTML, SARIF, JUnit XML, and others."""
