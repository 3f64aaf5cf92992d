# SPDX-License-Identifier: MIT
"""Progress of the job: detection and report of hangs."""
