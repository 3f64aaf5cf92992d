// SPDX-License-Identifier: MIT
// Pairs of operations on a window by two threads of an OpenMP region. Without arguments OpenMP
// orders each pair. With an argument it does not; then the comment "race" marks a line of the pair.
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

enum { CASES = 64 };
static MPI_Win window, fenced;
static int *base, *exposed, *buffer, rank, races; // all memory belongs to windows
static volatile int sink;
static volatile int begun, stores; // order nothing for mpipp

#define ELEMENT 1, MPI_INT, 1, at, 1, MPI_INT, window
#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#define REGION PRAGMA(omp parallel num_threads(2))
#define FIRST if (omp_get_thread_num() == 0)
#define SECOND if (omp_get_thread_num() == 1)

static void flush(void) {
  MPI_Win_flush(1, window);
}

static void barrier(int at) {
  REGION {
    FIRST {
      MPI_Get(buffer + at, ELEMENT);
      flush();
    }
    if (!races) {
#pragma omp barrier
    }
    SECOND buffer[at] = 1; // race
  }
}

static void barrier_before_flush(int at) {
  REGION {
    FIRST MPI_Get(buffer + at, ELEMENT);
    FIRST if (!races) flush();
#pragma omp barrier
    SECOND sink = buffer[at]; // race
    FIRST flush();
  }
}

static void critical(int at) {
  int done = 0;
  REGION {
    FIRST {
      MPI_Put(buffer + at, ELEMENT);
      flush();
#pragma omp critical(ready)
      done = 1;
    }
    SECOND {
      for (int seen = races; !seen;) {
#pragma omp critical(ready)
        seen = done;
      }
      buffer[at] = 1; // race
    }
  }
}

static void atomic(int at) {
  int done = 0;
  REGION {
    FIRST {
      MPI_Get(buffer + at, ELEMENT);
      flush();
#pragma omp atomic write seq_cst
      done = 1;
    }
    SECOND {
      for (int seen = races; !seen;) {
#pragma omp atomic read seq_cst
        seen = done;
      }
      sink = buffer[at]; // race
    }
  }
}

static void locks(int at) {
  int done = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
  REGION {
    FIRST {
      MPI_Get(buffer + at, ELEMENT);
      flush();
      omp_set_lock(&lock);
      done = 1;
      omp_unset_lock(&lock);
    }
    SECOND {
      for (int seen = races; !seen;) {
        omp_set_lock(&lock);
        seen = done;
        omp_unset_lock(&lock);
      }
      buffer[at] = 1; // race
    }
  }
  omp_destroy_lock(&lock);
}

static void single(int at) {
  REGION {
#pragma omp single nowait
    {
      MPI_Get(buffer + at, ELEMENT);
      flush();
    }
    if (!races) {
#pragma omp barrier
    }
#pragma omp single nowait
    buffer[at + 1] = 2;
    if (races || omp_get_thread_num()) sink = buffer[at]; // race
  }
}

// In another thread than the second section.
static void sections(int at) {
  begun = 0;
  REGION {
#pragma omp sections
    {
#pragma omp section
        {MPI_Put(buffer + at, ELEMENT);
    flush();
    while (races && !begun) {
    }
  }
#pragma omp section
  {
    begun = 1;
    if (races) buffer[at] = 1; // race
  }
}
#pragma omp sections
{
#pragma omp section
  buffer[at] = 2;
}
}
}

static void loop(int at) {
  REGION {
#pragma omp for schedule(static, 1) nowait
    for (int i = 0; i < 2; i++)
      if (i == 0) {
        MPI_Get(buffer + at, ELEMENT);
        flush();
      }
    if (!races) {
#pragma omp barrier
    }
#pragma omp for schedule(static, 1)
    for (int i = 0; i < 2; i++)
      if (i == 1) buffer[at] = 1; // race
  }
}

