// SPDX-License-Identifier: MIT
// A part of mistakes.c: calls before MPI is initialized, and after it is finalized.
#ifndef MISTAKEN_LIFETIME_H
#define MISTAKEN_LIFETIME_H

// Since MPI-4.0, these calls are correct before MPI_Init and after MPI_Finalize, too.
static void any_time(void) {
  MPI_Info info = MPI_INFO_ENV;
  RIGHT(MPI_Info_set(info, "key", "value"));
  RIGHT(MPI_Info_delete(info, "key"));
  RIGHT(MPI_Info_dup(MPI_INFO_ENV, &info));
  RIGHT(MPI_Info_get_nkeys(info, numbers));
  RIGHT(MPI_Error_string(MPI_ERR_COMM, room_for_more, numbers));
  MPI_Errhandler handler = MPI_ERRORS_RETURN;
  RIGHT(MPI_Errhandler_free(&handler));
}

static void early(void) {
  WRONG("lifetime: MPI_Send is called before MPI is initialized",
        MPI_Send(out, 1, MPI_DOUBLE, 0, 0, comm));
  WRONG("lifetime: MPI_Comm_rank is called before MPI is initialized", MPI_Comm_rank(comm, &flag));
  WRONG("lifetime: MPI_Get_processor_name is called before MPI is initialized",
        MPI_Get_processor_name(room_for_more, &flag));
  MPI_Info info;
  RIGHT(MPI_Info_create(&info));
  any_time();
}

static void late(void) {
  WRONG("lifetime: MPI_Send is called after MPI_Finalize",
        MPI_Send(out, 1, MPI_DOUBLE, 0, 0, comm));
  WRONG("lifetime: MPI_Allreduce is called after MPI_Finalize",
        MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_SUM, comm));
  WRONG("lifetime: MPI_Type_contiguous is called after MPI_Finalize",
        MPI_Type_contiguous(2, MPI_INT, &type));
  WRONG("lifetime: MPI_Type_size is called after MPI_Finalize", MPI_Type_size(MPI_INT, &flag));
  WRONG("lifetime: MPI_Free_mem is called after MPI_Finalize", MPI_Free_mem(out));
#if MPI_VERSION >= 4
  any_time();
#else
  WRONG("lifetime: MPI_Info_set is called after MPI_Finalize",
        MPI_Info_set(MPI_INFO_ENV, "key", "value"));
#endif
  WRONG("lifetime: MPI_Finalize is called again", MPI_Finalize());
  WRONG("lifetime: MPI_Init is called, but MPI is already initialized", MPI_Init(NULL, NULL));
}

#endif
