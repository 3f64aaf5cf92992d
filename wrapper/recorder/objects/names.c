// SPDX-License-Identifier: MIT
#include "recorder/objects/names.h"

#include <stdlib.h>

#include "registry/object_store.h"

void mpipp_constant_made(enum mpipp_kind kind, uint64_t handle, const char *name, unsigned flag) {
  if (mpipp_find(kind, handle)) return;
  struct mpipp_object *record = mpipp_claim(kind, handle, 0);
  if (!record) return;
  mpipp_mark(record, flag);
  record->name = mpipp_copied(name);
  mpipp_publish(record);
}

void mpipp_named(enum mpipp_kind kind, uint64_t handle, const char *name) {
  uint64_t text = mpipp_copied(name);
  struct mpipp_object *record = mpipp_lock_live(kind, handle);
  // What a predefined datatype holds goes by its name.
  int fixed = kind == MPIPP_DATATYPE && record && MPIPP_READ(record->flags) & MPIPP_FLAG_PREDEFINED;
  if (record && name && !fixed) text = mpipp_replace(&record->name, text);
  mpipp_unlock();
  mpipp_free((void *)(uintptr_t)text);
}
