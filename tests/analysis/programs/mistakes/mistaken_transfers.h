// SPDX-License-Identifier: MIT
// Mistakes of mistakes.c in one-sided operations: the data does not fit the target.
#ifndef MISTAKEN_TRANSFERS_H
#define MISTAKEN_TRANSFERS_H

#define DIFFERS(call, at, read, written)                                                           \
  "target-mismatch: the data that " call " reads do not match the data that it writes, " at        \
  ": " read " and " written
#define TOO_LONG(call, read, written)                                                              \
  "target-mismatch: " call " reads " read ", but writes only " written

static void transfers(void) {
  MPI_Datatype two, mixed, types[] = {MPI_INT, MPI_FLOAT};
  MPI_Type_contiguous(2, MPI_INT, &two);
  MPI_Type_create_struct(2, (int[]){2, 1}, (MPI_Aint[]){0, 8}, types, &mixed);
  MPI_Type_commit(&two);
  MPI_Type_commit(&mixed);
  WRONG(TOO_LONG("MPI_Put", "10 elements", "5"), MPI_Put(out, 10, MPI_INT, 0, 0, 5, MPI_INT, win));
  WRONG(TOO_LONG("MPI_Put", "1 element", "0"), MPI_Put(out, 1, MPI_INT, 0, 0, 0, MPI_INT, win));
  WRONG(TOO_LONG("MPI_Put", "8 elements", "7"), MPI_Put(out, 4, two, 0, 0, 7, MPI_INT, win));
  WRONG(TOO_LONG("MPI_Get", "10 elements", "5"), MPI_Get(in, 5, MPI_INT, 0, 0, 10, MPI_INT, win));
  WRONG(DIFFERS("MPI_Put", "at the first element", "MPI_DOUBLE", "MPI_INT"),
        MPI_Put(out, 2, MPI_DOUBLE, 0, 0, 4, MPI_INT, win));
  WRONG(DIFFERS("MPI_Put", "at the first element", "MPI_INT", "MPI_BYTE"),
        MPI_Put(out, 10, MPI_INT, 0, 0, 40, MPI_BYTE, win));
  WRONG(DIFFERS("MPI_Put", "after 2 elements", "MPI_INT", "MPI_FLOAT"),
        MPI_Put(out, 2, two, 0, 0, 2, mixed, win));
  WRONG(DIFFERS("MPI_Get", "after 2 elements", "MPI_FLOAT", "MPI_INT"),
        MPI_Get(in, 3, two, 0, 0, 2, mixed, win));
  WRONG(DIFFERS("MPI_Rput", "at the first element", "MPI_FLOAT", "MPI_INT"),
        MPI_Rput(out, 2, MPI_FLOAT, 0, 0, 2, MPI_INT, win, &request));
  WRONG(TOO_LONG("MPI_Rget", "2 elements", "1"),
        MPI_Rget(in, 1, MPI_FLOAT, 0, 0, 2, MPI_FLOAT, win, &request));
  RIGHT(MPI_Put(out, 3, two, 0, 0, 6, MPI_INT, win));
  RIGHT(MPI_Put(out, 5, MPI_INT, 0, 0, 10, MPI_INT, win));
  RIGHT(MPI_Put(out, 1, two, 0, 0, 1, mixed, win));
  RIGHT(MPI_Get(in, 1, mixed, 0, 0, 1, two, win));
  RIGHT(MPI_Put(out, 0, MPI_FLOAT, 0, 0, 1, MPI_INT, win));
  RIGHT(MPI_Put(out, 2, MPI_FLOAT, MPI_PROC_NULL, 0, 1, MPI_INT, win));
  RIGHT(MPI_Put(out, 8, MPI_PACKED, 0, 0, 2, MPI_INT, win));

  WRONG(TOO_LONG("MPI_Accumulate", "10 elements", "5"),
        MPI_Accumulate(out, 10, MPI_INT, 0, 0, 5, MPI_INT, MPI_SUM, win));
  WRONG(DIFFERS("MPI_Accumulate", "at the first element", "MPI_FLOAT", "MPI_INT"),
        MPI_Accumulate(out, 5, MPI_FLOAT, 0, 0, 5, MPI_INT, MPI_SUM, win));
  WRONG(DIFFERS("MPI_Raccumulate", "at the first element", "MPI_INT", "MPI_LONG"),
        MPI_Raccumulate(out, 2, two, 0, 0, 4, MPI_LONG, MPI_REPLACE, win, &request));
  WRONG(TOO_LONG("MPI_Get_accumulate", "4 elements", "3"),
        MPI_Get_accumulate(out, 4, MPI_INT, in, 4, MPI_INT, 0, 0, 3, MPI_INT, MPI_SUM, win));
  WRONG(TOO_LONG("MPI_Get_accumulate", "4 elements", "3"),
        MPI_Get_accumulate(out, 4, MPI_INT, in, 3, MPI_INT, 0, 0, 4, MPI_INT, MPI_SUM, win));
  WRONG(DIFFERS("MPI_Get_accumulate", "at the first element", "MPI_INT", "MPI_FLOAT"),
        MPI_Get_accumulate(NULL, 0, MPI_INT, in, 4, MPI_FLOAT, 0, 0, 2, two, MPI_NO_OP, win));
  WRONG(
      DIFFERS("MPI_Rget_accumulate", "at the first element", "MPI_FLOAT", "MPI_INT"),
      MPI_Rget_accumulate(out, 4, MPI_FLOAT, in, 2, two, 0, 0, 4, MPI_INT, MPI_SUM, win, &request));
  RIGHT(MPI_Accumulate(out, 5, MPI_INT, 0, 0, 5, two, MPI_SUM, win));
  RIGHT(MPI_Get_accumulate(out, 9, MPI_FLOAT, in, 2, two, 0, 0, 4, MPI_INT, MPI_NO_OP, win));
  RIGHT(MPI_Fetch_and_op(out, in, MPI_INT, 0, 0, MPI_SUM, win));
  RIGHT(MPI_Compare_and_swap(out, out + 1, in, MPI_INT, 0, 0, win));
#if MPI_VERSION >= 4
  WRONG(TOO_LONG("MPI_Put_c", "10 elements", "5"),
        MPI_Put_c(out, 10, MPI_INT, 0, 0, 5, MPI_INT, win));
  WRONG(TOO_LONG("MPI_Accumulate_c", "10 elements", "5"),
        MPI_Accumulate_c(out, 10, MPI_INT, 0, 0, 5, MPI_INT, MPI_SUM, win));
  RIGHT(MPI_Get_c(in, 2, two, 0, 0, 4, MPI_INT, win));
#endif
  MPI_Type_free(&two);
  MPI_Type_free(&mixed);
}

#endif
