// SPDX-License-Identifier: MIT
// A datatype used in a call is freed, its record is recycled, and its handle is used again.
// Libraries first return the handle that was freed last. So the record must be recycled before,
// which happens when many handles without a record are returned.
#include "probe.h"

enum { RECORDED = 600, UNSEEN = 140, MOST = 5000 };
static MPI_Datatype recorded[RECORDED], unseen[UNSEEN], made[MOST];
static int in[64];

// Calls inside an MPI call, which the wrapper does not record.
static int make_unseen(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag) {
  (void)comm, (void)key, (void)extra, (void)in, (void)out;
  for (int i = 0; i < UNSEEN; i++) MPI_Type_contiguous(2, MPI_INT, &unseen[i]);
  *flag = 1;
  return MPI_SUCCESS;
}

static int free_unseen(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  for (int i = 0; i < UNSEEN && unseen[i] != MPI_DATATYPE_NULL; i++) MPI_Type_free(&unseen[i]);
  return MPI_SUCCESS;
}

int main(void) {
  int key, count = 0;
  MPI_Comm comm, copy;
  MPI_Datatype first;
  MPI_Request request;
  MPI_Init(NULL, NULL);
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm_create_keyval(make_unseen, free_unseen, &key, NULL);
  MPI_Comm_set_attr(comm, key, &key);
  MPI_Type_contiguous(3, MPI_INT, &first);
  MPI_Type_commit(&first);
  for (int i = 0; i < RECORDED; i++) MPI_Type_contiguous(4 + i, MPI_INT, &recorded[i]);
  MPI_Comm_dup(comm, &copy);
  MPI_Irecv(in, 1, first, 0, 1, comm, &request);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < RECORDED; i++) MPI_Type_free(&recorded[i]);
  MPI_Datatype old = first;
  MPI_Type_free(&first);
  MPI_Comm_free(&copy);
  do {
    MPI_Type_contiguous(1000 + count, MPI_INT, &made[count]);
  } while (made[count] != old && ++count < MOST);
  if (count == MOST) return 75;
  MPI_Datatype again = made[count];
  SAY(again);
  say("count", 1000 + count);
  MPI_Type_commit(&again);
  MPI_Irecv(in, 1, again, 0, 1, comm, &request);
  look("pending");
  for (int i = count + 1; i < MOST; i++) MPI_Type_contiguous(1000 + i, MPI_INT, &made[i]);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  look("over");
  MPI_Finalize();
  return 0;
}
