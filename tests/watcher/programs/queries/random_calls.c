// SPDX-License-Identifier: MIT
// Random calls, most of which contain an error; none reaches MPI (tests/analysis/taken.c). The
// pending operations are correct, except for their buffers. Usage: random_calls SEED COUNT FILE

#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TYPES = 14, USABLE = TYPES - 3, PENDING = 5, ROOM = 512, MOST = 4 };

static const char *volatile *taken_next;
static uint64_t state;
static _Alignas(64) char room[ROOM];
static const char constants[ROOM] = {1};
static MPI_Datatype types[TYPES];
static MPI_Comm comm = MPI_COMM_WORLD, grid;
static MPI_Win win;
static MPI_File file;
static int is_split; // 1 if a split collective call is pending on the file
static MPI_Group group;
static int size;

static int below(int n) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int)((state >> 33) % (uint64_t)n);
}
// Mostly one of the first n numbers; else a number just outside.
static int mostly(int n) {
  return below(16) ? below(n) : below(2) ? -1 - below(3) : n + below(2);
}
static void *place(void) {
  if (!below(30)) return below(2) ? NULL : MPI_IN_PLACE;
  if (!below(30)) return (char *)constants + 4 * below(ROOM / 8);
  return room + 4 * below(ROOM / 8);
}
static int count(void) {
  return below(30) ? below(4) : -1;
}
static MPI_Datatype type(void) {
  return types[below(below(8) ? USABLE : TYPES)]; // the last types must not be used
}
static int tag(void) {
  return below(20) ? below(100) : -1 - below(4);
}
static MPI_Op op(void) {
  const MPI_Op ops[] = {MPI_SUM, MPI_MAX, MPI_BAND, MPI_MINLOC, MPI_LAND};
  return ops[below(5)];
}

static void make_types(void) {
  const int lengths[2] = {1, 2}, places[2] = {3, 0};
  MPI_Datatype row;
  types[0] = MPI_INT;
  types[1] = MPI_DOUBLE;
  types[2] = MPI_CHAR;
  MPI_Type_vector(3, 1, 2, MPI_INT, &types[3]);
  MPI_Type_create_resized(types[3], 0, 4, &types[4]);
  MPI_Type_indexed(2, lengths, places, MPI_INT, &types[5]);
  MPI_Type_create_resized(MPI_DOUBLE, 0, 4, &types[6]); // overlaps itself
  const int all[2] = {3, 4}, some[2] = {2, 3}, first[2] = {1, 0}, threes[2] = {3, 1};
  const MPI_Aint bytes[2] = {8, 0}, backwards[2] = {24, 4};
  const MPI_Datatype parts[2] = {MPI_INT, MPI_CHAR};
  MPI_Type_create_struct(2, threes, bytes, parts, &types[7]);
  MPI_Type_create_subarray(2, all, some, first, MPI_ORDER_FORTRAN, MPI_INT, &types[8]);
  MPI_Type_create_hvector(2, 2, 12, types[3], &types[9]); // each in the gaps of the other
  MPI_Type_create_hindexed_block(2, 2, backwards, types[5], &types[10]);
  MPI_Type_contiguous(2, MPI_INT, &types[USABLE]); // stays uncommitted
  MPI_Type_contiguous(3, MPI_INT, &row);
  for (int i = 3; i < USABLE; i++) MPI_Type_commit(&types[i]);
  types[USABLE + 1] = row;
  MPI_Type_free(&row);
  types[USABLE + 2] = MPI_DATATYPE_NULL;
}

static void begin(MPI_Request *request) {
  int i = below(6), n = 1 + below(3);
  void *where = room + 4 * below(ROOM / 8);
  if (i == 0)
    MPI_Isend(where, n, types[below(USABLE)], 0, 1, MPI_COMM_SELF, request);
  else if (i == 1) {
    MPI_Recv_init(where, n, types[below(USABLE)], 0, 2, MPI_COMM_SELF, request);
    MPI_Start(request);
  } else
    MPI_Irecv(where, n, types[below(USABLE)], 0, 2, MPI_COMM_SELF, request);
}

