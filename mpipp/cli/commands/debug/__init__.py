# SPDX-License-Identifier: MIT
"""`mpipp debug`: starts the ranks of a job and one gdb, and ends after both."""
