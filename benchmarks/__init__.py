# SPDX-License-Identifier: MIT
"""Measurements of the recorder and the debugger, which `make bench` prints."""