static void end(MPI_Request *request) {
  static char sink[ROOM];
  int flag;
  if (*request == MPI_REQUEST_NULL) return;
  MPI_Iprobe(0, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
  if (flag) MPI_Recv(sink, ROOM, MPI_BYTE, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Request_get_status(*request, &flag, MPI_STATUS_IGNORE);
  if (!flag) MPI_Cancel(request);
  MPI_Wait(request, MPI_STATUS_IGNORE);
  if (*request != MPI_REQUEST_NULL) MPI_Request_free(request);
}

static void one_sided(void) {
  MPI_Request request;
  switch (below(7)) {
  case 0:
    MPI_Accumulate(place(), count(), type(), mostly(size), below(60), count(), type(), op(), win);
    break;
  case 1:
    MPI_Get_accumulate(place(), count(), type(), place(), count(), type(), mostly(size), below(60),
                       count(), type(), below(2) ? op() : MPI_NO_OP, win);
    break;
  case 2:
    MPI_Compare_and_swap(place(), place(), place(), types[below(2)], mostly(size), below(60), win);
    break;
  case 3:
    MPI_Win_flush(mostly(size), win);
    break;
  case 4:
    MPI_Rput(place(), count(), type(), mostly(size), below(60), count(), type(), win, &request);
    break;
  default:
    MPI_Fetch_and_op(place(), place(), types[below(2)], mostly(size), below(60), MPI_SUM, win);
  }
}

static void about_topologies(int *numbers) {
  int found[MOST];
  switch (below(4)) {
  case 0:
    MPI_Dims_create(below(12) ? below(9) : -1, below(MOST), numbers);
    break;
  case 1:
    MPI_Cart_rank(below(8) ? grid : comm, numbers, found);
    break;
  case 2:
    MPI_Cart_coords(below(8) ? grid : comm, mostly(size), 2, found);
    break;
  default:
    MPI_Cart_shift(below(8) ? grid : comm, mostly(2), 1, found, found + 1);
  }
}

// This call reaches MPI, so that later calls overlap with it and its buffer.
static void split(void) {
  static void *written;
  if (is_split) {
    MPI_File_write_at_all_end(file, written, MPI_STATUS_IGNORE);
  } else {
    written = room + 4 * below(ROOM / 8);
    MPI_File_write_at_all_begin(file, 0, written, 1 + below(3), types[below(USABLE)]);
  }
  is_split = !is_split;
}

static void about_files(void) {
  MPI_File of = below(16) ? file : MPI_FILE_NULL, other;
  switch (below(12)) {
  case 0:
    MPI_File_write_at_all_begin(of, below(9), place(), count(), type());
    break;
  case 1:
    MPI_File_write_at_all_end(of, room, MPI_STATUS_IGNORE);
    break;
  case 2:
    MPI_File_read_ordered_end(of, room, MPI_STATUS_IGNORE);
    break;
  case 3:
    MPI_File_write_at_all(of, below(9), place(), count(), type(), MPI_STATUS_IGNORE);
    break;
  case 4:
    MPI_File_write(of, place(), count(), type(), MPI_STATUS_IGNORE);
    break;
  case 5:
    MPI_File_sync(of);
    break;
  case 6:
    MPI_File_set_size(of, below(100));
    break;
  case 7:
    MPI_File_preallocate(of, below(100));
    break;
  case 8:
    MPI_File_set_view(of, 0, MPI_INT, type(), "native", MPI_INFO_NULL);
    break;
  case 9:
    MPI_File_set_atomicity(of, below(2));
    break;
  case 10:
    MPI_File_seek_shared(of, below(9), MPI_SEEK_SET);
    break;
  default:
    MPI_File_open(MPI_COMM_SELF, "none", below(9), MPI_INFO_NULL, &other);
  }
}

static void call(MPI_Request *pending) {
  int counts[MOST], places[MOST], others[MOST], elsewhere[MOST];
  MPI_Datatype made;
  MPI_Request request;
  MPI_Group some;
  MPI_Comm other;
  for (int i = 0; i < MOST; i++) {
    counts[i] = below(40) ? below(3) : -1;
    others[i] = below(3);
    places[i] = below(8) * (1 + below(2));
    elsewhere[i] = 4 * i;
  }
  *taken_next = "";
  switch (below(28)) {
  case 0:
    MPI_Send(place(), count(), type(), mostly(size), tag(), comm);
    break;
  case 1:
    MPI_Recv(place(), count(), type(), mostly(size), tag(), comm, MPI_STATUS_IGNORE);
    break;
  case 2:
    MPI_Isend(place(), count(), type(), mostly(size), tag(), comm, &request);
    break;
  case 3:
    MPI_Irecv(place(), count(), type(), mostly(size), tag(), comm, &request);
    break;
  case 4:
    MPI_Sendrecv(place(), count(), type(), mostly(size), tag(), place(), count(), type(),
                 mostly(size), tag(), comm, MPI_STATUS_IGNORE);
    break;
  case 5:
    MPI_Bcast(place(), count(), type(), mostly(size), comm);
    break;
  case 6:
    MPI_Allreduce(place(), place(), count(), type(), op(), comm);
    break;
  case 7:
    MPI_Gather(place(), count(), type(), place(), count(), type(), mostly(size), comm);
    break;
  case 8:
    MPI_Alltoall(place(), count(), type(), place(), count(), type(), comm);
    break;
  case 9:
    MPI_Alltoallv(place(), counts, places, type(), place(), others, elsewhere, type(), comm);
    break;
  case 10:
    MPI_Alltoallv(place(), others, elsewhere, type(), place(), counts, places, type(), comm);
    break;
  case 11:
    MPI_Exscan(place(), place(), count(), type(), op(), comm);
    break;
  case 12:
    MPI_Ialltoall(place(), count(), type(), place(), count(), type(), comm, &request);
    break;
  case 13:
    MPI_Type_vector(count(), count(), count(), type(), &made);
    break;
  case 14:
    MPI_Type_indexed(2, counts, places, type(), &made);
    break;
  case 15:
    MPI_Type_create_subarray(2, counts, others, places, MPI_ORDER_C, MPI_INT, &made);
    break;
  case 16:
    MPI_Start(&pending[below(PENDING)]);
    break;
  case 17:
    MPI_Put(place(), count(), type(), mostly(size), below(60), count(), type(), win);
    break;
  case 18:
    MPI_Group_incl(group, mostly(size), others, &some);
    break;
  case 19:
    MPI_Comm_split(comm, below(4) - 1, 0, &other);
    break;
  case 20:
    MPI_Cart_create(comm, 2, counts, others, 0, &other);
    break;
  case 21:
    about_topologies(counts);
    break;
  case 22:
  case 23:
  case 24:
    one_sided();
    break;
  case 25:
  case 26:
    about_files();
    break;
  default:
    MPI_Scatterv(place(), counts, places, type(), place(), count(), type(), mostly(size), comm);
  }
  *taken_next = NULL;
}

int main(int argc, char **argv) {
  MPI_Request pending[PENDING];
  int rank;
  taken_next = dlsym(RTLD_DEFAULT, "taken_next");
  if (argc < 4 || !taken_next) return 64;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MPI_Comm_group(comm, &group);
  state = strtoul(argv[1], NULL, 10) * 2 + (uint64_t)rank;
  MPI_Win_create(room, 4 * 50, 4, MPI_INFO_NULL, comm, &win);
  MPI_Cart_create(comm, 2, (int[]){1, size}, (int[]){0, 1}, 0, &grid);
  char path[4096];
  snprintf(path, sizeof path, "%s.%d", argv[3], rank);
  MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                MPI_INFO_NULL, &file);
  make_types();
  for (int i = 0; i < PENDING; i++) pending[i] = MPI_REQUEST_NULL;
  for (int i = atoi(argv[2]); i > 0; i--) {
    if (rank % 2 && !below(40)) split(); // boxes are kept then
    if (!below(24)) {
      int which = below(PENDING);
      end(&pending[which]);
      if (below(3)) begin(&pending[which]);
    }
    call(pending);
  }
  for (int i = 0; i < PENDING; i++) end(&pending[i]);
  for (int i = 3; i <= USABLE; i++) MPI_Type_free(&types[i]);
  if (is_split) split();
  MPI_File_close(&file);
  MPI_Win_free(&win);
  MPI_Comm_free(&grid);
  MPI_Group_free(&group);
  MPI_Finalize();
  return 0;
}
