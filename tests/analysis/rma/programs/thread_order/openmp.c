// SPDX-License-Identifier: MIT
// Regions of OpenMP with two threads. In functions X_ordered the region orders an operation of one
// thread before the access of the other; in X_racing it does not.
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

enum { CASES = 64 };
static MPI_Win window;
static int *base, rank;
static omp_lock_t lock;

static void get(int at) {
  MPI_Get(base + at, 1, MPI_INT, 1, at, 1, MPI_INT, window);
  MPI_Win_flush(1, window);
}

static void put(int at) {
  MPI_Put(base + at + CASES, 1, MPI_INT, 1, at, 1, MPI_INT, window);
  MPI_Win_flush(1, window);
}

#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#define REGION PRAGMA(omp parallel num_threads(2))

static void barrier_ordered(int at) {
  REGION {
    if (omp_get_thread_num() == 0) get(at);
#pragma omp barrier
    if (omp_get_thread_num() == 1) base[at] = 1;
  }
}

static void barrier_racing(int at) {
  REGION {
    if (omp_get_thread_num() == 0) get(at);
    if (omp_get_thread_num() == 1) base[at] = 1;
#pragma omp barrier
  }
}

static void region_ordered(int at) {
  REGION if (omp_get_thread_num() == 1) get(at);
  base[at] = 1;
  REGION if (omp_get_thread_num() == 1) get(at);
}

static void single_ordered(int at) {
  REGION {
#pragma omp single
    get(at);
#pragma omp single
    base[at] = 1;
  }
}

static void single_racing(int at) {
  REGION {
#pragma omp single nowait
    get(at);
    if (omp_get_thread_num() < 2) base[at] = 1;
  }
}

static void master_racing(int at) {
  REGION {
#pragma omp master
    get(at);
    if (omp_get_thread_num() == 1) base[at] = 1;
  }
}

static void loop_ordered(int at) {
  REGION {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < 2; i++)
      if (i == 0) get(at);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 2; i++)
      if (i == 1) base[at] = 1;
  }
}

static void loop_racing(int at) {
#pragma omp parallel for schedule(static, 1) num_threads(2)
  for (int i = 0; i < 2; i++) {
    if (i == 0)
      get(at);
    else
      base[at] = 1;
  }
}

static void iterations_ordered(int at) {
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
  for (int i = 0; i < 2; i++) {
#pragma omp ordered
    {
      if (i == 0)
        get(at);
      else
        base[at] = 1;
    }
  }
}

static void sections_ordered(int at) {
  REGION {
#pragma omp sections
    {
#pragma omp section
      get(at);
#pragma omp section
      base[at + 1] = 1;
    }
#pragma omp sections
    {
#pragma omp section
      base[at + 1] = 2;
#pragma omp section
      base[at] = 1;
    }
  }
}

static void critical_ordered(int at) {
  int done = 0;
  REGION {
    if (omp_get_thread_num() == 0) {
      get(at);
#pragma omp critical(ready)
      done = 1;
    } else {
      for (int seen = 0; !seen;) {
#pragma omp critical(ready)
        seen = done;
      }
      base[at] = 1;
    }
  }
}

static void critical_racing(int at) {
  int done = 0;
  REGION {
    if (omp_get_thread_num() == 0) {
      get(at);
#pragma omp critical(one)
      done++;
    } else {
#pragma omp critical(other)
      base[at] = 1;
    }
  }
}

static void lock_ordered(int at) {
  int done = 0;
  REGION {
    if (omp_get_thread_num() == 0) {
      get(at);
      omp_set_lock(&lock);
      done = 1;
      omp_unset_lock(&lock);
    } else {
      for (int seen = 0; !seen;) {
        omp_set_lock(&lock);
        seen = done;
        omp_unset_lock(&lock);
      }
      base[at] = 1;
    }
  }
}

static void atomic_ordered(int at) {
  int done = 0;
  REGION {
    if (omp_get_thread_num() == 0) {
      get(at);
#pragma omp atomic write seq_cst
      done = 1;
    } else {
      for (int seen = 0; !seen;) {
#pragma omp atomic read seq_cst
        seen = done;
      }
      base[at] = 1;
    }
  }
}

static void task_ordered(int at) {
  REGION {
#pragma omp single
    {
#pragma omp task
      get(at);
#pragma omp taskwait
      base[at] = 1;
#pragma omp taskgroup
      {
#pragma omp task
        get(at);
      }
      base[at] = 1;
#pragma omp task depend(out : at)
      get(at);
#pragma omp task depend(in : at)
      base[at] = 1;
#pragma omp taskwait
#pragma omp taskloop
      for (int i = 0; i < 2; i++)
        if (i == 1) get(at);
      base[at] = 1;
    }
  }
}

// The task runs in the thread that does not wait for it.
static void task_racing(int at) {
  int begun = 0;
  REGION {
#pragma omp single
    {
#pragma omp task
      {
#pragma omp atomic
        begun++;
        get(at);
      }
      for (int seen = 0; !seen;) {
#pragma omp atomic read
        seen = begun;
      }
      base[at] = 1;
    }
  }
}

// Conflicts of a put in rank 0 with a load in rank 1. The barrier of MPI orders only threads that
// call it.
static void target_racing(int at) {
  if (rank == 0) {
    put(at);
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (rank == 1) {
    REGION {
#pragma omp master
      MPI_Barrier(MPI_COMM_WORLD);
      if (omp_get_thread_num() == 1) printf("%s", base[at] > 100 ? "!" : "");
    }
  }
}

static void target_ordered(int at) {
  if (rank == 0) {
    put(at);
    MPI_Barrier(MPI_COMM_WORLD);
  } else if (rank == 1) {
    REGION {
#pragma omp master
      MPI_Barrier(MPI_COMM_WORLD);
#pragma omp barrier
      if (omp_get_thread_num() == 1) printf("%s", base[at] > 100 ? "!" : "");
    }
  }
}

static void origin_racing(int at) {
  if (rank == 0) {
    REGION {
      if (omp_get_thread_num() == 1) put(at);
#pragma omp master
      MPI_Send(NULL, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    }
  } else if (rank == 1) {
    MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%s", base[at] > 100 ? "!" : "");
  }
}

static void (*const local[])(int) = {
    barrier_ordered,    barrier_racing,   region_ordered,   single_ordered,
    single_racing,      master_racing,    loop_ordered,     loop_racing,
    iterations_ordered, sections_ordered, critical_ordered, critical_racing,
    lock_ordered,       atomic_ordered,   task_ordered,     task_racing,
};
static void (*const remote[])(int) = {target_racing, target_ordered, origin_racing};

int main(int argc, char **argv) {
  int provided, at = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  omp_init_lock(&lock);
  MPI_Win_allocate(2 * CASES * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base,
                   &window);
  MPI_Win_lock_all(0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  for (unsigned i = 0; i < sizeof local / sizeof *local; i++, at += 2)
    if (rank == 0) local[i](at);
  MPI_Barrier(MPI_COMM_WORLD);
  for (unsigned i = 0; i < sizeof remote / sizeof *remote; i++, at += 2) remote[i](at);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
