// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "registry/object_store.h"

#include <errno.h>
#include <execinfo.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "abi/mpi_symbols.h"
#include "registry/object_events.h"
#include "registry/recycled_records.h"
#include "registry/registry.h"
#include "registry/shared_arena.h"

enum { CHUNK_BYTES = 1 << 16, FIRST_SLOTS = 1024, MAX_FRAMES = 64, MAX_TRIES = 10000 };

struct mpipp_store mpipp_registry_stores[MPIPP_KINDS];
struct mpipp_object mpipp_registry_no_object = {.handle = MPIPP_NO_HANDLE, .live = MPIPP_NO_HANDLE};
int mpipp_registry_several_threads = 0;
int mpipp_registry_is_unlocked = 0;
MPIPP_OFFER(mpipp_registry_stores);
MPIPP_OFFER(mpipp_registry_several_threads);
MPIPP_OFFER(mpipp_registry_is_unlocked);
// An empty table: its only slot has no handle.
static const struct mpipp_slots no_slots = {.slot = {{.handle = MPIPP_NO_HANDLE}}};
const struct mpipp_slots *mpipp_registry_unshared_requests = &no_slots;

void *mpipp_registry_lock_live(enum mpipp_kind kind, uint64_t handle) {
  mpipp_registry_lock();
  return mpipp_find_live(kind, handle);
}

void mpipp_registry_open_stores(void (*to_forget)(struct mpipp_object *object)) {
  mpipp_registry_forget = to_forget;
  for (int kind = 0; kind < MPIPP_KINDS; kind++)
    mpipp_registry_stores[kind].table = &mpipp_registry_object_tables()[kind];
}

static void *probe(const struct mpipp_slots *slots, uint64_t handle) {
  if (!slots) return NULL;
  uint64_t mask = MPIPP_READ(slots->mask);
  for (uint64_t i = mpipp_hash(handle), n = 0; n <= mask; i++, n++) {
    const struct mpipp_slot *slot = &slots->slot[i & mask];
    struct mpipp_object *object = mpipp_in_slot(slot, handle);
    if (object) return object;
    if (MPIPP_READ(slot->record) == 0) return NULL;
  }
  return NULL;
}

// While another thread replaces the slots, a handle may not be found although it exists, so the
// search is repeated. It is not repeated forever: a signal handler may have interrupted the very
// thread that replaces them.
void *mpipp_registry_find_slow(enum mpipp_kind kind, uint64_t handle) {
  const struct mpipp_store *store = &mpipp_registry_stores[kind];
  for (int tries = 0;; tries++) {
    uint64_t rebuilds = MPIPP_READ(store->rebuilds);
    void *object = probe(MPIPP_READ(store->slots), handle);
    int sure = rebuilds % 2 == 0 && MPIPP_READ(store->rebuilds) == rebuilds;
    if (object || sure || tries == MAX_TRIES) return object;
    sched_yield();
  }
}

// The slot that has the handle, or else the slot in which to put it.
static struct mpipp_slot *slot_of(struct mpipp_slots *slots, uint64_t handle) {
  struct mpipp_slot *removed = NULL;
  for (uint64_t i = mpipp_hash(handle);; i++) {
    struct mpipp_slot *slot = &slots->slot[i & slots->mask];
    if (slot->record == 0) return removed ? removed : slot;
    if (slot->record == 1) {
      if (!removed) removed = slot;
    } else if (slot->handle == handle) {
      return slot;
    }
  }
}

static void put(struct mpipp_slots *slots, struct mpipp_object *object) {
  struct mpipp_slot *slot = slot_of(slots, object->handle);
  if (slot->record == 0) slots->used++;
  MPIPP_WRITE(slot->handle, object->handle);
  __atomic_store_n(&slot->record, (uint64_t)(uintptr_t)object, __ATOMIC_RELEASE);
}

// With MPIPP_FRAMES the fast path must not reuse records, because each new one has its own return
// addresses. Hooks get events only on the slow path.
void mpipp_registry_set_unshared_requests(void) {
  const struct mpipp_slots *slots = MPIPP_READ(mpipp_registry_stores[MPIPP_REQUEST].slots);
  int alone = slots && !MPIPP_READ(mpipp_registry_several_threads) && !mpipp_registry.frames &&
              !MPIPP_READ(mpipp_registry_listening_to_requests);
  MPIPP_WRITE(mpipp_registry_unshared_requests, alone ? slots : &no_slots);
}