static void ordered(int at) {
#pragma omp parallel for ordered schedule(static, 1) num_threads(2)
  for (int i = 0; i < 2; i++) {
    if (i == 0 && races) MPI_Put(buffer + at, ELEMENT);
    if (i == 0 && races) flush();
    if (i == 1 && races) buffer[at] = 1; // race
#pragma omp ordered
    {
      if (i == 0 && !races) MPI_Put(buffer + at, ELEMENT);
      if (i == 0 && !races) flush();
      if (i == 1 && !races) buffer[at] = 1;
    }
  }
}

static void master(int at) {
  REGION {
#pragma omp master
    {
      MPI_Get(base + at, ELEMENT);
      flush();
    }
    if (!races) {
#pragma omp barrier
    }
    SECOND sink = base[at]; // race
  }
}

// The task runs in the thread that does not wait for it.
static void task(int at) {
  begun = 0;
  REGION {
#pragma omp single
    {
#pragma omp task
      {
        begun = 1;
        MPI_Get(buffer + at, ELEMENT);
        flush();
      }
      while (!begun) {
      }
      if (!races) {
#pragma omp taskwait
      }
      buffer[at] = 1; // race
    }
  }
}

// Two tasks in two threads.
static void dependences(int at) {
  begun = stores = 0;
  char get, other;
  REGION {
#pragma omp single
    {
#pragma omp task depend(out : get)
      {
        begun = 1;
        MPI_Get(buffer + at, ELEMENT);
        flush();
        while (races && !stores) {
        }
      }
      while (!begun) {
      }
      char *after = races ? &other : &get;
#pragma omp task depend(in : *after)
      {
        stores = 1;
        buffer[at] = 1; // race
      }
    }
  }
}

// A task that another task has created.
static void taskgroup(int at) {
  begun = 0;
  REGION {
#pragma omp single
    {
#pragma omp taskgroup
      {
#pragma omp task
        {
#pragma omp task
          {
            begun = 1;
            MPI_Get(buffer + at, ELEMENT);
            flush();
          }
        }
        while (!begun) {
        }
        if (races) buffer[at] = 1; // race
      }
      buffer[at] = 2;
    }
  }
}

static void taskloop(int at) {
  begun = stores = 0;
  REGION {
#pragma omp single
    {
#pragma omp taskloop grainsize(1)
      for (int i = 0; i < 2; i++) {
        if (i == 0) {
          begun = 1;
          MPI_Get(buffer + at, ELEMENT);
          flush();
          while (races && !stores) {
          }
        } else {
          stores = 1;
          while (races && !begun) {
          }
          if (races) buffer[at] = 1; // race
        }
      }
      buffer[at] = 2;
    }
  }
}

static void reduction(int at) {
  REGION {
    int sum = 0;
    FIRST MPI_Get(buffer + at, ELEMENT);
    FIRST flush();
    if (!races) {
#pragma omp barrier
    }
    SECOND sum = buffer[at]; // race
    sink = sum;
  }
  int sum = 0;
#pragma omp parallel for reduction(+ : sum) num_threads(2)
  for (int i = 0; i < 2; i++) sum += i;
  buffer[at] = sum;
  MPI_Put(buffer + at, ELEMENT);
  flush();
}

static void nested(int at) {
  REGION {
    FIRST MPI_Put(buffer + at, ELEMENT);
    FIRST flush();
    if (!races) {
#pragma omp barrier
    }
    SECOND {
      REGION SECOND buffer[at] = 1; // race
    }
  }
}

static void two_puts(int at) {
  REGION {
    FIRST MPI_Put(buffer + at, ELEMENT);
    FIRST flush();
    if (!races) {
#pragma omp barrier
    }
    SECOND MPI_Put(buffer + at + 1, ELEMENT); // race
    SECOND flush();
  }
}

static void accumulates(int at) {
  REGION {
    FIRST MPI_Accumulate(buffer + at, 1, MPI_INT, 1, at, 1, MPI_INT, MPI_SUM, window);
    SECOND if (!races)
        MPI_Accumulate(buffer + at + 1, 1, MPI_INT, 1, at, 1, MPI_INT, MPI_SUM, window);
    SECOND if (races) MPI_Put(buffer + at + 1, ELEMENT); // race
    flush();
  }
}

