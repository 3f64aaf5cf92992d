// SPDX-License-Identifier: MIT
// Types that have no names, in a frame around Fortran: gdb 13 ends where it writes some of them.
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