// Makes every running thread execute a full memory barrier. Kernels before 4.3 cannot do that: then
// it only waits a moment.
static void run_barriers(void) {
  int saved = errno;
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0) ||
      syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0))
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0)) usleep(1000);
  errno = saved;
}

// The first thread to call MPI works without the lock: it sets a mark, then tests whether it is
// still alone. The second thread clears "alone", then tests the mark. With a barrier between the
// two steps in each thread, at least one of them sees the other's write. The first thread must be
// fast and has no barrier of its own, so the system executes one in it.
void mpipp_registry_share(void) {
  static int shared = 0;
  if (__atomic_exchange_n(&mpipp_registry_several_threads, 1, __ATOMIC_SEQ_CST) == 0) {
    MPIPP_WRITE(mpipp_registry.several_called, 1);
    for (int time = 0; time < 2; time++) { // once more, because the slots may be replaced during
                                           // the first pass
      MPIPP_WRITE(mpipp_registry_unshared_requests, &no_slots);
      run_barriers();
      for (int i = 0; MPIPP_READ(mpipp_registry_is_unlocked) && i < MAX_TRIES; i++) sched_yield();
    }
    __atomic_store_n(&shared, 1, __ATOMIC_RELEASE);
  }
  while (!MPIPP_READ(shared)) sched_yield(); // another thread has begun to do the same
}

static void publish_slots(struct mpipp_store *store, struct mpipp_slots *slots) {
  store->table->slots = 0;
  __atomic_store_n(&store->table->capacity, slots->mask + 1, __ATOMIC_RELEASE);
  __atomic_store_n(&store->slots, slots, __ATOMIC_RELEASE);
  __atomic_store_n(&store->table->slots, (uint64_t)(uintptr_t)slots->slot, __ATOMIC_RELEASE);
  if (store == &mpipp_registry_stores[MPIPP_REQUEST]) mpipp_registry_set_unshared_requests();
}

static struct mpipp_slots *new_slots(struct mpipp_store *store, uint64_t capacity) {
  uint64_t bytes = sizeof(struct mpipp_slots) + capacity * sizeof(struct mpipp_slot);
  struct mpipp_slots *slots = store->spare;
  if (slots && store->spare_capacity == capacity) {
    store->spare = NULL; // its slots are empty, see retire
  } else {
    slots = mpipp_registry_map(bytes);
  }
  if (!slots) return NULL;
  MPIPP_WRITE(slots->mask, capacity - 1);
  MPIPP_WRITE(slots->offsets, (capacity - 1) * sizeof(struct mpipp_slot));
  MPIPP_WRITE(slots->slot[0].handle,
              MPIPP_NO_HANDLE); // empty slots, including those where the handle 0 would be
  return slots;
}

// Keeps a replaced table, because a thread may still probe it. The table's memory is returned to
// the system, but the addresses stay mapped. Such a thread reads zeros, finds nothing, and searches
// again.
static void retire(struct mpipp_store *store, struct mpipp_slots *slots) {
  store->spare_capacity = slots->mask + 1;
  store->spare = slots;
  uint64_t bytes = sizeof *slots + store->spare_capacity * sizeof *slots->slot;
  if (mpipp_registry_is_shared && mpipp_registry_arena_has(slots))
    memset(slots, 0, bytes); // in the arena's file, released memory would come back unchanged
  else
    madvise(slots, bytes, MADV_DONTNEED);
}

static int is_unused(const struct mpipp_object *object) {
  return (MPIPP_READ(object->flags) & MPIPP_FLAG_ENDED) && MPIPP_READ(object->references) == 0;
}

static void change_rebuilds(struct mpipp_store *store) {
  __atomic_store_n(&store->rebuilds, store->rebuilds + 1, __ATOMIC_SEQ_CST);
}

