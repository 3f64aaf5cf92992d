// SPDX-License-Identifier: MIT
// The storage of object records: pools of records of fixed size. Records never move, and are found
// by handle.
#ifndef MPIPP_REGISTRY_OBJECT_STORE_H
#define MPIPP_REGISTRY_OBJECT_STORE_H

#include "abi/compilers.h"
#include "abi/seam.h"
#include "registry/allocator.h"
#include "registry/records.h"
#include "registry/root.h"

// The place in the program of the thread's current call. The place is beyond MPI's own layers, or a
// line of Python. Only the thread itself can determine the place; until then, the result is the
// caller. Takes no lock.
static inline uint64_t mpipp_call_place(const struct mpipp_thread *thread) {
  int is_known = MPIPP_READ(thread->place_serial) == thread->call.serial;
  return is_known ? MPIPP_READ(thread->place) : MPIPP_READ(thread->call.caller);
}

// For data shared by the files of this library: hidden, so that it is reached without the global
// offset table.
#define MPIPP_HIDDEN __attribute__((visibility("hidden")))

// For functions that are rarely called, so that their callers save no registers for them.
#define MPIPP_COLD __attribute__((cold, noinline))

struct mpipp_slots {
  uint64_t mask;
  uint64_t offsets; // the mask, multiplied by the size of a slot
  uint64_t used;    // number of slots that do not end a probe
  uint64_t padding;
  struct mpipp_slot slot[];
};

// The records of one kind. The registry's table is the part that readers see.
struct mpipp_store {
  struct mpipp_slots *slots;
  uint64_t rebuilds;         // number of times that the slots were replaced, counted before and
                             // after: odd during a replacement
  struct mpipp_slots *spare; // the table that was replaced last, kept for threads that still probe
                             // it
  uint64_t spare_capacity;
  struct mpipp_object *free;
  struct mpipp_chunk *last;
  struct mpipp_table *table;
};
extern struct mpipp_store mpipp_registry_stores[MPIPP_KINDS] MPIPP_SEAM_DATA(mpipp_registry_stores);
// Opens the stores when the registry is open. forget: a function of the recorder that frees the
// memory of a record, and drops its references; it is called with the lock held.
void mpipp_registry_open_stores(void (*forget)(struct mpipp_object *object));

#define MPIPP_HASH 0x9E3779B97F4A7C15u

static inline uint64_t mpipp_hash(uint64_t handle) {
  return (handle * MPIPP_HASH) >> 32;
}

// The slot where the probe for a handle begins: slot[mpipp_hash(handle) & mask], computed with
// fewer shifts.
static inline const struct mpipp_slot *mpipp_slot_at(const struct mpipp_slots *slots,
                                                     uint64_t handle, uint64_t offsets) {
  uint64_t hash = handle * MPIPP_HASH >> (32 - 4) & offsets;
  return (const struct mpipp_slot *)((const char *)slots->slot + hash);
}
static inline const struct mpipp_slot *mpipp_first_slot(const struct mpipp_slots *slots,
                                                        uint64_t handle) {
  return mpipp_slot_at(slots, handle, MPIPP_READ(slots->offsets));
}

// Takes the lock, and returns the live record of a handle; NULL if there is none. The caller may
// change the record, and must call mpipp_registry_unlock.
MPIPP_SEAM void *mpipp_registry_lock_live(enum mpipp_kind kind, uint64_t handle);

// 1 when more than one thread has called MPI, at any thread level. From then on the lock is taken
// for datatypes and requests, too.
extern int mpipp_registry_several_threads MPIPP_SEAM_DATA(mpipp_registry_several_threads);
// The requests' slots while one thread alone has called MPI; otherwise an empty table.
extern const struct mpipp_slots *mpipp_registry_unshared_requests MPIPP_HIDDEN;
// 1 while the single thread changes datatypes or requests without the lock. It is 1 only for a
// short time, and never during an MPI call.
extern int mpipp_registry_is_unlocked MPIPP_SEAM_DATA(mpipp_registry_is_unlocked);

// Called by a second thread before its first MPI call. When it returns, the first thread works with
// the lock.
void mpipp_registry_share(void);
// Updates mpipp_registry_unshared_requests. Call it when one of its conditions may have changed.
void mpipp_registry_set_unshared_requests(void);

static inline int mpipp_is_single_threaded(uint32_t kind) {
  return kind <= MPIPP_REQUEST && !MPIPP_READ(mpipp_registry_several_threads);
}

