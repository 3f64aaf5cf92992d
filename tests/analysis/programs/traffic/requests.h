// SPDX-License-Identifier: MIT
// More modes of sending, and more ways to complete requests.
#ifndef REQUESTS_H
#define REQUESTS_H
#include "traffic.h"

// Each nonblocking or persistent mode. Ready sends start after the receive.
static void other_modes(void) {
  enum { SENDS = 5 };
  static char room[SENDS * (SMALL * sizeof(double) + MPI_BSEND_OVERHEAD)]; // the process's
  int n = 1 + draw(SMALL);
  MPI_Request r[SENDS], got[SENDS];
  if (threaded) return;
  MPI_Buffer_attach(room, sizeof room);
  for (int i = 0; i < SENDS; i++)
    MPI_Irecv(in + i * SMALL, n, MPI_DOUBLE, left, tag, comm, &got[i]);
  MPI_Barrier(comm);
  MPI_Irsend(out, n, MPI_DOUBLE, right, tag, comm, &r[0]);
  MPI_Ibsend(out, n, MPI_DOUBLE, right, tag, comm, &r[1]);
  MPI_Issend(out, n, MPI_DOUBLE, right, tag, comm, &r[2]);
  MPI_Rsend_init(out, n, MPI_DOUBLE, right, tag, comm, &r[3]);
  MPI_Bsend_init(out, n, MPI_DOUBLE, right, tag, comm, &r[4]);
  MPI_Startall(2, &r[3]);
  dawdle();
  MPI_Waitall(SENDS, got, MPI_STATUSES_IGNORE);
  MPI_Waitall(SENDS, r, MPI_STATUSES_IGNORE);
  MPI_Request_free(&r[3]);
  MPI_Request_free(&r[4]);
  MPI_Buffer_detach(&(void *){0}, &(int){0});
#if MPI_VERSION >= 4
  int numbers[SMALL] = {rank};
  MPI_Isendrecv_replace(numbers, n, MPI_INT, right, tag, left, tag, comm, &r[0]);
  dawdle();
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  MUST(numbers[0] == left);
#endif
}

// Tests until the request is complete. A request that MPI reports as complete is completed later.
static void asked(void) {
  enum { MANY = 4 };
  MPI_Request r[2 * MANY];
  MPI_Status status;
  int n = (some_amount() + MANY - 1) / MANY, way = draw(3), done = 0, flag, index,
      indices[2 * MANY];
  for (int i = 0; i < MANY; i++) MPI_Irecv(in + i * n, n, MPI_DOUBLE, left, tag, comm, &r[i]);
  for (int i = 0; i < MANY; i++) MPI_Isend(out, n, MPI_DOUBLE, right, tag, comm, &r[MANY + i]);
  while (way == 0 && done < 2 * MANY) {
    MPI_Testany(2 * MANY, r, &index, &flag, MPI_STATUS_IGNORE);
    done += flag;
  }
  while (way == 1 && done < 2 * MANY) {
    MPI_Testsome(2 * MANY, r, &flag, indices, MPI_STATUSES_IGNORE);
    done += flag;
  }
  for (int i = 0; way == 2 && i < 2 * MANY; i++) {
    for (flag = 0; !flag;) MPI_Request_get_status(r[i], &flag, &status);
    MPI_Wait(&r[i], MPI_STATUS_IGNORE);
  }
}

static int no_query(void *with, MPI_Status *status) {
  (void)with;
  MPI_Status_set_elements(status, MPI_INT, 0);
  MPI_Status_set_cancelled(status, 0);
  return MPI_SUCCESS;
}
static int nothing_to_free(void *with) {
  (void)with;
  return MPI_SUCCESS;
}
static int no_cancel(void *with, int complete) {
  (void)with, (void)complete;
  return MPI_SUCCESS;
}

