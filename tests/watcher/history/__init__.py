# SPDX-License-Identifier: MIT
"""Messages and collective calls, compared while the program runs."""