// Makes space in the hash table. First records are dropped that are no longer needed; the table
// grows only if that is not enough. So a loop that creates and frees objects needs no more memory
// than the first FIRST_SLOTS objects.
static int make_room(struct mpipp_store *store) {
  struct mpipp_slots *old = store->slots;
  uint64_t capacity = old ? old->mask + 1 : 0, keep = 0;
  for (uint64_t i = 0; i < capacity; i++) {
    if (old->slot[i].record > 1) keep += !is_unused((void *)(uintptr_t)old->slot[i].record);
  }
  uint64_t wanted = capacity ? capacity : FIRST_SLOTS;
  if (keep * 2 > wanted) wanted *= 2;
  change_rebuilds(store);
  struct mpipp_slots *slots = new_slots(store, wanted);
  if (!slots) return change_rebuilds(store), 0;
  struct mpipp_object *gone = NULL;
  for (uint64_t i = 0; i < capacity; i++) {
    if (old->slot[i].record <= 1) continue;
    struct mpipp_object *object = (void *)(uintptr_t)old->slot[i].record;
    if (is_unused(object)) {
      object->next = (uint64_t)(uintptr_t)gone;
      gone = object;
    } else {
      put(slots, object);
    }
  }
  publish_slots(store, slots);
  if (old) retire(store, old);
  change_rebuilds(store);
  while (gone) {
    struct mpipp_object *object = gone;
    gone = (void *)(uintptr_t)object->next;
    if (object->kind == MPIPP_DATATYPE)
      mpipp_registry_freed_handles_add(MPIPP_READ(object->handle));
    mpipp_registry_recycle(&store->free, object);
  }
  return 1;
}

static struct mpipp_object *allocate(struct mpipp_store *store) {
  struct mpipp_object *object = store->free;
  if (object) {
    store->free = (void *)(uintptr_t)object->next;
    return object;
  }
  uint64_t size = store->table->record_size;
  if (!store->last || store->last->used == store->last->capacity) {
    struct mpipp_chunk *chunk = mpipp_registry_map(CHUNK_BYTES);
    if (!chunk) return NULL;
    chunk->capacity = (CHUNK_BYTES - sizeof *chunk) / size;
    uint64_t address = (uint64_t)(uintptr_t)chunk;
    __atomic_store_n(store->last ? &store->last->next : &store->table->chunks, address,
                     __ATOMIC_RELEASE);
    store->last = chunk;
  }
  object = (void *)((char *)(store->last + 1) + store->last->used * size);
  __atomic_store_n(&store->last->used, store->last->used + 1, __ATOMIC_RELEASE);
  store->table->count++;
  return object;
}

// Makes sure that one more handle fits. Returns 0 without memory.
static int has_room(struct mpipp_store *store) {
  if (store->slots && (store->slots->used + 1) * 4 <= (store->slots->mask + 1) * 3) return 1;
  return make_room(store) || (store->slots && store->slots->used <= store->slots->mask);
}

// The caller holds the lock.
static struct mpipp_object *claim(struct mpipp_store *store, uint64_t handle) {
  if (!has_room(store)) return NULL;
  struct mpipp_slot *slot = slot_of(store->slots, handle);
  struct mpipp_object *object = NULL;
  if (slot->record > 1) {
    object = (void *)(uintptr_t)slot->record;
    // Serial 0: another thread is filling the record. Both threads found the same new object at the
    // same time, for example a group, or a datatype that was created unseen.
    int filled = MPIPP_READ(object->serial) != 0;
    MPIPP_WRITE(object->live, MPIPP_NO_HANDLE);
    if (filled && MPIPP_READ(object->references) == 0) {
      __atomic_store_n(&object->serial, 0, __ATOMIC_RELEASE);
      mpipp_registry_forget(object);
      return object;
    }
    mpipp_mark(object, MPIPP_FLAG_UNLISTED | MPIPP_FLAG_ENDED);
    if (filled && MPIPP_READ(object->references) == 0 && mpipp_registry_claim_recycling(object))
      mpipp_registry_recycle(&store->free, object); // its last reference was dropped in between
  }
  object = allocate(store);
  if (!object) return NULL;
  MPIPP_WRITE(object->handle, handle);
  put(store->slots, object);
  return object;
}

// Clears the record except for the private link, and the members that other threads may be reading.
static void clear(struct mpipp_object *object, enum mpipp_kind kind, uint64_t record_size) {
  object->kind = kind;
  MPIPP_WRITE(object->live, MPIPP_NO_HANDLE);
  MPIPP_WRITE(object->flags, 0);
  MPIPP_WRITE(object->references, 0);
  memset(&object->fint, 0, record_size - offsetof(struct mpipp_object, fint));
}

static uint64_t frames(uint64_t wanted) {
  void *stack[MAX_FRAMES];
  int depth = backtrace(stack, MAX_FRAMES);
  int first = 0; // the first frame to keep: this library's own frames are skipped
  while (first < depth && mpipp_abi_is_own(stack[first])) first++;
  uint64_t count = (uint64_t)(depth - first) < wanted ? (uint64_t)(depth - first) : wanted;
  uint64_t *copy = mpipp_registry_allocate((count + 1) * sizeof *copy);
  if (!copy) return 0;
  copy[0] = count;
  for (uint64_t i = 0; i < count; i++) copy[i + 1] = (uint64_t)(uintptr_t)stack[first + (int)i];
  return (uint64_t)(uintptr_t)copy;
}

