// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "buffer_guard/faults/faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "buffer_guard/faults/sigsegv_handler.h"
#include "buffer_guard/memory/locked_pages.h"
#include "buffer_guard/memory/pages.h"
#include "buffer_guard/memory/stacks.h"
#include "buffer_guard/operations/pending.h"
#include "buffer_guard/platform/safe_access.h"
#include "recorder/threads/threads.h"
#include "registry/registry.h"
#include "watcher_client/collective_mismatch.h"

enum { ROOM = 64, FRAMES = 32, STORE = 2, FETCH = 16, STOPS = 64, DEEP = 4, TOUCHED = 256 };

static struct mpipp_touch *touches; // recorded accesses that are not reported yet
uint64_t mpipp_guard_faults_count;
int (*mpipp_guard_faults_first_handler)(uint64_t address, void *context);
static uint64_t touched[TOUCHED]; // serials of the last operations whose buffers were accessed

int mpipp_guard_walks_stacks;
static int stops = 0; // 1: the process stops at each finding
#define OF_THREAD static __thread __attribute__((tls_model("initial-exec")))
OF_THREAD uint64_t expected_address, expected_bytes; // range of an access that is not recorded

int mpipp_guard_faults_open(void) {
#ifdef __x86_64__
  mpipp_registry_lock();
  touches = mpipp_registry_allocate(ROOM * sizeof *touches);
  mpipp_registry_unlock();
  if (!touches) return 0;
  memset(touches, 0, ROOM * sizeof *touches); // the memory may have had a query before
  struct mpipp_table *table = mpipp_registry_touch_table();
  table->entries = (uintptr_t)touches;
  __atomic_store_n(&table->count, ROOM, __ATOMIC_RELEASE);
  stops = getenv("MPIPP_STOP") != NULL;
  return 1;
#else
  return 0;
#endif
}

static int has_fault_kind(const ucontext_t *context, long long kind) {
#ifdef __x86_64__
  return (context->uc_mcontext.gregs[REG_ERR] & kind) != 0;
#else
  (void)context;
  (void)kind;
  return 0;
#endif
}

// Loads do not fault on a page that may be read, so a fault there is a store.
static int is_store(const ucontext_t *context) {
  return has_fault_kind(context, STORE);
}

static uint64_t instruction(const ucontext_t *context) {
#ifdef __x86_64__
  return (uint64_t)context->uc_mcontext.gregs[REG_RIP];
#else
  (void)context;
  return 0;
#endif
}

// Stores the return addresses of the callers of an instruction, without this function and the
// system's frames. context: the signal handler's, or NULL.
static uint64_t walk(uint64_t pc, const void *context, uint64_t *callers) {
  void *stack[FRAMES];
  int walks = mpipp_guard_walks_stacks && (!context || mpipp_guard_can_walk(context));
  int depth = walks ? backtrace(stack, FRAMES) : 0, first = 0;
  while (first < depth && (uint64_t)(uintptr_t)stack[first] != pc) first++;
  uint64_t count = 0;
  for (int i = first + 1; i < depth && count < MPIPP_TOUCH_CALLERS; i++)
    callers[count++] = (uint64_t)(uintptr_t)stack[i];
  return count;
}

static int claim(struct mpipp_touch *touch, uint32_t as) {
  return __atomic_compare_exchange_n(&touch->state, &as, MPIPP_TOUCH_BUSY, 0, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED);
}

static void set_state(struct mpipp_touch *touch, enum mpipp_touch_state state) {
  if (state == MPIPP_TOUCH_NONE) __atomic_fetch_sub(&mpipp_guard_faults_count, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&touch->state, state, __ATOMIC_RELEASE);
}

static int is_same_place(const struct mpipp_touch *one, const struct mpipp_touch *other) {
  if (one->stores != other->stores || one->instruction != other->instruction ||
      one->count != other->count)
    return 0;
  return memcmp(one->callers, other->callers, one->count * sizeof *one->callers) == 0;
}

// Returns whether an equal access is already recorded, from another page, or for a few other
// operations of the same place. So a loop over many operations leaves capacity for accesses from
// other code.
static int is_repeated(const struct mpipp_touch *touch) {
  enum { FEW = 4 };
  int alike = 0;
  for (int i = 0; i < ROOM && alike < FEW; i++) {
    const struct mpipp_touch *other = &touches[i];
    if (__atomic_load_n(&other->state, __ATOMIC_ACQUIRE) != MPIPP_TOUCH_WHOLE ||
        !is_same_place(touch, other))
      continue;
    if (touch->serial == other->serial) return 1;
    alike += touch->cover && touch->cover == other->cover;
  }
  return alike == FEW;
}

