// SPDX-License-Identifier: MIT
// Creates more and more communicators at one place, or with "keys" attribute keys. "fixed": frees
// each. "held": creates all at once, and keeps them.
#include <mpi.h>
#include <string.h>
#include <unistd.h>

enum { AT_ONCE = 1100, STEPS = 8, MORE = 50 };

static int makes_keys;

static void make_key(int is_freed) {
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, &makes_keys);
  if (is_freed) MPI_Comm_delete_attr(MPI_COMM_SELF, key);
  if (is_freed) MPI_Comm_free_keyval(&key);
}

static void make(int is_freed) {
  if (makes_keys) return make_key(is_freed);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  if (is_freed) MPI_Comm_free(&comm);
}

int main(int argc, char **argv) {
  const int is_freed = argc > 2 && !strcmp(argv[2], "fixed");
  const int is_held = argc > 2 && !strcmp(argv[2], "held");
  makes_keys = !strcmp(argv[1], "keys");
  MPI_Init(&argc, &argv);
  for (int i = 0; i < AT_ONCE; i++) make(is_freed);
  for (int step = 0; step < STEPS; step++) {
    usleep(500000);
    for (int i = 0; i < MORE && !is_held; i++) make(is_freed);
  }
  if (!strcmp(argv[1], "until it fails"))
    for (int i = 0; i < 4000; i++) make(is_freed);
  MPI_Finalize();
  return 0;
}
