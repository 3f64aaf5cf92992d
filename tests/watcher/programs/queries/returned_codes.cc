// SPDX-License-Identifier: MIT
// returned_codes.c as a C++ program.
#include "returned_codes.c"
