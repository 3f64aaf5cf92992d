// SPDX-License-Identifier: MIT
#include "recorder/objects/infos.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/mpi_symbols.h"
#include "registry/object_store.h"

// The entries of an info, as its record has them: key, NUL, value, NUL, key ...
struct mpipp_entries {
  char *text;
  size_t bytes;
  int64_t count;
};

// Appends an entry. Without memory, the entry is lost.
static void append(struct mpipp_entries *entries, const char *key, const char *value) {
  size_t key_bytes = strlen(key) + 1, value_bytes = strlen(value) + 1;
  char *larger = mpipp_registry_allocate(entries->bytes + key_bytes + value_bytes);
  if (!larger) return;
  if (entries->text) memcpy(larger, entries->text, entries->bytes);
  mpipp_registry_free(entries->text);
  memcpy(larger + entries->bytes, key, key_bytes);
  memcpy(larger + entries->bytes + key_bytes, value, value_bytes);
  entries->text = larger;
  entries->bytes += key_bytes + value_bytes;
  entries->count++;
}

static void ask_entry(struct mpipp_entries *entries, MPI_Info info, int index) {
  char key[MPI_MAX_INFO_KEY + 1] = "";
  int length = 0, flag = 0;
  PMPI(Info_get_nthkey)(info, index, key);
  PMPI(Info_get_valuelen)(info, key, &length, &flag);
  char *value = flag ? calloc(1, (size_t)length + 1) : NULL;
  if (!value) return mpipp_registry_count_loss();
  PMPI(Info_get)(info, key, length, value, &flag);
  append(entries, key, value);
  free(value);
}

void mpipp_recorder_add_info(const struct mpipp_call *call, MPI_Info info) {
  if (info == MPI_INFO_NULL) return;
  int saved = errno, count = 0;
  struct mpipp_info *record = mpipp_registry_claim(MPIPP_INFO, MPIPP_KEY(info), call->caller);
  if (!record) return;
  record->object.fint = MPIPP_FINT(Info, info);
  struct mpipp_entries entries = {0};
  PMPI(Info_get_nkeys)(info, &count);
  for (int i = 0; i < count; i++) ask_entry(&entries, info, i);
  record->entries = (uint64_t)(uintptr_t)entries.text;
  record->key_count = entries.count;
  mpipp_registry_publish(record);
  errno = saved;
}

// A copy of the entries with a new value for one key, in its place or, for a new key, at the end.
static struct mpipp_entries changed_entries(const struct mpipp_info *record, const char *key,
                                            const char *value) {
  struct mpipp_entries entries = {0};
  const char *old = (const char *)(uintptr_t)record->entries;
  for (int64_t i = 0; i < record->key_count; i++) {
    const char *old_value = old + strlen(old) + 1;
    int is_it = strcmp(old, key) == 0;
    if (!is_it || value) append(&entries, old, is_it ? value : old_value);
    if (is_it) value = NULL;
    old = old_value + strlen(old_value) + 1;
  }
  if (value) append(&entries, key, value);
  return entries;
}

// The recorder does not query MPI for the info's content, because another thread may be changing
// it. An error in the recorder's query would then go to the program's error handler.
void mpipp_recorder_set_info_entry(uint64_t info, const char *key, const char *value) {
  int saved = errno;
  uint64_t old = 0;
  struct mpipp_info *record = mpipp_registry_lock_live(MPIPP_INFO, info);
  if (record) {
    struct mpipp_entries entries = changed_entries(record, key, value);
    record->key_count = 0; // readers must see no entries while the block is replaced
    old = mpipp_replace(&record->entries, (uint64_t)(uintptr_t)entries.text);
    __atomic_store_n(&record->key_count, entries.count, __ATOMIC_RELEASE);
  }
  mpipp_registry_unlock();
  mpipp_registry_free((void *)(uintptr_t)old);
  errno = saved;
}
