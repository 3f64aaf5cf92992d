# SPDX-License-Identifier: MIT
"""The program's own types, as debug information tells them, and datatypes beside them."""
