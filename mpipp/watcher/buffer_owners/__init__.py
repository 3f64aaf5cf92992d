# SPDX-License-Identifier: MIT
"""Find the object of the program that contains a buffer, once for each place that passes it."""
