# SPDX-License-Identifier: MIT
"""Did what is over belong together? (MPI-4.1, sections 3.3, 3.5 and 6.1)

The rules are those of `messages` and `collectives`. What is compared are the histories of channels
(`mpipp.model.past`), stretch by stretch: a loop of a million messages is compared once.
"""
