# SPDX-License-Identifier: MIT
"""The report as an HTML page."""