static void request(int at) {
  MPI_Request request;
  REGION {
    FIRST MPI_Rget(buffer + at, ELEMENT, &request);
#pragma omp barrier
    SECOND {
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      if (!races) buffer[at] = 1;
    }
    FIRST if (races) buffer[at] = 1; // race
  }
}

static void fence(int at) {
  MPI_Win_fence(0, fenced);
  if (rank == 0) {
    REGION {
      FIRST MPI_Put(buffer + at, 1, MPI_INT, 1, at, 1, MPI_INT, fenced);
      FIRST if (!races) MPI_Win_fence(0, fenced);
#pragma omp barrier
      SECOND buffer[at] = 1; // race
    }
  } else if (!races) {
    MPI_Win_fence(0, fenced);
  }
  MPI_Win_fence(0, fenced);
}

static void start_complete(int at) {
  int other = 1 - rank;
  MPI_Group all, one;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &other, &one);
  if (rank == 0) {
    MPI_Win_start(one, 0, fenced);
    REGION {
      FIRST MPI_Get(buffer + at, 1, MPI_INT, 1, at, 1, MPI_INT, fenced);
      FIRST if (!races) MPI_Win_complete(fenced);
#pragma omp barrier
      SECOND sink = buffer[at]; // race
    }
    if (races) MPI_Win_complete(fenced);
  } else {
    MPI_Win_post(one, 0, fenced);
    MPI_Win_wait(fenced);
  }
  MPI_Group_free(&one);
  MPI_Group_free(&all);
}

static void post_wait(int at) {
  int other = 1 - rank;
  MPI_Group all, one;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &other, &one);
  if (rank == 0) {
    MPI_Win_start(one, 0, fenced);
    MPI_Put(buffer + at, 1, MPI_INT, 1, at, 1, MPI_INT, fenced);
    MPI_Win_complete(fenced);
  } else {
    MPI_Win_post(one, 0, fenced);
    REGION {
      FIRST MPI_Win_wait(fenced);
      if (!races) {
#pragma omp barrier
      }
      SECOND sink = exposed[at]; // race
    }
  }
  MPI_Group_free(&one);
  MPI_Group_free(&all);
}

// A barrier of MPI orders only the threads that call it.
static void message(int at) {
  if (rank == 0) {
    MPI_Put(buffer + at, ELEMENT);
    flush();
    MPI_Barrier(MPI_COMM_WORLD);
  } else {
    REGION {
      FIRST MPI_Barrier(MPI_COMM_WORLD);
      if (!races) {
#pragma omp barrier
      }
      SECOND sink = base[at]; // race
    }
  }
}

static void (*const local[])(int) = {
    barrier,  barrier_before_flush,
    critical, atomic,
    locks,    single,
    loop,     sections,
    ordered,  master,
    task,     dependences,
    nested,   taskgroup,
    taskloop, reduction,
    two_puts, accumulates,
    request,
};
static void (*const remote[])(int) = {fence, start_complete, post_wait, message};

int main(int argc, char **argv) {
  int provided, at = 0;
  size_t size = 2 * CASES * sizeof(int);
  races = argc > 1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  omp_set_max_active_levels(2);
  MPI_Win_allocate(2 * size, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
  buffer = base + 2 * CASES;
  MPI_Win_allocate(size, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &exposed, &fenced);
  MPI_Win_lock_all(0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  for (unsigned i = 0; i < sizeof local / sizeof *local; i++, at += 2)
    if (rank == 0) local[i](at);
  MPI_Barrier(MPI_COMM_WORLD);
  for (unsigned i = 0; i < sizeof remote / sizeof *remote; i++, at += 2) remote[i](at);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Win_free(&fenced);
  MPI_Finalize();
  return 0;
}
