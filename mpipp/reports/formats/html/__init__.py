# SPDX-License-Identifier: MIT
"""The report as a page of HTML."""
