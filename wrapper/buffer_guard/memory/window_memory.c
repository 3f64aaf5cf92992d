// SPDX-License-Identifier: MIT
#include "buffer_guard/memory/window_memory.h"

#include "recorder/objects/windows.h"
#include "registry/registry.h"

enum { MOST = 256 };

static struct mpipp_exposed {
  uint64_t serial, low, high;
} all[MOST];     // indexed by an MPI window's number
static int used; // number of entries that were ever used
static int more; // number of windows beyond the capacity; if any, all memory may belong to a window

static void add(const struct mpipp_win *win) {
  for (int i = 0; i < MOST; i++) {
    if (all[i].serial) continue;
    all[i] = (struct mpipp_exposed){win->object.serial, win->base, win->base + (uint64_t)win->size};
    if (i == used) used++;
    return;
  }
  more++;
  mpipp_note_hindrance(MPIPP_HINDERED_BY_WINDOWS);
}

static void remove_window(const struct mpipp_win *win) {
  for (int i = 0; i < MOST; i++) {
    if (all[i].serial != win->object.serial) continue;
    all[i].serial = 0;
    return;
  }
  if (more) more--;
}

void mpipp_guard_note_window(const struct mpipp_event *event) {
  const struct mpipp_win *win = (const struct mpipp_win *)(const void *)event->object;
  if (!win->base || win->size <= 0) return;
  if (event->kind == MPIPP_EVENT_MADE) add(win);
  if (event->kind == MPIPP_EVENT_FREED) remove_window(win);
}

int mpipp_guard_is_exposed(uint64_t low, uint64_t high) {
  if (more > 0 || mpipp_recorder_is_attached(low, high)) return 1;
  for (int i = 0; i < used; i++) {
    if (all[i].serial && low < all[i].high && all[i].low < high) return 1;
  }
  return 0;
}
