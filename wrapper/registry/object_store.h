// SPDX-License-Identifier: MIT
// The storage of records: pools of fixed-size records that never move, found by handle.
#ifndef MPIPP_REGISTRY_OBJECT_STORE_H
#define MPIPP_REGISTRY_OBJECT_STORE_H

#include "abi/seam.h"
#include "registry/allocator.h"
#include "registry/records.h"
#include "registry/root.h"

// So likely that no register should be kept for the other case.
#if __GNUC__ >= 9 && !defined(__clang__)
#define MPIPP_LIKELY(x) __builtin_expect_with_probability(!!(x), 1, 0.9999)
#define MPIPP_UNLIKELY(x) __builtin_expect_with_probability(!!(x), 0, 0.9999)
#else
#define MPIPP_LIKELY(x) __builtin_expect(!!(x), 1)
#define MPIPP_UNLIKELY(x) __builtin_expect(!!(x), 0)
#endif

// Access to data that another thread may read or write at the same time.
#define MPIPP_READ(PLACE) __atomic_load_n(&(PLACE), __ATOMIC_ACQUIRE)
#define MPIPP_WRITE(PLACE, VALUE) __atomic_store_n(&(PLACE), VALUE, __ATOMIC_RELAXED)

// The place in the program of a thread's call, as far as that thread has found it itself. It is
// beyond layers of MPI, or a line of Python. Takes no lock.
static inline uint64_t mpipp_call_place(const struct mpipp_thread *thread) {
  int is_known = MPIPP_READ(thread->place_serial) == thread->call.serial;
  return is_known ? MPIPP_READ(thread->place) : MPIPP_READ(thread->call.caller);
}

// For data shared by this library's files: reached without the global offset table.
#define MPIPP_HIDDEN __attribute__((visibility("hidden")))

// For functions that are called in unusual cases only: no registers are kept for them.
#define MPIPP_COLD __attribute__((cold, noinline))

struct mpipp_slots {
  uint64_t mask;
  uint64_t offsets; // the same in bytes
  uint64_t used;    // slots that do not end a probe
  uint64_t padding;
  struct mpipp_slot slot[];
};

// The records of one kind. The public side is the registry's table.
struct mpipp_store {
  struct mpipp_slots *slots;
  uint64_t rebuilds;         // of the slots: odd while they are being replaced
  struct mpipp_slots *spare; // the table replaced last, kept for threads that still probe it
  uint64_t spare_capacity;
  struct mpipp_object *free;
  struct mpipp_chunk *last;
  struct mpipp_table *table;
};
extern struct mpipp_store mpipp_registry_stores[MPIPP_KINDS] MPIPP_SEAM_DATA(mpipp_registry_stores);
// Once the registry is open. forget: the recorders' function that frees the memory of a record and
// drops its references; with the lock held.
void mpipp_registry_open_stores(void (*forget)(struct mpipp_object *object));

#define MPIPP_NO_HANDLE (~(uint64_t)0)
#define MPIPP_HASH 0x9E3779B97F4A7C15u

static inline uint64_t mpipp_hash(uint64_t handle) {
  return (handle * MPIPP_HASH) >> 32;
}

// Where the probe for a handle begins: slot[mpipp_hash(handle) & mask], with fewer shifts.
static inline const struct mpipp_slot *mpipp_slot_at(const struct mpipp_slots *slots,
                                                     uint64_t handle, uint64_t offsets) {
  uint64_t hash = handle * MPIPP_HASH >> (32 - 4) & offsets;
  return (const struct mpipp_slot *)((const char *)slots->slot + hash);
}
static inline const struct mpipp_slot *mpipp_first_slot(const struct mpipp_slots *slots,
                                                        uint64_t handle) {
  return mpipp_slot_at(slots, handle, MPIPP_READ(slots->offsets));
}

// Takes the lock and returns the live record of a handle, which may be changed until
// mpipp_registry_unlock; NULL if there is none.
MPIPP_SEAM void *mpipp_registry_lock_live(enum mpipp_kind kind, uint64_t handle);

// 1 once several threads have called MPI, at any thread level: from then on the lock is taken for
// datatypes and requests, too.
extern int mpipp_registry_several_threads MPIPP_SEAM_DATA(mpipp_registry_several_threads);
// The requests' slots while one thread alone has called MPI; else empty slots.
extern const struct mpipp_slots *mpipp_registry_unshared_requests MPIPP_HIDDEN;
// 1 while that thread changes datatypes or requests without the lock: for a short time, and not
// across MPI calls.
extern int mpipp_registry_is_unlocked MPIPP_SEAM_DATA(mpipp_registry_is_unlocked);

// A second thread is about to call MPI; the first one works with the lock when this returns.
void mpipp_registry_share(void);
// Call it when the direct use of the requests' slots may have to end.
void mpipp_registry_set_unshared_requests(void);

static inline int mpipp_is_single_threaded(uint32_t kind) {
  return kind <= MPIPP_REQUEST && !MPIPP_READ(mpipp_registry_several_threads);
}

