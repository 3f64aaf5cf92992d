# SPDX-License-Identifier: MIT
"""What a datatype is: pure arithmetic on trees and exact integers."""
