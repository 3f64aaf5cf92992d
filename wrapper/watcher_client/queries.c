// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "watcher_client/queries.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "abi/mpi_symbols.h"
#include "registry/object_store.h"
#include "registry/registry.h"
#include "registry/shared_arena.h"
#include "watcher_client/connection.h"

enum {
  FIRST_ROOM = 4096,
  MOST_ROOM = 1 << 20, // largest size of one query
  MOST_SENT = 64, // largest number of queries without an answer: the socket has capacity for them
  MOST_BYTES = 8 << 20, // largest size of all queries without an answer
  MOST_WAITS = 1 << 16
};

// The list of queries: the oldest without an answer, the first that is not sent yet, and the
// newest.
static struct mpipp_question *oldest, *unsent, *newest;
static uint64_t sent = 0, bytes_held = 0;

static struct mpipp_question *next_of(const struct mpipp_question *question) {
  return (struct mpipp_question *)(uintptr_t)question->next;
}

static void release(struct mpipp_question *question) {
  char *end = (char *)question + question->bytes;
  for (char *at = (char *)(question + 1); at < end;) {
    struct mpipp_note *note = (struct mpipp_note *)at;
    if (note->kept) mpipp_registry_unrefer_locked(note->record);
    at += sizeof *note + ((note->bytes + 7) & ~(uint64_t)7);
  }
  mpipp_registry_free(question);
}

// Frees answered queries, and sends waiting ones.
static void pump(void) {
  for (int64_t answered = mpipp_watcher_count_answers(); answered > 0 && sent > 0; answered--) {
    struct mpipp_question *question = oldest;
    oldest = next_of(question);
    if (!oldest) newest = NULL;
    sent--;
    bytes_held -= question->bytes;
    release(question);
  }
  while (unsent && sent < MOST_SENT && mpipp_watcher_ask((uintptr_t)unsent)) {
    unsent = next_of(unsent);
    sent++;
  }
}

// Reserves more bytes in the query. Returns NULL if there is no space: then the query is
// dropped.
static void *allocate(struct mpipp_asking *asking, uint64_t bytes) {
  struct mpipp_question *question = asking->question;
  if (!question) return NULL;
  uint64_t wanted = question->bytes + ((bytes + 7) & ~(uint64_t)7), room = asking->room;
  while (room < wanted && room <= MOST_ROOM) room *= 2;
  if (room > asking->room) {
    struct mpipp_question *larger = room <= MOST_ROOM ? mpipp_registry_allocate(room) : NULL;
    if (larger) {
      memcpy(larger, question, question->bytes);
      mpipp_registry_free(question);
    } else {
      release(question);
    }
    asking->question = question = larger;
    asking->room = room;
  }
  if (!question) return NULL;
  void *found = (char *)question + question->bytes;
  question->bytes = wanted;
  return found;
}

static struct mpipp_note *add(struct mpipp_asking *asking, enum mpipp_note_kind kind, uint64_t a,
                              uint64_t b, uint64_t bytes) {
  struct mpipp_note *note = allocate(asking, sizeof *note + bytes);
  if (note) *note = (struct mpipp_note){.kind = kind, .bytes = bytes, .a = a, .b = b};
  return note;
}

void mpipp_watcher_ask_begin(struct mpipp_asking *asking, const struct mpipp_thread *thread) {
  pump();
  int asks = mpipp_watcher_is_connected() && bytes_held < MOST_BYTES;
  struct mpipp_question *question = asks ? mpipp_registry_allocate(FIRST_ROOM) : NULL;
  *asking = (struct mpipp_asking){question, FIRST_ROOM};
  if (!question || !mpipp_registry_arena_has(question)) {
    mpipp_registry_free(question);
    asking->question = NULL;
    return;
  }
  *question = (struct mpipp_question){.magic = "MPIPPQU",
                                      .bytes = sizeof *question,
                                      .tid = thread->tid,
                                      .status = mpipp_registry.status};
  memcpy(&question->call, &thread->call, sizeof thread->call);
  const int is_known = thread->place_serial == thread->call.serial;
  question->call.caller = is_known ? thread->place : mpipp_outside_mpi(thread->call.caller);
}

static void add_record(struct mpipp_asking *asking, const struct mpipp_object *record,
                       uint64_t bytes) {
  struct mpipp_note *note = add(asking, MPIPP_NOTE_MEMORY, (uintptr_t)record, 1, bytes);
  if (note) memcpy(note + 1, record, bytes);
}

// Copies the program's memory by a system call. Returns whether the memory could be read; -1: such
// calls are forbidden. May change errno.
static int copy_memory(void *to, uint64_t address, uint64_t bytes) {
  struct iovec local = {to, bytes}, remote = {(void *)(uintptr_t)address, bytes};
  ssize_t got = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
  return got >= 0 || errno == EFAULT ? (uint64_t)got == bytes : -1;
}

