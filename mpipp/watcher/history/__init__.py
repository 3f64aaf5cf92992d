# SPDX-License-Identifier: MIT
"""Reading and comparing the history of calls while the program runs."""
