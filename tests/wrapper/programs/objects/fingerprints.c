// SPDX-License-Identifier: MIT
// Random datatypes, each passed to a collective call, which makes its fingerprint. Equal in all
// processes.
#include "probe.h"

enum { POOL = 64, MOST = 1 << 20 }; // MOST: bytes of data that components may have

static uint64_t state;

static int below(int bound) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int)((state >> 33) % (unsigned)bound);
}

static MPI_Datatype pool[POOL];
static int filled;

static MPI_Datatype one_of_pool(void) {
  return pool[below(filled)];
}

static MPI_Datatype of_blocks(int count) {
  int lengths[8], places[8];
  MPI_Aint displacements[8];
  MPI_Datatype parts[8], made, part = one_of_pool();
  for (int i = 0; i < count; i++) {
    lengths[i] = below(4), parts[i] = one_of_pool();
    places[i] = 9 * i, displacements[i] = (MPI_Aint)i * 1000000;
  }
  switch (below(4)) {
  case 0:
    MPI_Type_indexed(count, lengths, places, part, &made);
    break;
  case 1:
    MPI_Type_create_hindexed(count, lengths, displacements, part, &made);
    break;
  case 2:
    MPI_Type_create_indexed_block(count, below(3), places, part, &made);
    break;
  default:
    MPI_Type_create_struct(count, lengths, displacements, parts, &made);
  }
  return made;
}

static MPI_Datatype of_one(void) {
  MPI_Datatype made, part = one_of_pool();
  int sizes[2] = {4, 5}, parts[2] = {1 + below(3), 1 + below(5)}, starts[2] = {1, 0};
  switch (below(5)) {
  case 0:
    MPI_Type_contiguous(below(5), part, &made);
    break;
  case 1:
    MPI_Type_vector(below(4), below(4), 5, part, &made);
    break;
  case 2:
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, part, &made);
    break;
  case 3:
    MPI_Type_create_resized(part, -4, 4096, &made);
    break;
  default:
    MPI_Type_dup(part, &made);
  }
  return made;
}

int main(int argc, char **argv) {
  MPI_Init(NULL, NULL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Datatype basic[] = {MPI_INT,        MPI_DOUBLE, MPI_CHAR,    MPI_FLOAT,        MPI_BYTE,
                          MPI_DOUBLE_INT, MPI_2INT,   MPI_SHORT,   MPI_LONG,         MPI_C_BOOL,
                          MPI_LONG_INT,   MPI_PACKED, MPI_UINT8_T, MPI_LONG_LONG_INT};
  const int basics = (int)(sizeof basic / sizeof *basic), count = argc > 1 ? atoi(argv[1]) : 100;
  state = argc > 2 ? (uint64_t)atoi(argv[2]) : 1;
  for (filled = 0; filled < basics; filled++) pool[filled] = basic[filled];
  for (int i = 0; i < count; i++) {
    MPI_Datatype made = below(2) ? of_blocks(below(8)) : of_one();
    MPI_Count size;
    MPI_Bcast(NULL, 1, made, -7, MPI_COMM_WORLD); // MPI only sees the wrong root
    MPI_Type_size_x(made, &size);
    if (size > MOST) continue;
    int place = filled < POOL ? filled++ : basics + below(POOL - basics);
    pool[place] = made;
  }
  look("made");
  return 0;
}
