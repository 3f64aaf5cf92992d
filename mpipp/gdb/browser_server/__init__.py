# SPDX-License-Identifier: MIT
"""The server from which browsers get datatypes, buffers and the state of the process."""
