/* SPDX-License-Identifier: MIT */
/* Errors of real programs, made as small as possible; each has a corrected twin. Two processes. */
#ifndef PATTERNS_H
#define PATTERNS_H

#include <mpi.h>

#ifndef CELLS
#define CELLS (1 << 16) /* of a message: more than any library sends before the receive */
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Rank 1 waits for a message of rank 0. */
void go(void);
void await_go(void);
/* Checks that rank 1 has received n numbers from `first` on. */
void need(const double *cells, int n, double first);

void athena_r1086(int rank, int wrong);
void athena_r1086_cc(int rank, int wrong);
void athena_r1090(int rank, int wrong);
void boost_app(int rank, int wrong);
void sort(int rank, int wrong);
void octopus_r1278(int rank, int wrong);
void octopus_r1278_cc(int rank, int wrong);

#ifdef __cplusplus
}
#endif
#endif
