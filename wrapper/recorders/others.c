// SPDX-License-Identifier: MIT
// Operations, error handlers, files, infos, messages, sessions; names and constants of all kinds.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "intercept/intercept.h"
#include "recorders/chains.h"
#include "recorders/channels.h"

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

static void forget_datatype(struct mpipp_datatype *record) {
  uint64_t *components = (uint64_t *)(uintptr_t)record->components;
  for (uint32_t i = 0; i < record->component_count; i++) mpipp_unrefer_locked(components[i]);
  record->component_count = 0;
  if (components != &record->inline_component) mpipp_release(&record->components);
  if (record->arguments != (uint64_t)(uintptr_t)record->inline_arguments)
    mpipp_release(&record->arguments);
}

void mpipp_forget(struct mpipp_object *object) {
  void *record = object;
  mpipp_release(&object->name);
  mpipp_release(&object->frames);
  switch (object->kind) {
  case MPIPP_DATATYPE:
    forget_datatype(record);
    break;
  case MPIPP_REQUEST:
    mpipp_drop_call(record);
    break;
  case MPIPP_COMM:
    mpipp_forget_channels(record);
    mpipp_release(&((struct mpipp_comm *)record)->world_ranks);
    mpipp_release(&((struct mpipp_comm *)record)->remote_world_ranks);
    mpipp_release(&((struct mpipp_comm *)record)->dims);
    mpipp_release(&((struct mpipp_comm *)record)->sources); // the destinations stand behind them
    break;
  case MPIPP_GROUP:
    mpipp_release(&((struct mpipp_group *)record)->world_ranks);
    break;
  case MPIPP_FILE:
    mpipp_release(&((struct mpipp_file *)record)->filename);
    mpipp_release(&((struct mpipp_file *)record)->datarep);
    break;
  case MPIPP_INFO:
    mpipp_release(&((struct mpipp_info *)record)->entries);
    break;
  default:
    break;
  }
}

void mpipp_op_made(const struct mpipp_call *call, MPI_Op op, uint64_t function, int commute) {
  struct mpipp_op *record = mpipp_claim(MPIPP_OP, MPIPP_KEY(op), call->caller);
  if (!record) return;
  record->object.fint = MPIPP_FINT(Op, op);
  record->function = function;
  record->commute = commute;
  mpipp_publish(record);
}

void mpipp_errhandler_made(const struct mpipp_call *call, MPI_Errhandler errhandler,
                           uint64_t function) {
  uint64_t handle = MPIPP_KEY(errhandler);
  if (errhandler == MPI_ERRHANDLER_NULL || mpipp_is_constant(MPIPP_ERRHANDLER, handle)) return;
  if (!function && mpipp_held_again(MPIPP_ERRHANDLER, handle)) return; // asked for, not made
  struct mpipp_errhandler *record = mpipp_claim(MPIPP_ERRHANDLER, handle, call->caller);
  if (!record) return;
  record->object.fint = MPIPP_FINT(Errhandler, errhandler);
  record->function = function;
  mpipp_publish(record);
}

void mpipp_file_made(const struct mpipp_call *call, MPI_File file, uint64_t comm,
                     const char *filename, int amode) {
  struct mpipp_file *record = mpipp_claim(MPIPP_FILE, MPIPP_KEY(file), call->caller);
  if (!record) return;
  record->comm = comm;
  record->amode = amode;
  record->filename = mpipp_copied(filename);
  // The view until the program sets one (MPI-4.1, section 14.2.1).
  record->disp = 0;
  record->etype = record->filetype = MPIPP_KEY(MPI_BYTE);
  record->datarep = mpipp_copied("native");
  mpipp_publish(record);
}

void mpipp_file_view(uint64_t file, int64_t disp, uint64_t etype, uint64_t filetype,
                     const char *datarep) {
  uint64_t text = mpipp_copied(datarep);
  struct mpipp_file *record = mpipp_lock_live(MPIPP_FILE, file);
  if (record) {
    record->disp = disp;
    record->etype = etype;
    record->filetype = filetype;
    text = mpipp_replace(&record->datarep, text);
  }
  mpipp_unlock();
  mpipp_free((void *)(uintptr_t)text);
}

void mpipp_split_begun(const struct mpipp_call *call) {
  struct mpipp_file *record = mpipp_lock_live(MPIPP_FILE, call->file);
  if (record) {
    record->call = *call;
    __atomic_store_n(&record->split_pending, 1, __ATOMIC_RELEASE);
  }
  mpipp_unlock();
}

