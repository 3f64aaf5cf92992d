// SPDX-License-Identifier: MIT
// double_free.c as a C++ program.
#include "double_free.c"
