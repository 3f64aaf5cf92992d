// SPDX-License-Identifier: MIT
// Halo exchange of small messages: Jacobi steps on 512 kB in each process. A step takes some 35 us.
#define N 256
#include "halorows.c"
