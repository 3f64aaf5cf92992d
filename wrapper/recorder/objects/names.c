// SPDX-License-Identifier: MIT
#include "recorder/objects/names.h"

#include <stdlib.h>

#include "registry/object_store.h"

void mpipp_recorder_add_constant(enum mpipp_kind kind, uint64_t handle, const char *name,
                                 unsigned flag) {
  if (mpipp_find(kind, handle)) return;
  struct mpipp_object *record = mpipp_registry_claim(kind, handle, 0);
  if (!record) return;
  mpipp_mark(record, flag);
  record->name = mpipp_registry_copy_text(name);
  mpipp_registry_publish(record);
}

void mpipp_recorder_set_name(enum mpipp_kind kind, uint64_t handle, const char *name) {
  uint64_t text = mpipp_registry_copy_text(name);
  struct mpipp_object *record = mpipp_registry_lock_live(kind, handle);
  // A predefined datatype keeps its name, because readers derive its content from it.
  int fixed = kind == MPIPP_DATATYPE && record && MPIPP_READ(record->flags) & MPIPP_FLAG_PREDEFINED;
  if (record && name && !fixed) text = mpipp_replace(&record->name, text);
  mpipp_registry_unlock();
  mpipp_registry_free((void *)(uintptr_t)text);
}
