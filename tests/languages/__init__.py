# SPDX-License-Identifier: MIT
"""Programs in C++ and Fortran."""
