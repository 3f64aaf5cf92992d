# SPDX-License-Identifier: MIT
"""The comparison of messages and collective calls while the program runs."""
