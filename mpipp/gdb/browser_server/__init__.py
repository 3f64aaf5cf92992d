# SPDX-License-Identifier: MIT
"""The server for browsers: datatypes, buffers and the process."""
