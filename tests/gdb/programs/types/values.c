// SPDX-License-Identifier: MIT
// Values of many datatypes in buffers of pending receives. A comment that begins with a dollar says
// what gdb prints at mark().
#include <complex.h>
#include <mpi.h>
#include <stdbool.h>

#include "../mark.h"

static MPI_Request requests[16];
static int count;

static void receive(void *buffer, int entries, MPI_Datatype type) {
  MPI_Irecv(buffer, entries, type, 0, count, MPI_COMM_SELF, &requests[count]);
  count++;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);

  // $text: {address = %p, call = "MPI_Irecv", request = 1, count = 6, type = "MPI_CHAR", data = "hello"}
  char text[6] = "hello";
  receive(text, 6, MPI_CHAR);
  // $letter: {address = %p, call = "MPI_Irecv", request = 2, count = 1, type = "MPI_CHAR", data = 'x'}
  char letter[1] = {'x'};
  receive(letter, 1, MPI_CHAR);
  // $bytes: {address = %p, call = "MPI_Irecv", request = 3, count = 3, type = "MPI_BYTE", data = {0x1, 0xff, 0x80}}
  unsigned char bytes[3] = {1, 255, 128};
  receive(bytes, 3, MPI_BYTE);
  // $flags: {address = %p, call = "MPI_Irecv", request = 4, count = 2, type = "MPI_C_BOOL", data = {true, false}}
  bool flags[2] = {true, false};
  receive(flags, 2, MPI_C_BOOL);
  // $numbers: {address = %p, call = "MPI_Irecv", request = 5, count = 2, type = "MPI_C_DOUBLE_COMPLEX", data = {1 + 2i, -0.5 + 0i}}
  double _Complex numbers[2] = {1 + 2 * I, -0.5};
  receive(numbers, 2, MPI_C_DOUBLE_COMPLEX);
  // $small: {address = %p, call = "MPI_Irecv", request = 6, count = 2, type = "MPI_FLOAT", data = {0.100000001, 9.99999978e+21}}
  float small[2] = {0.1f, 1e22f};
  receive(small, 2, MPI_FLOAT);
  // $large: {address = %p, call = "MPI_Irecv", request = 7, count = 2, type = "MPI_LONG_DOUBLE", data = {0.5, 3}}
  long double large[2] = {0.5L, 3};
  receive(large, 2, MPI_LONG_DOUBLE);
  // $pairs: {address = %p, call = "MPI_Irecv", request = 8, count = 2, type = "MPI_DOUBLE_INT", data = {{value = 1.5, index = 7}, {value = 2.5, index = 8}}}
  struct {
    double value;
    int index;
  } pairs[2] = {{1.5, 7}, {2.5, 8}};
  receive(pairs, 2, MPI_DOUBLE_INT);
  // $shorts: {address = %p, call = "MPI_Irecv", request = 9, count = 12, type = "MPI_SHORT", data = {7 <repeats 11 times>, 8}}
  short shorts[12] = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8};
  receive(shorts, 12, MPI_SHORT);
  // $signs: {address = %p, call = "MPI_Irecv", request = 10, count = 2, type = "MPI_INT8_T", data = {-1, 65}}
  signed char signs[2] = {-1, 65};
  receive(signs, 2, MPI_INT8_T);
  // $unsigned_long: {address = %p, call = "MPI_Irecv", request = 11, count = 1, type = "MPI_UNSIGNED_LONG", data = 18446744073709551615}
  unsigned long unsigned_long[1] = {-1};
  receive(unsigned_long, 1, MPI_UNSIGNED_LONG);
  // $twice: {address = %p, call = "MPI_Irecv", request = 12, count = 1, type = "MPI_INT", data = 1, also = "MPI_Irecv request #13"}
  int twice[2] = {1, 2};
  receive(twice, 1, MPI_INT);
  receive(twice, 2, MPI_INT);
  // $text == 0: 0

  mark();

  for (int i = 0; i < count; i++) MPI_Cancel(&requests[i]);
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  MPI_Finalize();
  return 0;
}
