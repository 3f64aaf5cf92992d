# SPDX-License-Identifier: MIT
"""The part of `mpipp dap` inside gdb: the requests of the client, and the events of the job."""
