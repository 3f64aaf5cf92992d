# SPDX-License-Identifier: MIT
"""Arithmetic on datatypes: pure functions of trees and exact integers."""
