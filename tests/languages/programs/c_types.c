// SPDX-License-Identifier: MIT
// Types without names, in a C frame that calls Fortran: gdb 13 ends when it prints some of them.
void inside(int *number);

struct holder {
  struct {
    int a, b;
  } unnamed[2], *pointer,
      (*function)(
          union { int c; } *, enum {ONE} *);
  union {
    int c;
    float d;
  } unions[2];
  enum { TWO } numbers[3];
  int number[2];
};

int main(void) {
  struct holder held = {0};
  struct {
    int e;
  } array[2] = {0}, *pointers[2] = {array, array + 1};
  held.pointer = held.unnamed;
  held.function = 0;
  inside(held.number);
  return pointers[0]->e;
}