static void *claim_record(enum mpipp_kind kind, uint64_t handle, uint64_t caller, int listed) {
  int saved = errno;
  struct mpipp_store *store = &mpipp_registry_stores[kind];
  uint64_t wanted = mpipp_registry.frames, stack = wanted ? frames(wanted) : 0;
  int locked = mpipp_lock_kind(kind);
  struct mpipp_object *object = listed ? claim(store, handle) : allocate(store);
  if (object) clear(object, kind, store->table->record_size);
  mpipp_unlock_kind(locked);
  errno = saved;
  if (!object) {
    mpipp_registry_free((void *)(uintptr_t)stack);
    mpipp_registry_count_loss();
    return NULL;
  }
  MPIPP_WRITE(object->handle, handle);
  object->caller = mpipp_outside_mpi(caller);
  object->frames = stack;
  return object;
}

void *mpipp_registry_claim(enum mpipp_kind kind, uint64_t handle, uint64_t caller) {
  return claim_record(kind, handle, caller, 1);
}

void *mpipp_registry_claim_without_handle(enum mpipp_kind kind, uint64_t handle, uint64_t caller) {
  return claim_record(kind, handle, caller, 0);
}

void *mpipp_registry_find_locked(enum mpipp_kind kind, uint64_t handle) {
  struct mpipp_slots *slots = mpipp_registry_stores[kind].slots;
  if (MPIPP_UNLIKELY(!slots)) return NULL;
  const struct mpipp_slot *first = mpipp_first_slot(slots, handle);
  int is_first = MPIPP_LIKELY(first->handle == handle && first->record > 1);
  uint64_t record = is_first ? first->record : slot_of(slots, handle)->record;
  return record > 1 ? (void *)(uintptr_t)record : NULL;
}

int mpipp_registry_may_ask(enum mpipp_kind kind, uint64_t handle) {
  const struct mpipp_object *object = mpipp_find(kind, handle);
  if (object) return !(MPIPP_READ(object->flags) & MPIPP_FLAG_ENDED);
  return kind != MPIPP_DATATYPE || !mpipp_registry_freed_handles_has(handle);
}

void mpipp_registry_note_new_handle(enum mpipp_kind kind, uint64_t handle) {
  struct mpipp_store *store = &mpipp_registry_stores[kind];
  int locked = mpipp_lock_kind(kind);
  struct mpipp_slot *slot = store->slots ? slot_of(store->slots, handle) : NULL;
  struct mpipp_object *object = slot && slot->record > 1 ? (void *)(uintptr_t)slot->record : NULL;
  if (object && MPIPP_READ(object->serial) && MPIPP_READ(object->flags) & MPIPP_FLAG_ENDED) {
    __atomic_store_n(&slot->record, 1, __ATOMIC_RELEASE);
    mpipp_mark(object, MPIPP_FLAG_UNLISTED);
    if (MPIPP_READ(object->references) == 0 && mpipp_registry_claim_recycling(object))
      mpipp_registry_recycle(&store->free, object);
  }
  if (kind == MPIPP_DATATYPE) mpipp_registry_freed_handles_remove(handle);
  mpipp_unlock_kind(locked);
}

int mpipp_registry_list_locked(void *object) {
  struct mpipp_store *store = &mpipp_registry_stores[((struct mpipp_object *)object)->kind];
  if (!has_room(store)) return 0;
  put(store->slots, object);
  return 1;
}

static int is_constant(const struct mpipp_object *object) {
  return (MPIPP_READ(object->flags) & (MPIPP_FLAG_PREDEFINED | MPIPP_FLAG_NULL)) != 0;
}

void mpipp_registry_publish(void *record) {
  struct mpipp_object *object = record;
  static uint64_t serials[MPIPP_KINDS];
  uint64_t *last = &serials[object->kind];
  mpipp_begin_unlocked();
  uint64_t serial = mpipp_is_single_threaded(object->kind)
                        ? ++*last
                        : __atomic_add_fetch(last, 1, __ATOMIC_RELAXED);
  mpipp_end_unlocked();
  MPIPP_WRITE(object->live, object->handle);
  __atomic_store_n(&object->serial, serial, __ATOMIC_RELEASE);
  if (MPIPP_UNLIKELY(MPIPP_READ(mpipp_registry_listening)) && !is_constant(object))
    mpipp_registry_event_sink(MPIPP_EVENT_MADE, object, 0);
}

