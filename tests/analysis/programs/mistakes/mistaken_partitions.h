// SPDX-License-Identifier: MIT
// Mistakes of mistakes.c in calls about partitioned operations.
#ifndef MISTAKEN_PARTITIONS_H
#define MISTAKEN_PARTITIONS_H

#if MPI_VERSION >= 4
static void partitions(void) {
  MPI_Request parts, into;
  static double data[16];
  static char with_irecv[200], with_recv[200], in_parts[200], starts[200];
  const char *shared = "buffer-overlap: %s write and read the same memory, [%p, %p)";
  snprintf(with_irecv, sizeof with_irecv, shared, "MPI_Psend_init and MPI_Irecv",
           (void *)(data + 6), (void *)(data + 7));
  snprintf(in_parts, sizeof in_parts, shared, "MPI_Send and MPI_Precv_init", (void *)(in + 7),
           (void *)(in + 8));
  snprintf(starts, sizeof starts, "buffer-overlap: %s write the same memory, [%p, %p)",
           "MPI_Precv_init and MPI_Irecv", (void *)(in + 2), (void *)(in + 3));
  snprintf(with_recv, sizeof with_recv, shared, "MPI_Recv and MPI_Psend_init", (void *)(data + 7),
           (void *)(data + 8));
  MPI_Psend_init(data, 4, 2, MPI_DOUBLE, 0, 3, comm, MPI_INFO_NULL, &parts);
  MPI_Precv_init(in, 4, 2, MPI_DOUBLE, 0, 3, comm, MPI_INFO_NULL, &into);
  MPI_Start(&parts);
  MPI_Start(&into);
  WRONG("partition: partition 4 is marked ready, but the send has 4 partitions",
        MPI_Pready(4, parts));
  WRONG("partition: partition -1 is marked ready, but the send has 4 partitions",
        MPI_Pready_range(-1, 0, parts));
  WRONG("partition: partition 7 is marked ready, but the send has 4 partitions",
        MPI_Pready_list(2, (int[]){1, 7}, parts));
  WRONG("partition: the request of MPI_Precv_init is not a partitioned send", MPI_Pready(0, into));
  RIGHT(MPI_Pready_list(0, NULL, parts));
  RIGHT(MPI_Pready_list(2, (int[]){3, 0}, parts));
  WRONG("partition: partition 3 is marked ready again",
        MPI_Pready_list(3, (int[]){3, 0, 3}, parts));
  MPI_Irecv(data + 6, 1, MPI_DOUBLE, 0, 4, comm, &request);
  RIGHT(MPI_Pready_range(0, 2, parts));
  WRONG(with_irecv, MPI_Pready_list(2, (int[]){1, 3}, parts)); // at once
  MPI_Pready_range(0, 2, parts);
  WRONG("partition: partition 1 is marked ready again", MPI_Pready(1, parts));
  WRONG("partition: partition 1 is marked ready again", MPI_Pready_range(1, 2, parts));
  WRONG("partition: partition 4 is queried, but the receive has 4 partitions",
        MPI_Parrived(into, 4, &flag));
  WRONG("partition: the request of MPI_Psend_init is not a partitioned receive",
        MPI_Parrived(parts, 0, &flag));
  RIGHT(MPI_Parrived(into, 3, &flag));
  RIGHT(MPI_Parrived(MPI_REQUEST_NULL, 3, &flag));
  WRONG("freed-active: the request of MPI_Precv_init is freed while the operation is active",
        MPI_Request_free(&into));
  WRONG("freed-active: the request of MPI_Psend_init is cancelled while the operation is active",
        MPI_Cancel(&parts));
  WRONG(in_parts, MPI_Send(in + 7, 1, MPI_DOUBLE, 0, 5, comm)); // no partition has surely arrived
  RIGHT(MPI_Send(data, 3, MPI_DOUBLE, 0, 5, comm));
  RIGHT(MPI_Irecv(data + 7, 1, MPI_DOUBLE, 0, 5, comm, &requests[0])); // not yet marked
  WRONG(with_irecv, MPI_Pready(3, parts));                             // the last one
  MPI_Send(out, 1, MPI_DOUBLE, 0, 4, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  RIGHT(MPI_Pready(3, parts));
  MPI_Pready(3, parts);
  RIGHT(MPI_Send(data, 8, MPI_DOUBLE, 0, 5, comm));
  WRONG(with_recv, MPI_Recv(data + 7, 1, MPI_DOUBLE, 0, 5, comm, MPI_STATUS_IGNORE));
  MPI_Wait(&parts, MPI_STATUS_IGNORE);
  MPI_Wait(&into, MPI_STATUS_IGNORE);
  RIGHT(MPI_Recv(data + 7, 1, MPI_DOUBLE, 0, 5, comm, MPI_STATUS_IGNORE));
  WRONG("partition: partition 1 is marked ready, but the send has not been started",
        MPI_Pready(1, parts));
  RIGHT(MPI_Parrived(into, 1, &flag));
  RIGHT(MPI_Send(in + 7, 1, MPI_DOUBLE, 0, 5, comm));
  MPI_Start(&parts);
  RIGHT(MPI_Pready(1, parts)); // a new round
  MPI_Irecv(in + 2, 1, MPI_DOUBLE, 0, 4, comm, &request);
  WRONG(starts, MPI_Start(&into));
  MPI_Send(out, 1, MPI_DOUBLE, 0, 4, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  RIGHT(MPI_Start(&into));
  MPI_Start(&into);
  MPI_Pready_range(0, 3, parts);
  for (flag = 0; !flag;) MPI_Parrived(into, 2, &flag);
  RIGHT(MPI_Send(in + 4, 1, MPI_DOUBLE, 0, 5, comm));
  WRONG(in_parts, MPI_Send(in + 7, 1, MPI_DOUBLE, 0, 5, comm)); // not asked for
  MPI_Wait(&parts, MPI_STATUS_IGNORE);
  MPI_Wait(&into, MPI_STATUS_IGNORE);
  MPI_Request_free(&parts);
  MPI_Request_free(&into);
}
#endif

#endif
