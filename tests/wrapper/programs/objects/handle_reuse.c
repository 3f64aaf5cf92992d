// SPDX-License-Identifier: MIT
// Makes and frees objects in a loop: handles are used again, and memory does not run out.
#include "probe.h"

#define TIMES 1000000

static long resident(void) {
  long pages = 0, all = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &all, &pages) != 2) _exit(73);
  fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

// The same constructor twice: with the same component, and with another that has its handle.
static void again(void) {
  MPI_Datatype inner, outer;
  MPI_Type_contiguous(2, MPI_INT, &inner);
  for (int i = 0; i < 4; i++) {
    char stop[] = "again 0";
    stop[6] += i;
    if (i == 3) {
      MPI_Type_free(&inner);
      MPI_Type_contiguous(5, MPI_INT, &inner);
    }
    MPI_Type_vector(3, 2, 4, inner, &outer);
    if (i == 0) MPI_Type_commit(&outer);
    if (i == 1) MPI_Type_set_name(outer, "named");
    SAY(outer);
    SAY(inner);
    look(stop);
    MPI_Type_free(&outer);
  }
  MPI_Type_free(&inner);
}

static void handles(void) {
  MPI_Datatype first, structure, second, third;
  MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &first);
  SAY(first);
  look("first");
  MPI_Datatype types[] = {first};
  int length = 1;
  MPI_Aint offset = 0;
  MPI_Type_create_struct(1, &length, &offset, types, &structure);
  SAY(structure);
  MPI_Type_free(&first);
  look("freed");
  MPI_Type_contiguous(7, MPI_INT, &second);
  SAY(second);
  look("second");
  MPI_Type_free(&second);
  MPI_Type_free(&structure);
  MPI_Type_contiguous(8, MPI_INT, &third);
  SAY(third);
  look("third");
  MPI_Type_free(&third);
  again();
}

static void types(int times) {
  MPI_Datatype vector;
  for (int i = 0; i < times; i++) {
    MPI_Type_vector(3, i % 50, 4, MPI_DOUBLE, &vector);
    MPI_Type_free(&vector);
  }
}

// Fewer rounds, because MPICH 4.0's MPI_Type_commit leaks 60 bytes each time.
static void nested_types(int times) {
  MPI_Datatype inner, outer;
  for (int i = 0; i < times; i++) {
    MPI_Type_vector(3, 2, 4, MPI_DOUBLE, &inner);
    MPI_Type_contiguous(i % 50, inner, &outer);
    MPI_Type_commit(&outer);
    MPI_Type_free(&inner);
    MPI_Type_free(&outer);
  }
}

static void requests(int times) {
  int out = 1, in;
  MPI_Request request[2];
  for (int i = 0; i < times; i++) {
    MPI_Irecv(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request[0]);
    MPI_Isend(&out, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request[1]);
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
  }
}

// Each request has a new derived datatype, freed while it is pending, and array arguments.
static void heavy_requests(int times) {
  int out[4] = {1}, in[4], count = 1, displacement = 1;
  MPI_Request request[2];
  MPI_Datatype pair;
  for (int i = 0; i < times; i++) {
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Irecv(in, 1, pair, 0, 1, MPI_COMM_SELF, &request[0]);
    MPI_Isend(out, 1, pair, 0, 1, MPI_COMM_SELF, &request[1]);
    MPI_Type_free(&pair);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    MPI_Ialltoallv(out, &count, &displacement, MPI_INT, in, &count, &displacement, MPI_INT,
                   MPI_COMM_SELF, request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
  }
}

static void others(int times) {
  for (int i = 0; i < times; i++) {
    MPI_Comm comm;
    MPI_Group group;
    MPI_Info info;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_group(comm, &group);
    MPI_Group_free(&group);
    MPI_Comm_free(&comm);
    MPI_Info_create(&info);
    MPI_Info_set(info, "key", "value");
    MPI_Info_free(&info);
  }
}

static void measure(const char *name, void (*run)(int), int times) {
  char stop[32];
  run(times / 10);
  snprintf(stop, sizeof stop, "%s before", name);
  tell("say %s.before %ld", name, resident());
  look(stop);
  run(times);
  snprintf(stop, sizeof stop, "%s after", name);
  tell("say %s.after %ld", name, resident());
  look(stop);
}

int main(void) {
  MPI_Init(NULL, NULL);
  handles();
  measure("types", types, TIMES);
  measure("nested", nested_types, TIMES / 100);
  measure("requests", requests, TIMES);
  measure("heavy", heavy_requests, TIMES / 20);
  measure("others", others, TIMES / 100);
  MPI_Finalize();
  return 0;
}