uint64_t mpipp_registry_serial_of(enum mpipp_kind kind, uint64_t handle) {
  struct mpipp_object *object = mpipp_find_live(kind, handle);
  return object ? MPIPP_READ(object->serial) : 0;
}

// Called before the record can be recycled; a reference prevents that.
static MPIPP_COLD void report_free(struct mpipp_object *object, uint64_t handle, uint64_t serial) {
  uint64_t record = (uint64_t)(uintptr_t)object;
  int locked = mpipp_lock_kind(object->kind);
  int ends = (serial == MPIPP_ANY_SERIAL || MPIPP_READ(object->serial) == serial) &&
             !object->holders && mpipp_registry_refer_locked(record, handle);
  mpipp_unlock_kind(locked);
  if (!ends) return;
  mpipp_registry_event_sink(MPIPP_EVENT_FREED, object, 0);
  locked = mpipp_lock_kind(object->kind);
  mpipp_registry_unrefer_locked(record);
  mpipp_unlock_kind(locked);
}

static MPIPP_COLD void forget_unknown(enum mpipp_kind kind, uint64_t handle) {
  if (kind != MPIPP_DATATYPE || mpipp_find(kind, handle)) return;
  int locked = mpipp_lock_kind(kind);
  mpipp_registry_freed_handles_add(handle);
  mpipp_unlock_kind(locked);
}

void mpipp_registry_note_free(enum mpipp_kind kind, uint64_t handle, uint64_t serial,
                              uint64_t caller) {
  struct mpipp_object *object = mpipp_find_live(kind, handle);
  if (!object) forget_unknown(kind, handle);
  if (!object || is_constant(object)) return;
  if (MPIPP_UNLIKELY(MPIPP_READ(mpipp_registry_listening))) report_free(object, handle, serial);
  // Without the lock, the record might be recycled for another object after the comparison.
  int locked = mpipp_lock_kind(kind);
  if (serial == MPIPP_ANY_SERIAL || MPIPP_READ(object->serial) == serial) {
    if (object->holders > 0)
      object->holders--;
    else {
      MPIPP_WRITE(object->live, MPIPP_NO_HANDLE);
      MPIPP_WRITE(object->freed, mpipp_outside_mpi(caller));
      mpipp_mark(object, MPIPP_FLAG_ENDED);
    }
  }
  mpipp_unlock_kind(locked);
}

int mpipp_registry_is_constant(enum mpipp_kind kind, uint64_t handle) {
  const struct mpipp_object *object = mpipp_find_live(kind, handle);
  return object && is_constant(object);
}

int mpipp_registry_add_handle(enum mpipp_kind kind, uint64_t handle) {
  struct mpipp_object *object = mpipp_registry_lock_live(kind, handle);
  if (object && !is_constant(object)) object->holders++;
  mpipp_registry_unlock();
  return object != NULL;
}

static int is_lasting(const struct mpipp_object *object) {
  return MPIPP_READ(object->flags) & MPIPP_FLAG_PREDEFINED;
}

int mpipp_registry_refer_locked(uint64_t record, uint64_t handle) {
  struct mpipp_object *object = (void *)(uintptr_t)record;
  if (!object || MPIPP_READ(object->handle) != handle || !MPIPP_READ(object->serial)) return 0;
  if (!is_lasting(object)) __atomic_add_fetch(&object->references, 1, __ATOMIC_RELAXED);
  return 1;
}

static int drop_reference(struct mpipp_object *object) {
  return object && !is_lasting(object) &&
         __atomic_sub_fetch(&object->references, 1, __ATOMIC_ACQ_REL) == 0 &&
         mpipp_registry_claim_recycling(object);
}

void mpipp_registry_unrefer_locked(uint64_t record) {
  struct mpipp_object *object = (void *)(uintptr_t)record;
  if (drop_reference(object))
    mpipp_registry_recycle(&mpipp_registry_stores[object->kind].free, object);
}

void mpipp_registry_discard_locked(void *record) {
  struct mpipp_object *object = record;
  mpipp_registry_recycle(&mpipp_registry_stores[object->kind].free, object);
}