// Adds the first bytes of an unrecorded object, if handles are addresses. The bytes are read now,
// because the program may free the object before the watcher reads it.
static void add_beginning(struct mpipp_asking *asking, uint64_t handle) {
  uint64_t word;
  if (MPIPP_FLAVOR != MPIPP_FLAVOR_OPENMPI || !handle) return;
  int saved = errno, known = copy_memory(&word, handle, sizeof word) > 0;
  errno = saved;
  struct mpipp_note *note = known ? add(asking, MPIPP_NOTE_MEMORY, handle, 0, sizeof word) : NULL;
  if (note) memcpy(note + 1, &word, sizeof word);
}

void mpipp_watcher_ask_object(struct mpipp_asking *asking, enum mpipp_kind kind, uint64_t handle) {
  struct mpipp_object *record = mpipp_find(kind, handle);
  if (!record) return add_beginning(asking, handle);
  struct mpipp_note *note = add(asking, MPIPP_NOTE_OBJECT, kind, handle, 0);
  if (!note) return;
  note->record = (uintptr_t)record;
  note->kept = kind != MPIPP_REQUEST && mpipp_registry_refer_locked(note->record, handle);
  add_record(asking, record, mpipp_registry_stores[kind].table->record_size);
}

void mpipp_watcher_ask_datatype(struct mpipp_asking *asking, uint64_t record, uint64_t handle) {
  if (!record) return;
  struct mpipp_note *note = add(asking, MPIPP_NOTE_OBJECT, MPIPP_DATATYPE, MPIPP_NO_HANDLE, 0);
  if (!note) return;
  note->record = record;
  note->kept = (uint32_t)mpipp_registry_refer_locked(record, handle);
  add_record(asking, (void *)(uintptr_t)record, sizeof(struct mpipp_datatype));
}

int mpipp_watcher_read_own(void *to, uint64_t address, uint64_t bytes) {
  int known = copy_memory(to, address, bytes);
  // Without the system call, read as MPI itself will do.
  if (known < 0) memcpy(to, (const void *)(uintptr_t)address, bytes);
  return known != 0;
}

void mpipp_watcher_ask_memory(struct mpipp_asking *asking, uint64_t address, uint64_t bytes) {
  if (!address || !bytes) return;
  int saved = errno;
  struct mpipp_note *note = add(asking, MPIPP_NOTE_MEMORY, address, 0, bytes);
  if (note && !mpipp_watcher_read_own(note + 1, address, bytes)) {
    asking->question->bytes -= sizeof *note + ((bytes + 7) & ~(uint64_t)7);
  }
  errno = saved;
}

static void add_arrays(struct mpipp_asking *asking, const struct mpipp_call *call,
                       uint64_t handle_size) {
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    if (!call->buffers[i].vector) continue;
    const struct mpipp_vector *vector = &call->vectors[call->buffers[i].vector - 1];
    uint64_t n = vector->length;
    mpipp_watcher_ask_memory(asking, vector->counts, n * vector->count_size);
    mpipp_watcher_ask_memory(asking, vector->displacements, n * vector->displacement_size);
    mpipp_watcher_ask_memory(asking, vector->datatypes, n * handle_size);
    mpipp_watcher_ask_memory(asking, vector->records, n * sizeof(uint64_t));
  }
}

void mpipp_watcher_ask_parts(struct mpipp_asking *asking, const struct mpipp_call *call) {
  for (uint32_t i = 0; i < call->buffer_count; i++)
    mpipp_watcher_ask_datatype(asking, call->buffers[i].record, call->buffers[i].datatype);
  if (call->present & MPIPP_HAS_COMM) mpipp_watcher_ask_object(asking, MPIPP_COMM, call->comm);
  if (call->present & MPIPP_HAS_WIN) mpipp_watcher_ask_object(asking, MPIPP_WIN, call->win);
  if (call->present & MPIPP_HAS_FILE) mpipp_watcher_ask_object(asking, MPIPP_FILE, call->file);
  if (call->present & MPIPP_HAS_VECTORS)
    add_arrays(asking, call, mpipp_registry_stores[MPIPP_DATATYPE].table->handle_size);
}

void mpipp_watcher_ask_pending(struct mpipp_asking *asking, const struct mpipp_request *request) {
  const struct mpipp_call *call = &request->call;
  if (!add(asking, MPIPP_NOTE_PENDING, (uintptr_t)request, MPIPP_REQUEST, 0)) return;
  add_record(asking, &request->object, sizeof *request);
  if (call->buffer_count)
    mpipp_watcher_ask_memory(asking, request->marks, (uint64_t)call->buffers[0].peers);
  mpipp_watcher_ask_parts(asking, call);
}

