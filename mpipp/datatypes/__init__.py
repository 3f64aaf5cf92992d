# SPDX-License-Identifier: MIT
"""Arithmetic on datatypes: pure functions of type-trees and exact integers."""
