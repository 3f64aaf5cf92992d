// SPDX-License-Identifier: MIT
// Halo exchange of small messages: Jacobi steps on 512 kB of each process, some 35 us each.
#define N 256
#include "halorows.c"