void mpipp_split_ended(uint64_t file) {
  struct mpipp_file *record = mpipp_lock_live(MPIPP_FILE, file);
  if (record) __atomic_store_n(&record->split_pending, 0, __ATOMIC_RELEASE);
  mpipp_unlock();
}

// Entries of an info as its record has them: key, NUL, value, NUL, key ...
struct entries {
  char *text;
  size_t bytes;
  int64_t count;
};

// Without memory, the entry is lost.
static void append(struct entries *entries, const char *key, const char *value) {
  size_t key_bytes = strlen(key) + 1, value_bytes = strlen(value) + 1;
  char *larger = mpipp_allocate(entries->bytes + key_bytes + value_bytes);
  if (!larger) return;
  if (entries->text) memcpy(larger, entries->text, entries->bytes);
  mpipp_free(entries->text);
  memcpy(larger + entries->bytes, key, key_bytes);
  memcpy(larger + entries->bytes + key_bytes, value, value_bytes);
  entries->text = larger;
  entries->bytes += key_bytes + value_bytes;
  entries->count++;
}

static void ask_entry(struct entries *entries, MPI_Info info, int index) {
  char key[MPI_MAX_INFO_KEY + 1] = "";
  int length = 0, flag = 0;
  PMPI(Info_get_nthkey)(info, index, key);
  PMPI(Info_get_valuelen)(info, key, &length, &flag);
  char *value = flag ? calloc(1, (size_t)length + 1) : NULL;
  if (!value) return mpipp_dropped();
  PMPI(Info_get)(info, key, length, value, &flag);
  append(entries, key, value);
  free(value);
}

void mpipp_info_made(const struct mpipp_call *call, MPI_Info info) {
  if (info == MPI_INFO_NULL) return;
  int saved = errno, count = 0;
  struct mpipp_info *record = mpipp_claim(MPIPP_INFO, MPIPP_KEY(info), call->caller);
  if (!record) return;
  record->object.fint = MPIPP_FINT(Info, info);
  struct entries entries = {0};
  PMPI(Info_get_nkeys)(info, &count);
  for (int i = 0; i < count; i++) ask_entry(&entries, info, i);
  record->entries = (uint64_t)(uintptr_t)entries.text;
  record->key_count = entries.count;
  mpipp_publish(record);
  errno = saved;
}

// All but the entry of a key, which gets the new value where it stands, or else at the end.
static struct entries changed(const struct mpipp_info *record, const char *key, const char *value) {
  struct entries entries = {0};
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

// MPI is not asked what the info holds now: another thread may change it meanwhile, and an error in
// the recorder's own question would go to the program's error handler.
void mpipp_info_set(uint64_t info, const char *key, const char *value) {
  int saved = errno;
  uint64_t old = 0;
  struct mpipp_info *record = mpipp_lock_live(MPIPP_INFO, info);
  if (record) {
    struct entries entries = changed(record, key, value);
    record->key_count = 0; // the block is replaced first
    old = mpipp_replace(&record->entries, (uint64_t)(uintptr_t)entries.text);
    __atomic_store_n(&record->key_count, entries.count, __ATOMIC_RELEASE);
  }
  mpipp_unlock();
  mpipp_free((void *)(uintptr_t)old);
  errno = saved;
}

void mpipp_message_made(struct mpipp_call *call, MPI_Message message, const MPI_Status *status) {
  call->ordinal = 0; // it waits for no message any more
  call->present |= MPIPP_HAS_ORDINAL;
  uint64_t handle = MPIPP_KEY(message);
  const struct mpipp_object *old = mpipp_find_live(MPIPP_MESSAGE, handle);
  if (message == MPI_MESSAGE_NULL || (old && MPIPP_READ(old->flags) & MPIPP_FLAG_PREDEFINED))
    return;
  struct mpipp_message *record = mpipp_claim(MPIPP_MESSAGE, handle, call->caller);
  if (!record) return;
  int known = status != MPI_STATUS_IGNORE;
  record->object.fint = MPIPP_FINT(Message, message);
  record->comm = call->comm;
  record->source = known ? status->MPI_SOURCE : call->source;
  record->tag = known ? status->MPI_TAG : call->tag;
  record->ordinal = mpipp_matched(call, (int)record->source, (int)record->tag);
  mpipp_publish(record);
}

#ifdef MPIPP_HAVE_Session_init
void mpipp_session_made(const struct mpipp_call *call, MPI_Session session, uint64_t errhandler) {
  struct mpipp_session *record = mpipp_claim(MPIPP_SESSION, MPIPP_KEY(session), call->caller);
  if (!record) return;
  record->errhandler = errhandler;
  mpipp_publish(record);
}
#endif
