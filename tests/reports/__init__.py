# SPDX-License-Identifier: MIT
"""Reports of runs: text, HTML, SARIF."""