static void general(void) {
  MPI_Request r[2];
  MPI_Grequest_start(no_query, nothing_to_free, no_cancel, NULL, &r[0]);
  MPI_Irecv(in, 3, MPI_DOUBLE, left, tag, comm, &r[1]);
  MPI_Send(out, 3, MPI_DOUBLE, right, tag, comm);
  MPI_Grequest_complete(r[0]);
  dawdle();
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

// All partitions are marked as ready at once, or as a list.
static void ready(void) {
#if MPI_VERSION >= 4 && !defined OMPI_MAJOR_VERSION
  int listed[] = {3, 1, 0, 2}, is_list = draw(2);
  MPI_Request r;
  if (partner == MPI_PROC_NULL) return;
  if (is_first)
    MPI_Psend_init(out, 4, 5, MPI_DOUBLE, partner, tag, comm, MPI_INFO_NULL, &r);
  else
    MPI_Precv_init(in, 4, 5, MPI_DOUBLE, partner, tag, comm, MPI_INFO_NULL, &r);
  MPI_Start(&r);
  dawdle();
  if (is_first && is_list) MPI_Pready_list(4, listed, r);
  if (is_first && !is_list) MPI_Pready_range(0, 3, r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
  MPI_Request_free(&r);
#endif
}

// Calls with large counts in all arguments.
static void with_large_counts(void) {
#if MPI_VERSION >= 4
  MPI_Count n = some_amount();
  MPI_Request r[2];
  MPI_Status status;
  MPI_Message message;
  MPI_Irecv_c(in, n, MPI_DOUBLE, left, tag, comm, &r[0]);
  MPI_Isend_c(out, n, MPI_DOUBLE, right, tag, comm, &r[1]);
  dawdle();
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  MPI_Recv_init_c(in, n, MPI_DOUBLE, left, tag, comm, &r[0]);
  MPI_Send_init_c(out, n, MPI_DOUBLE, right, tag, comm, &r[1]);
  MPI_Startall(2, r);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
  MPI_Request_free(&r[0]);
  MPI_Request_free(&r[1]);
  MPI_Issend_c(out, n, MPI_DOUBLE, right, tag, comm, &r[0]);
  MPI_Mprobe(left, tag, comm, &message, &status);
  MPI_Mrecv_c(in, n, MPI_DOUBLE, &message, &status);
  MPI_Wait(&r[0], MPI_STATUS_IGNORE);
  MPI_Sendrecv_c(out, n, MPI_DOUBLE, right, tag, in, n, MPI_DOUBLE, left, tag, comm, &status);
  MPI_Sendrecv_replace_c(in, n, MPI_DOUBLE, right, tag, left, tag, comm, &status);
  if (is_first) MPI_Send_c(out, n, MPI_DOUBLE, partner, tag, comm);
  if (is_first) MPI_Ssend_c(out, n, MPI_DOUBLE, partner, tag, comm);
  if (!is_first) MPI_Recv_c(in, n, MPI_DOUBLE, partner, tag, comm, &status);
  if (!is_first) MPI_Recv_c(in, n, MPI_DOUBLE, partner, tag, comm, &status);
#endif
}

static void unpacked(void) {
  char room[512];
  int numbers[4] = {1, 2, 3, 4}, position = 0;
  MPI_Aint at = 0;
  MPI_Pack(numbers, 4, MPI_INT, room, sizeof room, &position, comm);
  MPI_Sendrecv_replace(room, position, MPI_PACKED, right, tag, left, tag, comm, MPI_STATUS_IGNORE);
  position = 0;
  MPI_Unpack(room, sizeof room, &position, in, 4, MPI_INT, comm);
  MPI_Pack_external("external32", numbers, 4, MPI_INT, room, sizeof room, &at);
  at = 0;
  MPI_Unpack_external("external32", room, sizeof room, &at, in, 4, MPI_INT);
  MPI_Reduce_local(numbers, in, 4, MPI_INT, MPI_SUM);
}

static void (*const REQUESTS[])(void) = {other_modes,       asked,   general, ready,
                                         with_large_counts, unpacked};

#endif
