// SPDX-License-Identifier: MIT
// Each collective procedure in each of its forms: blocking, nonblocking, persistent, and with large
// counts.
#ifndef FORMS_H
#define FORMS_H
#include "collective.h"

static _Thread_local int which;

static void later(MPI_Request request) {
  dawdle();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

#define SAME_AS(Blocking, Nonblocking, Persistent, ...)                                            \
  do {                                                                                             \
    MPI_Request request;                                                                           \
    if (which == 0) Blocking(__VA_ARGS__);                                                         \
    if (which == 1) Nonblocking(__VA_ARGS__, &request), later(request);                            \
    if (which == 2) PERSISTENT(Persistent, __VA_ARGS__)                                            \
  } while (0)
#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
static void twice(MPI_Request request) {
  for (int i = 0; i < 2; i++) {
    MPI_Start(&request);
    dawdle();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
}

#define PERSISTENT(Name, ...) Name(__VA_ARGS__, MPI_INFO_NULL, &request), twice(request);
#else
#define PERSISTENT(Name, ...)                                                                      \
  {}
#endif
#define EACH(Name, name, ...) SAME_AS(MPI_##Name, MPI_I##name, MPI_##Name##_init, __VA_ARGS__)
#if MPI_VERSION >= 4
#define EACH_LARGE(Name, name, ...)                                                                \
  SAME_AS(MPI_##Name##_c, MPI_I##name##_c, MPI_##Name##_init_c, __VA_ARGS__)
typedef MPI_Count large_count;
#else
#define EACH_LARGE(Name, name, ...) EACH(Name, name, __VA_ARGS__)
typedef int large_count;
#endif
#define EITHER(Name, name, ...)                                                                    \
  do {                                                                                             \
    if (is_large)                                                                                  \
      EACH_LARGE(Name, name, __VA_ARGS__);                                                         \
    else                                                                                           \
      EACH(Name, name, __VA_ARGS__);                                                               \
  } while (0)

#if defined MPICH_NUMVERSION && MPICH_NUMVERSION < 40100000
#define IS_MPICH_4_0 1
#else
#define IS_MPICH_4_0 0
#endif

static void of_one_count(void) {
  int n = 1 + draw(SMALL), root = draw(size), is_large = draw(2);
  const MPI_Datatype type = MPI_DOUBLE;
  which = draw(3);
  EACH(Barrier, barrier, comm);
  EITHER(Bcast, bcast, in, n, type, root, comm);
  EITHER(Gather, gather, out, n, type, in, n, type, root, comm);
  if (!(IS_MPICH_4_0 && which == 2)) // MPICH 4.0 ends these programs with an error
    EITHER(Scatter, scatter, out, n, type, in, n, type, root, comm);
  EITHER(Allgather, allgather, out, n, type, in, n, type, comm);
  EITHER(Alltoall, alltoall, out, n, type, in, n, type, comm);
  EITHER(Reduce, reduce, out, in, n, type, MPI_SUM, root, comm);
  EITHER(Allreduce, allreduce, out, in, n, type, MPI_PROD, comm);
  EITHER(Reduce_scatter_block, reduce_scatter_block, out, in, n, type, MPI_MIN, comm);
  EITHER(Scan, scan, out, in, n, type, MPI_SUM, comm);
  EITHER(Exscan, exscan, out, in, n, type, MPI_MAX, comm);
}

// The counts differ between the processes, and there are gaps between the parts.
static void of_each_count(void) {
  int n = 1 + draw(SMALL), root = draw(size), counts[MOST], places[MOST];
  int bytes[MOST];
  large_count many[MOST];
#if MPI_VERSION >= 4
  MPI_Aint apart[MOST], bytes_apart[MOST];
#else
  int apart[MOST], bytes_apart[MOST];
#endif
  MPI_Datatype types[MOST];
  const MPI_Datatype type = MPI_DOUBLE;
  which = draw(3);
  for (int i = 0; i < size; i++) {
    many[i] = counts[i] = n, types[i] = type;
    apart[i] = places[i] = i * (n + 1);
    bytes_apart[i] = bytes[i] = 8 * places[i];
  }
  if (draw(2)) {
    EACH(Gatherv, gatherv, out, n, type, in, counts, places, type, root, comm);
    EACH(Scatterv, scatterv, out, counts, places, type, in, n, type, root, comm);
    EACH(Allgatherv, allgatherv, out, n, type, in, counts, places, type, comm);
    EACH(Alltoallv, alltoallv, out, counts, places, type, in, counts, places, type, comm);
    EACH(Alltoallw, alltoallw, out, counts, bytes, types, in, counts, bytes, types, comm);
    EACH(Reduce_scatter, reduce_scatter, out, in, counts, type, MPI_SUM, comm);
  } else {
    EACH_LARGE(Gatherv, gatherv, out, n, type, in, many, apart, type, root, comm);
    EACH_LARGE(Scatterv, scatterv, out, many, apart, type, in, n, type, root, comm);
    EACH_LARGE(Allgatherv, allgatherv, out, n, type, in, many, apart, type, comm);
    EACH_LARGE(Alltoallv, alltoallv, out, many, apart, type, in, many, apart, type, comm);
    EACH_LARGE(Alltoallw, alltoallw, out, many, bytes_apart, types, in, many, bytes_apart, types,
               comm);
    EACH_LARGE(Reduce_scatter, reduce_scatter, out, in, many, type, MPI_SUM, comm);
  }
}

static void of_neighbors(void) {
  int n = 1 + draw(SMALL), is_large = draw(2), counts[] = {n, n}, places[] = {0, 2 * n};
  large_count many[] = {n, n};
  MPI_Aint bytes[] = {0, 16 * n};
#if MPI_VERSION >= 4
  MPI_Aint apart[] = {0, 2 * n};
#else
  int apart[] = {0, 2 * n};
#endif
  const MPI_Datatype type = MPI_DOUBLE, types[] = {type, type};
  int degree = 2, to[] = {left, right};
  MPI_Comm ring;
  which = draw(3);
  MPI_Dist_graph_create(comm, 1, &rank, &degree, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &ring);
  EITHER(Neighbor_allgather, neighbor_allgather, out, n, type, in, n, type, ring);
  EITHER(Neighbor_alltoall, neighbor_alltoall, out, n, type, in, n, type, ring);
  if (is_large) {
    EACH_LARGE(Neighbor_allgatherv, neighbor_allgatherv, out, n, type, in, many, apart, type, ring);
    EACH_LARGE(Neighbor_alltoallv, neighbor_alltoallv, out, many, apart, type, in, many, apart,
               type, ring);
    EACH_LARGE(Neighbor_alltoallw, neighbor_alltoallw, out, many, bytes, types, in, many, bytes,
               types, ring);
  } else {
    EACH(Neighbor_allgatherv, neighbor_allgatherv, out, n, type, in, counts, places, type, ring);
    EACH(Neighbor_alltoallv, neighbor_alltoallv, out, counts, places, type, in, counts, places,
         type, ring);
    EACH(Neighbor_alltoallw, neighbor_alltoallw, out, counts, bytes, types, in, counts, bytes,
         types, ring);
  }
  MPI_Comm_free(&ring);
}

static void (*const EACH_FORM[])(void) = {of_one_count, of_each_count, of_neighbors};

#endif