// A later read decides whether the thread is alone: see mpipp_registry_share.
static inline void mpipp_begin_unlocked(void) {
  MPIPP_WRITE(mpipp_registry_is_unlocked, 1);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
static inline void mpipp_end_unlocked(void) {
  __atomic_store_n(&mpipp_registry_is_unlocked, 0, __ATOMIC_RELEASE);
}

// Takes the lock if there may be other threads. It guards the records of all requests: the holder
// owns each. Nothing less would do, because MPI reuses a handle before the thread that completed
// the former operation has recorded that. So two threads may be about to change one record. Returns
// the argument for mpipp_unlock_kind.
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

// The record in a slot, if it is this handle's and not being changed. Records are never unmapped.
static inline struct mpipp_object *mpipp_in_slot(const struct mpipp_slot *slot, uint64_t handle) {
  uint64_t record = MPIPP_READ(slot->record);
  struct mpipp_object *object = (void *)(uintptr_t)record;
  return MPIPP_LIKELY(record > 1 && MPIPP_READ(object->handle) == handle &&
                      MPIPP_READ(object->serial))
             ? object
             : (void *)0;
}

// The slow path of mpipp_find, when the first slot has another record.
MPIPP_SEAM void *mpipp_registry_find_slow(enum mpipp_kind kind, uint64_t handle);

// The record of a handle (freed ones included), or NULL. Takes no lock: a record that another
// thread is changing counts as not found.
static inline void *mpipp_find(enum mpipp_kind kind, uint64_t handle) {
  const struct mpipp_slots *slots =
      __atomic_load_n(&mpipp_registry_stores[kind].slots, __ATOMIC_ACQUIRE);
  if (MPIPP_UNLIKELY(!slots)) return (void *)0;
  struct mpipp_object *object = mpipp_in_slot(mpipp_first_slot(slots, handle), handle);
  return MPIPP_LIKELY(object != (void *)0) ? object : mpipp_registry_find_slow(kind, handle);
}

// Like mpipp_find, and NULL for a freed one.
static inline void *mpipp_find_live(enum mpipp_kind kind, uint64_t handle) {
  struct mpipp_object *object = mpipp_find(kind, handle);
  return object && !(MPIPP_READ(object->flags) & MPIPP_FLAG_ENDED) ? object : (void *)0;
}

// The one rule for this library's own calls of MPI with a handle of the program: never with a
// handle that is recorded as freed. MPI may crash then, even if it accepts the call itself.
int mpipp_registry_may_ask(enum mpipp_kind kind, uint64_t handle);
// MPI has returned a handle for an object of which nothing is recorded: the freed object that had
// the handle before no longer has it.
void mpipp_registry_note_new_handle(enum mpipp_kind kind, uint64_t handle);

// An empty record for a new object with that handle, serial 0. The former one with the same handle
// becomes unreachable by handle, or is reused if nothing refers to it. NULL: no memory.
void *mpipp_registry_claim(enum mpipp_kind kind, uint64_t handle, uint64_t caller);
// An empty record without a handle yet.
void *mpipp_registry_claim_without_handle(enum mpipp_kind kind, uint64_t handle, uint64_t caller);
// With the lock held: the record of a handle, even one that is being changed, or NULL; and sets it
// to another. Returns 0 without memory.
MPIPP_SEAM void *mpipp_registry_find_locked(enum mpipp_kind kind, uint64_t handle);
int mpipp_registry_list_locked(void *object);
// Sets flags of a record.
static inline void mpipp_mark(struct mpipp_object *object, uint32_t flags) {
  if (mpipp_is_single_threaded(object->kind))
    __atomic_store_n(&object->flags, object->flags | flags, __ATOMIC_RELEASE);
  else
    __atomic_or_fetch(&object->flags, flags, __ATOMIC_SEQ_CST);
}
// Stands for a missing record; no handle denotes it.
extern struct mpipp_object mpipp_registry_no_object MPIPP_HIDDEN;
// Makes a claimed and filled record visible.
void mpipp_registry_publish(void *object);
// The serial of the live object with that handle, 0 if there is none.
uint64_t mpipp_registry_serial_of(enum mpipp_kind kind, uint64_t handle);
// The serial for mpipp_registry_note_free after the call; not looked up if no other thread can come
// in between.
#define MPIPP_ANY_SERIAL (~(uint64_t)0)
static inline uint64_t mpipp_serial_before(enum mpipp_kind kind, uint64_t handle) {
  return mpipp_is_single_threaded(kind) ? MPIPP_ANY_SERIAL : mpipp_registry_serial_of(kind, handle);
}
// The user freed the object; its record stays until the memory is needed. Another thread may
// already have got the handle: nothing is done then. caller: return address of the call.
void mpipp_registry_note_free(enum mpipp_kind kind, uint64_t handle, uint64_t serial,
                              uint64_t caller);
// Returns whether the handle is predefined or null.
MPIPP_SEAM int mpipp_registry_is_constant(enum mpipp_kind kind, uint64_t handle);
// One more handle to a known object was returned; returns 0 if it is unknown.
int mpipp_registry_add_handle(enum mpipp_kind kind, uint64_t handle);

// A record that refers to another keeps it from being recycled; with the lock held if there may be
// other threads. Addresses; 0 is ignored. Returns whether the record is still that handle's: one
// that was looked up before may have been recycled since, and is not referred to.
int mpipp_registry_refer_locked(uint64_t record, uint64_t handle);
void mpipp_registry_unrefer_locked(uint64_t record);

// Recycles a record that is not reachable by handle.
void mpipp_registry_discard_locked(void *object);

#endif
