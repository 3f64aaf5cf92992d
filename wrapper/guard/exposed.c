// SPDX-License-Identifier: MIT
#include "guard/exposed.h"

#include "recorders/windows.h"

enum { MOST = 256 };

static struct mpipp_exposed {
  uint64_t serial, low, high;
} all[MOST];         // by the number of the window
static int used;     // those beyond have never been
static int has_more; // windows that found no room: any memory may be theirs

static void add(const struct mpipp_win *win) {
  for (int i = 0; i < MOST; i++) {
    if (all[i].serial) continue;
    all[i] = (struct mpipp_exposed){win->object.serial, win->base, win->base + (uint64_t)win->size};
    if (i == used) used++;
    return;
  }
  has_more = 1;
}

void mpipp_window_exposes(const struct mpipp_event *event) {
  const struct mpipp_win *win = (const struct mpipp_win *)(const void *)event->object;
  if (event->kind == MPIPP_EVENT_MADE && win->base && win->size > 0) add(win);
  for (int i = 0; event->kind == MPIPP_EVENT_FREED && i < MOST; i++) {
    if (all[i].serial == win->object.serial) all[i].serial = 0;
  }
}

int mpipp_is_exposed(uint64_t low, uint64_t high) {
  if (has_more || mpipp_is_attached(low, high)) return 1;
  for (int i = 0; i < used; i++) {
    if (all[i].serial && low < all[i].high && all[i].low < high) return 1;
  }
  return 0;
}
