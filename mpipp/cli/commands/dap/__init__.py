# SPDX-License-Identifier: MIT
"""`mpipp dap`: a debug adapter for editors, on standard input and output."""
