# SPDX-License-Identifier: MIT
"""Checks of messages: sends and receives that match each other (MPI-4.1, sections 3.3 and 3.5).

Completed messages are compared by the histories of channels (`mpipp.model.call_history`), stretch
by stretch: a loop of a million messages is compared once.
"""