int mpipp_guard_was_accessed(uint64_t serial) {
  return __atomic_load_n(&touched[serial % TOUCHED], __ATOMIC_RELAXED) == serial;
}

// Records an access by the instruction at an address on the stack. Returns NULL if the access was
// recorded before, or the table is full. The records before it are reported. context: as for
// `walk`.
static struct mpipp_touch *record(const struct mpipp_touch *found, uint64_t at,
                                  const void *context) {
  int i = 0;
  __atomic_store_n(&touched[found->serial % TOUCHED], found->serial, __ATOMIC_RELAXED);
  while (i < ROOM && !claim(&touches[i], MPIPP_TOUCH_NONE)) i++;
  if (i == ROOM) {
    __atomic_fetch_add(&mpipp_registry.untold, 1, __ATOMIC_RELAXED);
    return NULL;
  }
  struct mpipp_touch *touch = &touches[i];
  __atomic_fetch_add(&mpipp_guard_faults_count, 1, __ATOMIC_RELAXED);
  touch->moved = MPIPP_MOVED_UNKNOWN;
  touch->place = 0;
  MPIPP_WRITE(touch->serial, found->serial);
  touch->request = found->request;
  touch->address = found->address;
  touch->stores = found->stores;
  touch->bytes = found->bytes;
  touch->cover = found->cover;
  touch->tid = (uint64_t)syscall(SYS_gettid);
  touch->instruction = found->instruction;
  touch->frames = (uintptr_t)&touch->count;
  touch->count = walk(at, context, touch->callers);
  if (is_repeated(touch)) {
    set_state(touch, MPIPP_TOUCH_NONE);
    return NULL;
  }
  touch->receives = found->receives;
  touch->sum = found->sum;
  set_state(touch, MPIPP_TOUCH_WHOLE);
  return touch;
}

static struct mpipp_touch *record_fault(const struct mpipp_guarded_operation *guarded,
                                        uint32_t part, uint64_t address,
                                        const ucontext_t *context) {
  struct mpipp_touch found = {.serial = guarded->serial,
                              .request = guarded->request,
                              .address = address,
                              .stores = (uint32_t)is_store(context),
                              .instruction = instruction(context),
                              .cover = (uintptr_t)guarded->cover,
                              .receives = guarded->parts[part].writes};
  if (found.receives && !found.stores) found.sum = mpipp_guard_pages_sum(mpipp_page_down(address));
  return record(&found, found.instruction, context);
}

// Returns whether this is the first access from its place, as far as the small table remembers.
static int is_new(const struct mpipp_touch *touch, uint64_t buffer) {
  static uint64_t known[STOPS];
  uint64_t sum = touch->instruction ^ buffer * 0x9E3779B97F4A7C15u;
  for (uint64_t i = 0; i < DEEP && i < touch->count; i++)
    sum = (sum ^ touch->callers[i]) * 0xBF58476D1CE4E5B9u;
  uint64_t *place = &known[sum >> 32 & (STOPS - 1)];
  return __atomic_exchange_n(place, sum, __ATOMIC_RELAXED) != sum;
}

// Lets the watcher report the access now, and stops the process before the access.
static void stop_at(struct mpipp_touch *touch, uint64_t buffer) {
  if (!is_new(touch, buffer) ||
      mpipp_watcher_report_access(mpipp_registry.pid, touch->tid, (uintptr_t)touch))
    set_state(touch, MPIPP_TOUCH_NONE);
}

void mpipp_guard_faults_expect(uint64_t address, uint64_t bytes) {
  expected_address = address;
  expected_bytes = bytes;
}

void mpipp_guard_faults_record(const struct mpipp_touch *found, uint64_t next, uint64_t buffer) {
  struct mpipp_touch *touch = touches ? record(found, next, NULL) : NULL;
  if (touch && stops) stop_at(touch, buffer);
}

// Returns whether a page that belongs to no operation faults for the first time. Then another
// thread may just have completed the operation, or exchanged the page, and the access is repeated.
static int is_first_fault(uint64_t address, uint64_t pc) {
  static __thread uint64_t last[2] __attribute__((tls_model("initial-exec")));
  int first = last[0] != address || last[1] != pc;
  last[0] = first ? address : 0;
  last[1] = pc;
  return first;
}

