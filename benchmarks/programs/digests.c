// SPDX-License-Identifier: MIT
// The wrapper's own code computes the fingerprint of a struct with ENTRIES entries of three basic
// types many times. Prints the seconds of the fastest computation.
#include "recorder/objects/signature_hash.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "registry/allocator.h"

enum { ROUNDS = 50, TYPES = 3 };

// The part of the store that the code needs.
void *mpipp_registry_allocate(uint64_t bytes) {
  return malloc(bytes);
}
void mpipp_registry_free(void *memory) {
  free(memory);
}

int main(int argc, char **argv) {
  static const char *const names[TYPES] = {"MPI_DOUBLE", "MPI_INT", "MPI_CHAR"};
  static struct mpipp_datatype basic[TYPES];
  uint32_t entries = argc > 1 ? (uint32_t)atol(argv[1]) : 0;
  int64_t *arguments = calloc(1 + 2 * (size_t)entries, sizeof *arguments);
  uint64_t *components = calloc(entries, sizeof *components);
  double least = 1e9;
  MPI_Init(&argc, &argv);
  for (int i = 0; i < TYPES; i++) {
    basic[i].combiner = MPIPP_COMBINER_NAMED;
    basic[i].object.name = (uintptr_t)names[i];
    basic[i].size = 1;
  }
  arguments[0] = entries;
  for (uint32_t i = 0; i < entries; i++) {
    arguments[1 + i] = 1 + i % 11; // blocklengths
    components[i] = (uintptr_t)&basic[i % TYPES];
  }
  for (int i = 0; i < ROUNDS; i++) {
    struct mpipp_datatype type = {.combiner = MPIPP_COMBINER_STRUCT,
                                  .argument_count = 1 + 2 * (uint64_t)entries,
                                  .arguments = (uintptr_t)arguments,
                                  .component_count = entries,
                                  .components = (uintptr_t)components};
    double start = MPI_Wtime();
    const struct mpipp_fingerprint *fingerprint = mpipp_recorder_fingerprint_of(&type);
    double seconds = MPI_Wtime() - start;
    if (!fingerprint || !fingerprint->elements) return 1;
    if (seconds < least) least = seconds;
    free((void *)(uintptr_t)type.digest);
  }
  printf("%.9f\n", least);
  free(arguments);
  free(components);
  MPI_Finalize();
  return 0;
}
