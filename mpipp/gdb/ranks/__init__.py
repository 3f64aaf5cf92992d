# SPDX-License-Identifier: MIT
"""All ranks of a job in this gdb, in non-stop mode: focus, run control, merged stops."""
