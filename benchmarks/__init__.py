# SPDX-License-Identifier: MIT
"""Figures of the recorder and the debugger side; `make bench` prints them."""
