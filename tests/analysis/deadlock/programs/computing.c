// SPDX-License-Identifier: MIT
// Two of four processes wait for each other, and one for the last, which computes.
#include "begin.h"

static void work(void) {
  for (volatile int i = 0;; i = 1 - i) {
  }
}

int main(int argc, char **argv) {
  begin(&argc, &argv);
  if (rank == 3) work();
  RECEIVE(rank == 2 ? 3 : 1 - rank, 5);
}
