# SPDX-License-Identifier: MIT
"""The program's own types, as its debug information describes them."""
