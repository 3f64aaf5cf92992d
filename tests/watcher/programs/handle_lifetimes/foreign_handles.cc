// SPDX-License-Identifier: MIT
// foreign_handles.c as a C++ program.
#include "foreign_handles.c"
