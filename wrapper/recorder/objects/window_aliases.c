// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "recorder/objects/window_aliases.h"

#include <dlfcn.h>
#include <stddef.h>

#include "abi/mpi_symbols.h"
#include "registry/object_store.h"

enum { MOST = 256 };

static struct {
  uint64_t low, high, shift;
} all[MOST];     // range of MPI's addresses; high: 0 if the
                 // entry is unused
static int used; // number of entries that were ever used

int mpipp_recorder_alias_add(uint64_t low, uint64_t high, uint64_t shift) {
  int i = 0;
  while (i < MOST && all[i].high) i++;
  if (i == MOST) return 0;
  MPIPP_WRITE(all[i].low, low + shift);
  MPIPP_WRITE(all[i].shift, shift);
  __atomic_store_n(&all[i].high, high + shift, __ATOMIC_RELEASE);
  if (i == used) __atomic_store_n(&used, i + 1, __ATOMIC_RELEASE);
  return 1;
}

void mpipp_recorder_alias_drop(uint64_t low, uint64_t shift) {
  for (int i = 0; i < used; i++)
    if (all[i].high && all[i].low == low + shift) MPIPP_WRITE(all[i].high, 0);
}

void *mpipp_recorder_program_address(void *address) {
  uint64_t at = (uint64_t)(uintptr_t)address;
  for (int i = 0; i < MPIPP_READ(used); i++) {
    if (at < MPIPP_READ(all[i].high) && at >= MPIPP_READ(all[i].low))
      return (void *)(uintptr_t)(at - MPIPP_READ(all[i].shift));
  }
  return address;
}

void mpipp_recorder_note_window_memory(void *base) {
  void **address = base;
  if (MPIPP_READ(used) && address) *address = mpipp_recorder_program_address(*address);
}

void mpipp_recorder_note_attribute(int keyval, void *value, const int *flag) {
  if (MPIPP_READ(used) && keyval == MPI_WIN_BASE && flag && *flag)
    mpipp_recorder_note_window_memory(value);
}

// MPI's Fortran layers query windows by functions of their own, which no header declares. These
// functions are wrapped here, too. Values that are no such address stay unchanged.
#define TELLS(NAME)                                                                                \
  __attribute__((visibility("default"))) void NAME(void *, void *, void *, const int *, void *);   \
  void NAME(void *win, void *keyval, void *value, const int *flag, void *error) {                  \
    static void (*next)(void *, void *, void *, const int *, void *);                              \
    if (!next) *(void **)&next = dlsym(RTLD_NEXT, #NAME);                                          \
    if (!next) return;                                                                             \
    next(win, keyval, value, flag, error);                                                         \
    if (*flag) mpipp_recorder_note_window_memory(value);                                           \
  }
TELLS(mpi_win_get_attr_)
TELLS(mpi_win_get_attr_f08_)