// Returns whether to repeat the instruction. The operation may be complete while its thread has not
// yet opened all pages. The fault then repeats until that thread runs again.
static int may_be_completed(const siginfo_t *info, const ucontext_t *context) {
  uint64_t address = (uint64_t)(uintptr_t)info->si_addr, page = mpipp_page_down(address);
  if (info->si_code != SEGV_ACCERR || has_fault_kind(context, FETCH)) return 0;
  if (is_first_fault(address, instruction(context))) return 1;
  return mpipp_guard_pages_have_exchanged(page, page + MPIPP_PAGE) &&
         mpipp_guard_page_may_exist(address) &&
         !mpipp_guard_is_protected(page, page + MPIPP_PAGE) &&
         mpipp_guard_pages_allow(page, page + MPIPP_PAGE, MPIPP_ALLOW_ALL);
}

// Returns whether the program's own handler runs first: it may open memory into which MPI has
// received data.
static int program_comes_first(const siginfo_t *info, const ucontext_t *context) {
  return info->si_code == SEGV_ACCERR && is_store(context) && mpipp_guard_program_has_handler() &&
         mpipp_guard_try_asks_program((uint64_t)(uintptr_t)info->si_addr);
}

// Handles an access to a buffer of a pending operation. The program continues after the access.
static void handle_access(const struct mpipp_guarded_operation *guarded, uint32_t part,
                          uint64_t address, const ucontext_t *context) {
  const struct mpipp_thread *thread = mpipp_recorder_self;
  // MPI's own access; the call filter reports it.
  int inside = thread != &mpipp_recorder_no_thread && thread->depth;
  int told = inside || address - expected_address < expected_bytes;
  struct mpipp_touch *touch = told ? NULL : record_fault(guarded, part, address, context);
  if (touch && stops) {
    stop_at(touch, guarded->parts[part].bytes.low);
    mpipp_guard_alias_open(
        guarded->parts[part].alias); // a debugger would stop at each page's fault
  }
  uint64_t page = mpipp_page_down(address);
  // To open a single page may need more mappings than the system allows. To open all pages needs
  // none.
  if (!mpipp_guard_pages_allow(page, page + MPIPP_PAGE, MPIPP_ALLOW_ALL))
    mpipp_guard_alias_open(guarded->parts[part].alias);
}

// Returns whether the guard has handled the fault, so that the program gets no signal.
static int is_handled(const siginfo_t *info, void *context) {
  uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
  uint32_t part = 0;
  if (info->si_code <= 0) return 0;
  if (mpipp_guard_faults_first_handler && mpipp_guard_faults_first_handler(address, context))
    return 1;
  if (mpipp_guard_pages_await(address)) return 1;
  const struct mpipp_guarded_operation *guarded = mpipp_guard_find_address(address, &part);
  if (guarded) handle_access(guarded, part, address, context);
  if (guarded) return 1;
  if (program_comes_first(info, context)) return 0;
  return mpipp_guard_try_abandon(context) || may_be_completed(info, context);
}

static void handle(int number, siginfo_t *info, void *context) {
  int saved = errno;
  if (!is_handled(info, context)) {
    // The handler's own faults are not part of that work.
    struct mpipp_try work = mpipp_guard_try_suspend();
    mpipp_guard_handler_pass_on(number, info, context);
    mpipp_guard_try_resume(work);
  }
  errno = saved;
}

void mpipp_guard_faults_prepare(void) {
  void *stack[FRAMES];
  backtrace(stack, FRAMES); // the first call loads a library, which takes locks
  mpipp_guard_walks_stacks = dlsym(RTLD_DEFAULT, "_dl_find_object") != NULL;
}

void mpipp_guard_faults_catch(void) {
  mpipp_guard_handler_install(handle);
}

void mpipp_guard_faults_refresh(void) {
  static struct timespec last;
  struct timespec now;
  if (clock_gettime(CLOCK_MONOTONIC_COARSE, &now) == 0 && now.tv_sec == last.tv_sec &&
      now.tv_nsec == last.tv_nsec)
    return;
  last = now;
  mpipp_guard_faults_catch();
}

// The program may have freed memory before the first comparison reads it.
__attribute__((constructor)) static void catch_for_careful_work(void) {
  mpipp_guard_try_begins = mpipp_guard_faults_refresh;
}

void mpipp_guard_faults_visit(uint64_t serial, int (*tell)(struct mpipp_touch *touch, void *with),
                              void *with) {
  for (int i = 0; i < ROOM; i++) {
    struct mpipp_touch *touch = &touches[i];
    if ((serial && MPIPP_READ(touch->serial) != serial) || !claim(touch, MPIPP_TOUCH_WHOLE))
      continue;
    int is_told = (!serial || touch->serial == serial) && tell(touch, with);
    set_state(touch, is_told ? MPIPP_TOUCH_NONE : MPIPP_TOUCH_WHOLE);
  }
}
