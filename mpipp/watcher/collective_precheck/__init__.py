# SPDX-License-Identifier: MIT
"""The collective pre-check (`--strict`), which compares collective calls before they begin."""