// The mark must be set before mpipp_registry_several_threads is read: see mpipp_registry_share.
static inline void mpipp_begin_unlocked(void) {
  MPIPP_WRITE(mpipp_registry_is_unlocked, 1);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
static inline void mpipp_end_unlocked(void) {
  __atomic_store_n(&mpipp_registry_is_unlocked, 0, __ATOMIC_RELEASE);
}

// Takes the lock if there may be other threads. For requests it guards all records together.
// Separate locks for each thread's requests would not be enough: MPI reuses a handle before the
// thread that completed the old operation has recorded that. So two threads may be about to change
// one record. Returns the argument for mpipp_unlock_kind.
static inline int mpipp_lock_kind(uint32_t kind) {
  mpipp_begin_unlocked();
  if (mpipp_is_single_threaded(kind)) return 0;
  mpipp_end_unlocked();
  mpipp_registry_lock();
  return 1;
}
static inline void mpipp_unlock_kind(int locked) {
  if (locked)
    mpipp_registry_unlock();
  else
    mpipp_end_unlocked();
}

// The record in a slot if it has this handle, and is not being changed; else NULL. Records are
// never unmapped.
static inline struct mpipp_object *mpipp_in_slot(const struct mpipp_slot *slot, uint64_t handle) {
  uint64_t record = MPIPP_READ(slot->record);
  struct mpipp_object *object = (void *)(uintptr_t)record;
  return MPIPP_LIKELY(record > 1 && MPIPP_READ(object->handle) == handle &&
                      MPIPP_READ(object->serial))
             ? object
             : (void *)0;
}

// The slow path of mpipp_find, if the first slot has another handle.
MPIPP_SEAM void *mpipp_registry_find_slow(enum mpipp_kind kind, uint64_t handle);

// The record of a handle, even if the object is freed; NULL if there is none. Takes no lock: a
// record that another thread is changing counts as missing.
static inline void *mpipp_find(enum mpipp_kind kind, uint64_t handle) {
  const struct mpipp_slots *slots =
      __atomic_load_n(&mpipp_registry_stores[kind].slots, __ATOMIC_ACQUIRE);
  if (MPIPP_UNLIKELY(!slots)) return (void *)0;
  struct mpipp_object *object = mpipp_in_slot(mpipp_first_slot(slots, handle), handle);
  return MPIPP_LIKELY(object != (void *)0) ? object : mpipp_registry_find_slow(kind, handle);
}

// Like mpipp_find, but returns NULL for a freed object.
static inline void *mpipp_find_live(enum mpipp_kind kind, uint64_t handle) {
  struct mpipp_object *object = mpipp_find(kind, handle);
  return object && !(MPIPP_READ(object->flags) & MPIPP_FLAG_ENDED) ? object : (void *)0;
}

// Returns whether the recorder may call MPI with a handle of the program. The rule for all such
// calls: never with a handle that is recorded as freed. MPI may crash then, even if it accepts the
// handle in the program's call.
int mpipp_registry_may_ask(enum mpipp_kind kind, uint64_t handle);
// Takes a handle from the freed object that had it: MPI has returned the handle for an object that
// is not recorded.
void mpipp_registry_note_new_handle(enum mpipp_kind kind, uint64_t handle);

// An empty record, with serial 0, for a new object with that handle. The old record of the handle
// can no longer be found, or is reused if nothing refers to it. Returns NULL without memory.
void *mpipp_registry_claim(enum mpipp_kind kind, uint64_t handle, uint64_t caller);
// An empty record for an object whose handle is not known yet.
void *mpipp_registry_claim_without_handle(enum mpipp_kind kind, uint64_t handle, uint64_t caller);
// mpipp_registry_find_locked: the record of a handle, even one that is being changed; NULL if there
// is none. mpipp_registry_list_locked lets look-ups of the handle find this record. Returns 0
// without memory. The caller holds the lock.
MPIPP_SEAM void *mpipp_registry_find_locked(enum mpipp_kind kind, uint64_t handle);
int mpipp_registry_list_locked(void *object);
// Sets flags of a record.
static inline void mpipp_mark(struct mpipp_object *object, uint32_t flags) {
  if (mpipp_is_single_threaded(object->kind))
    __atomic_store_n(&object->flags, object->flags | flags, __ATOMIC_RELEASE);
  else
    __atomic_or_fetch(&object->flags, flags, __ATOMIC_SEQ_CST);
}
// The record that stands for a missing one. No handle leads to it.
extern struct mpipp_object mpipp_registry_no_object MPIPP_HIDDEN;
// Makes a claimed record visible after it was filled.
void mpipp_registry_publish(void *object);
// The serial of the live object with that handle, 0 if there is none.
uint64_t mpipp_registry_serial_of(enum mpipp_kind kind, uint64_t handle);
// The serial for mpipp_registry_note_free if no other thread can free the object. Then the serial
// need not be looked up before the call.
#define MPIPP_ANY_SERIAL (~(uint64_t)0)
static inline uint64_t mpipp_serial_before(enum mpipp_kind kind, uint64_t handle) {
  return mpipp_is_single_threaded(kind) ? MPIPP_ANY_SERIAL : mpipp_registry_serial_of(kind, handle);
}
// Notes that the program has freed the object. The object's record stays until its memory is
// needed. If another object already has the handle, nothing is done: the serial differs. caller:
// return address of the call.
void mpipp_registry_note_free(enum mpipp_kind kind, uint64_t handle, uint64_t serial,
                              uint64_t caller);
// Returns whether the handle is a predefined or a null handle.
MPIPP_SEAM int mpipp_registry_is_constant(enum mpipp_kind kind, uint64_t handle);
// Notes that MPI has returned one more reference to a known object with this handle. Returns 0 if
// the object is unknown.
int mpipp_registry_add_handle(enum mpipp_kind kind, uint64_t handle);

// A reference from one record to another, which keeps the other from being recycled. Records are
// passed by their addresses; 0 is ignored. mpipp_registry_refer_locked returns 0, and adds no
// reference, if the record was recycled since it was looked up, so that it no longer has this
// handle. The caller holds the lock if there may be other threads.
int mpipp_registry_refer_locked(uint64_t record, uint64_t handle);
void mpipp_registry_unrefer_locked(uint64_t record);

// Recycles a record that no handle reaches.
void mpipp_registry_discard_locked(void *object);

#endif
