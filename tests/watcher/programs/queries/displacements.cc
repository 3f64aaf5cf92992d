// SPDX-License-Identifier: MIT
// displacements.c as a C++ program.
#include "displacements.c"