void mpipp_watcher_ask_split(struct mpipp_asking *asking, const struct mpipp_file *file) {
  if (!add(asking, MPIPP_NOTE_PENDING, (uintptr_t)file, MPIPP_FILE, 0)) return;
  add_record(asking, &file->object, sizeof *file);
  mpipp_watcher_ask_parts(asking, &file->call);
}

void mpipp_watcher_ask_other_thread(struct mpipp_asking *asking,
                                    const struct mpipp_thread *thread) {
  if (!add(asking, MPIPP_NOTE_OTHER, (uintptr_t)thread, thread->tid, sizeof thread->call)) return;
  struct mpipp_question *question = asking->question;
  char *copy = (char *)question + question->bytes - sizeof thread->call;
  memcpy(copy, &thread->call, sizeof thread->call);
  ((struct mpipp_call *)(void *)copy)->caller = mpipp_call_place(thread);
}

void mpipp_watcher_ask_touch(struct mpipp_asking *asking, struct mpipp_touched touched,
                             uint64_t instruction, const uint64_t *callers, uint64_t count) {
  uint64_t bytes = count * sizeof *callers, head = sizeof touched + sizeof instruction;
  struct mpipp_note *note = add(asking, MPIPP_NOTE_TOUCH, 0, 0, head + bytes);
  if (!note) return;
  memcpy(note + 1, &touched, sizeof touched);
  memcpy((char *)(note + 1) + sizeof touched, &instruction, sizeof instruction);
  memcpy((char *)(note + 1) + head, callers, bytes);
}

void mpipp_watcher_ask_freed_memory(struct mpipp_asking *asking, uint64_t start, uint64_t bytes,
                                    const uint64_t *places, uint64_t count) {
  uint64_t length = count * sizeof *places;
  struct mpipp_note *note = add(asking, MPIPP_NOTE_GIVEN_BACK, start, bytes, length);
  if (note) memcpy(note + 1, places, length);
}

void mpipp_watcher_ask_change(struct mpipp_asking *asking, const struct mpipp_change *change) {
  struct mpipp_note *note = add(asking, MPIPP_NOTE_CHANGE, 0, 0, sizeof *change);
  if (note) memcpy(note + 1, change, sizeof *change);
}

void mpipp_watcher_ask_python_frame(struct mpipp_asking *asking, uint64_t frame, uint64_t version) {
  if (frame) add(asking, MPIPP_NOTE_PYTHON, frame, version, 0);
}

void mpipp_watcher_ask_frame(struct mpipp_asking *asking, uint64_t code, uint64_t end,
                             const uint64_t *registers) {
  const uint64_t bytes = registers ? MPIPP_FRAME_REGISTERS * sizeof *registers : 0;
  struct mpipp_note *note = add(asking, MPIPP_NOTE_FRAME, code, end, bytes);
  if (note && registers) memcpy(note + 1, registers, bytes);
}

void mpipp_watcher_ask_gap(struct mpipp_asking *asking, enum mpipp_note_kind kind, uint64_t start,
                           uint64_t end) {
  add(asking, kind, start, end, 0);
}

// Adds whether other threads have called MPI. If no other thread had by now, earlier calls
// certainly belong to one thread.
static void add_threads(struct mpipp_asking *asking) {
  const uint64_t *several = &mpipp_registry.several_called;
  struct mpipp_note *note = add(asking, MPIPP_NOTE_MEMORY, (uintptr_t)several, 0, sizeof *several);
  if (note) *(uint64_t *)(note + 1) = MPIPP_READ(*several);
}

int mpipp_watcher_ask_end(struct mpipp_asking *asking) {
  add_threads(asking);
  struct mpipp_question *question = asking->question;
  if (!question) {
    mpipp_registry.unasked += (uint64_t)mpipp_watcher_is_connected();
    return 0;
  }
  bytes_held += question->bytes;
  if (newest) newest->next = (uintptr_t)question;
  newest = question;
  if (!oldest) oldest = question;
  if (!unsent) unsent = question;
  pump();
  return 1;
}

int mpipp_watcher_ask_await(void) {
  for (int i = 0; i < MOST_WAITS; i++) {
    pump();
    if (!oldest || !mpipp_watcher_await_capacity()) break;
  }
  return mpipp_watcher_has_findings();
}

// Returns MPI_SUCCESS if the answer came too late, and belongs to another call.
int mpipp_watcher_ask_class(void) {
  return oldest ? 0 : mpipp_watcher_last_class();
}

void mpipp_watcher_questions_flush(void) {
  int locked = mpipp_registry_lock_slow();
  pump();
  // Only the first query is sent. The watcher finds the others through it, because they are in
  // memory that it has.
  uint64_t left = 0;
  for (const struct mpipp_question *one = unsent; one; one = next_of(one)) left++;
  if (left && mpipp_watcher_ask_all((uintptr_t)unsent)) {
    sent += left;
    unsent = NULL;
  } else {
    mpipp_registry.unasked += left;
  }
  if (locked) mpipp_registry_unlock();
}
