# SPDX-License-Identifier: MIT
"""Explanations of hangs: `mpipp why`."""
