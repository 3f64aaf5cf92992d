// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "rma_page_trace/window_pages.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "abi/mpi_symbols.h"
#include "buffer_guard/faults/faults.h"
#include "buffer_guard/memory/pages.h"
#include "buffer_guard/memory/stacks.h"
#include "buffer_guard/platform/allocator.h"
#include "buffer_guard/reporting/syscalls.h"
#include "layout/strided_blocks.h"
#include "recorder/objects/windows.h"
#include "recorder/threads/threads.h"
#include "registry/object_store.h"
#include "registry/registry.h"
#include "rma_log/accesses.h"
#include "rma_page_trace/budget.h"
#include "rma_page_trace/x86_decoder.h"

enum { MOST = 64, MOST_CLOSED = 8192, MOST_STEPS = 1024, MOST_OPENED = 4, FRAMES = 16 };
// The access that the program has to a page. A closed page may be open for one instruction of a
// thread.
enum { OPEN, READABLE, CLOSED };

static struct mpipp_area {
  uint64_t win; // 0: the window no longer exists
  uint64_t base, end, low, high, shift;
  uint64_t first, last; // range of the pages that may be protected
  int is_programs;
  unsigned char *pages;
  uint64_t capacity;
} areas[MOST];
static int areas_used; // number of entries that were ever used
static int64_t all_pages, closed_pages;
// For windows on the program's own memory: the number of all their pages, and of traced areas.
static int64_t program_pages, program_areas;
static int64_t steps; // number of single steps left until pages are protected again
static struct mpipp_area *next_area = areas;
static uint64_t next_page;
static struct mpipp_code { uint64_t low, high; } codes[4]; // the code of the C library
static int code_count;
#define OF_THREAD static __thread __attribute__((tls_model("initial-exec")))
// Pages that are open for the current instruction only.
OF_THREAD uint64_t opened[MOST_OPENED];
OF_THREAD int opened_count;

static void allow(uint64_t page, uint64_t bytes, int what) {
  static const enum mpipp_page_access modes[] = {MPIPP_ALLOW_ALL, MPIPP_ALLOW_LOADS,
                                                 MPIPP_ALLOW_NOTHING};
  mpipp_guard_pages_allow(page, page + bytes, modes[what]);
}

static unsigned char *page_of(const struct mpipp_area *area, uint64_t address) {
  return &area->pages[(address - area->low) / MPIPP_PAGE];
}

// The area that contains an address. The area may belong to a freed window.
static struct mpipp_area *area_at(uint64_t address) {
  struct mpipp_area *found = NULL;
  for (int i = 0; i < MPIPP_READ(areas_used); i++) {
    if (address < MPIPP_READ(areas[i].low) || address >= MPIPP_READ(areas[i].high)) continue;
    found = &areas[i];
    if (MPIPP_READ(found->win)) return found;
  }
  return found;
}

// The program may have freed its memory, and mapped other memory there.
static int is_in_area(const struct mpipp_area *area, uint64_t address) {
  return !area->is_programs || mpipp_guard_page_may_exist(address);
}

static void open_page(struct mpipp_area *area, uint64_t address, int what) {
  int before = __atomic_exchange_n(page_of(area, address), (unsigned char)what, __ATOMIC_ACQ_REL);
  if (before == CLOSED) __atomic_fetch_sub(&closed_pages, 1, __ATOMIC_RELAXED);
  allow(mpipp_page_down(address), MPIPP_PAGE, what);
}

static int open_range(uint64_t start, uint64_t bytes) {
  int any = 0;
  for (int i = 0; i < MPIPP_READ(areas_used); i++) {
    struct mpipp_area *area = &areas[i];
    uint64_t low = start > area->low ? start : area->low;
    uint64_t high = start + bytes < area->high ? start + bytes : area->high;
    if (!area->win) continue;
    for (uint64_t page = mpipp_page_down(low); page < high; page += MPIPP_PAGE) {
      if (MPIPP_READ(*page_of(area, page)) != OPEN && is_in_area(area, page))
        open_page(area, page, OPEN);
      any = 1;
    }
  }
  return any;
}

// Returns whether an access faults repeatedly, so that opening the page does not help.
static int is_stuck(uint64_t address, uint64_t pc) {
  enum { TIMES = 8 };
  static __thread uint64_t last[3] __attribute__((tls_model("initial-exec")));
  last[2] = last[0] == address && last[1] == pc ? last[2] + 1 : 0;
  last[0] = address;
  last[1] = pc;
  return last[2] > TIMES;
}

static int is_c_library(uint64_t pc) {
  for (int i = 0; i < code_count; i++)
    if (pc >= codes[i].low && pc < codes[i].high) return 1;
  return 0;
}

// A return address in the function that has called the C library; 0 if it is unknown.
static uint64_t caller_of(uint64_t pc, const void *context) {
  void *stack[FRAMES];
  int walks = mpipp_guard_walks_stacks && mpipp_guard_can_walk(context);
  int depth = walks ? backtrace(stack, FRAMES) : 0, at = 0;
  while (at < depth && (uint64_t)(uintptr_t)stack[at] != pc) at++;
  while (at < depth && is_c_library((uint64_t)(uintptr_t)stack[at])) at++;
  return at < depth ? (uint64_t)(uintptr_t)stack[at] : 0;
}

static void log_bytes(uint64_t start, uint64_t bytes, int stores, uint64_t next) {
  const struct mpipp_area *area = area_at(start);
  uint64_t end = start + bytes;
  if (!area || !area->win) return;
  if (start < area->base) start = area->base;
  if (end > area->end) end = area->end;
  if (start >= end) return;
  mpipp_rma_log_access(start, end - start, stores, next);
}

// Logs an access. Functions of the C library load more than the requested bytes, so their accesses
// are cut to the page.
static void record_access(uint64_t address, uint64_t pc, int stores, const void *context) {
  int in_library = is_c_library(pc);
  uint64_t next = in_library ? 0 : pc + 1;
  uint32_t bytes = mpipp_trace_instruction_bytes((const unsigned char *)(uintptr_t)pc, stores);
  if (bytes > 1 && address % MPIPP_PAGE == 0) bytes = 1; // the access may begin in the page before
  if (in_library && stores) next = caller_of(pc, context);
  if (bytes && next) log_bytes(address, bytes, stores, next);
}

#ifdef __x86_64__
enum { STORE = 2, SINGLE = 0x100 };

static int may_step(const ucontext_t *context, uint64_t pc) {
  if (opened_count == MOST_OPENED || MPIPP_READ(steps) <= 0) return 0;
  if (is_c_library(pc) || mpipp_trace_instruction_repeats((const unsigned char *)(uintptr_t)pc))
    return 0;
  return !sigismember(&context->uc_sigmask, SIGTRAP);
}

// Opens the page for this instruction only.
static void step(uint64_t address, ucontext_t *context) {
  __atomic_fetch_sub(&steps, 1, __ATOMIC_RELAXED);
  opened[opened_count++] = mpipp_page_down(address);
  allow(mpipp_page_down(address), MPIPP_PAGE, OPEN);
  context->uc_mcontext.gregs[REG_EFL] |= SINGLE;
}

static struct sigaction before_trap;

static void handle_trap(int number, siginfo_t *info, void *data) {
  ucontext_t *context = data;
  if (!opened_count || info->si_code <= 0) {
    if (before_trap.sa_flags & SA_SIGINFO) {
      before_trap.sa_sigaction(number, info, data);
    } else if (before_trap.sa_handler != SIG_DFL && before_trap.sa_handler != SIG_IGN) {
      before_trap.sa_handler(number);
    } else {
      sigaction(SIGTRAP, &before_trap, NULL);
      raise(SIGTRAP);
    }
    return;
  }
  context->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)SINGLE;
  for (int i = 0; i < opened_count; i++) {
    const struct mpipp_area *area = area_at(opened[i]);
    if (area && MPIPP_READ(area->win) && MPIPP_READ(*page_of(area, opened[i])) == CLOSED)
      allow(opened[i], MPIPP_PAGE, CLOSED);
  }
  opened_count = 0;
}

// Returns whether a debugger is attached: it would stop at each step.
static int is_traced(void) {
  static uint64_t asked;
  static int answer;
  enum { OFTEN = 10000000 }; // nanoseconds before the system is asked again
  char text[512] = "";
  if (asked && mpipp_trace_budget_time() - asked < OFTEN) return answer;
  int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file >= 0 && read(file, text, sizeof text - 1) < 0) *text = 0;
  if (file >= 0) close(file);
  const char *found = strstr(text, "TracerPid:");
  answer = !found || strtol(found + strlen("TracerPid:"), NULL, 10) != 0;
  asked = mpipp_trace_budget_time();
  return answer;
}

static void catch_traps(void) {
  struct sigaction now, own = {.sa_sigaction = handle_trap, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  if (sigaction(SIGTRAP, NULL, &now) ||
      (now.sa_flags & SA_SIGINFO && now.sa_sigaction == handle_trap))
    return;
  sigemptyset(&own.sa_mask);
  before_trap = now;
  sigaction(SIGTRAP, &own, NULL);
}

// Handles a fault in an area. Returns whether to execute the instruction again.
static int meet(struct mpipp_area *area, uint64_t address, uint64_t pc, ucontext_t *context) {
  const struct mpipp_thread *thread = mpipp_recorder_self;
  int stores = (context->uc_mcontext.gregs[REG_ERR] & STORE) != 0;
  int inside = thread == &mpipp_recorder_no_thread || thread->depth || !mpipp_is_outside_mpi(pc);
  int state = MPIPP_READ(*page_of(area, address));
  if (state == OPEN || (state == READABLE && !stores)) { // another thread has just opened the page
    open_page(area, address, state);
    return !is_stuck(address, pc);
  }
  if (inside) {
    mpipp_trace_budget_count_fault(1); // this thread's time is not measured
    open_page(area, address, OPEN);
    return 1;
  }
  record_access(address, pc, stores, context);
  int steps_on = state == CLOSED && may_step(context, pc);
  mpipp_trace_budget_count_fault(steps_on);
  if (steps_on)
    step(address, context);
  else
    open_page(area, address, stores ? OPEN : READABLE);
  return 1;
}

static int fault(uint64_t address, void *data) {
  ucontext_t *context = data;
  struct mpipp_area *area = area_at(address);
  uint64_t pc = (uint64_t)context->uc_mcontext.gregs[REG_RIP];
  if (!area || !is_in_area(area, address)) return 0;
  return MPIPP_READ(area->win) ? meet(area, address, pc, context) : !is_stuck(address, pc);
}

static int add_code(struct dl_phdr_info *info, size_t size, void *unused) {
  static const char *const names[] = {"/libc.so", "/libc-", "/ld-linux", "/libpthread"};
  (void)size;
  (void)unused;
  for (int i = 0; i < 4 && code_count < 4; i++) {
    if (!strstr(info->dlpi_name, names[i])) continue;
    struct mpipp_code *code = &codes[code_count++];
    *code = (struct mpipp_code){~(uint64_t)0, 0};
    for (int j = 0; j < info->dlpi_phnum; j++) {
      const ElfW(Phdr) *header = &info->dlpi_phdr[j];
      uint64_t low = info->dlpi_addr + header->p_vaddr, high = low + header->p_memsz;
      if (header->p_type != PT_LOAD) continue;
      if (low < code->low) code->low = low;
      if (high > code->high) code->high = high;
    }
    break;
  }
  return 0;
}

// Finds the C library's code before any thread holds the guard's lock: a thread that holds the
// loader's lock may wait for the guard's.
void mpipp_trace_areas_prepare(void) {
  dl_iterate_phdr(add_code, NULL);
}

void mpipp_trace_areas_begin(void) {
  static int begun = 0;
  if (begun) return;
  begun = 1;
  mpipp_trace_budget_open();
  mpipp_guard_faults_first_handler = fault;
  mpipp_guard_system_opens = open_range;
  mpipp_guard_system_logs = log_bytes;
}
#else
static int is_traced(void) {
  return 0;
}
static void catch_traps(void) {}
void mpipp_trace_areas_prepare(void) {}
void mpipp_trace_areas_begin(void) {}
#endif

static int64_t forbidden_pages(const struct mpipp_area *area) {
  return (int64_t)(area->last - area->first) / MPIPP_PAGE;
}

static void open_all(struct mpipp_area *area) {
  uint64_t pages = (area->high - area->low) / MPIPP_PAGE;
  int64_t was_closed = 0;
  for (uint64_t i = 0; i < pages; i++) was_closed += area->pages[i] == CLOSED;
  memset(area->pages, OPEN, pages);
  if (area->is_programs)
    mpipp_guard_pages_open_all(area->low, area->high);
  else
    allow(area->low, area->high - area->low, OPEN);
  __atomic_fetch_sub(&closed_pages, was_closed, __ATOMIC_RELAXED);
}

static void forget(struct mpipp_area *area) {
  MPIPP_WRITE(area->win, 0);
  open_all(area);
  all_pages -= forbidden_pages(area);
  if (area->is_programs) program_areas -= forbidden_pages(area);
}

static int make_room(struct mpipp_area *area, uint64_t pages) {
  if (area->capacity >= pages) return 1;
  mpipp_guard_free(area->pages);
  area->pages = mpipp_guard_allocate(pages);
  if (area->pages) memset(area->pages, 0, pages);
  area->capacity = area->pages ? pages : 0;
  return area->pages != NULL;
}

static void take(uint64_t win, const struct mpipp_area_of *of, int is_programs) {
  struct mpipp_area *area = areas;
  for (int i = 0; i < areas_used; i++) // part of the range is already traced
    if (areas[i].win && of->low < areas[i].high && of->high > areas[i].low) return;
  while (area < areas + MOST && area->win) area++;
  if (area == areas + MOST) return;
  MPIPP_WRITE(area->high, 0);
  if (!make_room(area, (of->high - of->low) / MPIPP_PAGE)) return;
  area->base = of->base;
  area->end = of->end;
  area->shift = of->shift;
  area->low = of->low;
  area->first = of->first;
  area->last = of->last;
  area->is_programs = is_programs;
  area->win = win;
  MPIPP_WRITE(area->high, of->high);
  all_pages += forbidden_pages(area);
  if (is_programs) program_areas += forbidden_pages(area);
  if (area == areas + areas_used) MPIPP_WRITE(areas_used, areas_used + 1);
}

void mpipp_trace_area_add(uint64_t win, uint64_t base, uint64_t end, uint64_t shift) {
  uint64_t low = mpipp_page_down(base), high = mpipp_page_up(end);
  take(win, &(struct mpipp_area_of){base, end, low, high, low, high, shift}, 0);
}

void mpipp_trace_area_add_program(uint64_t win, const struct mpipp_area_of *area) {
  take(win, area, 1);
}

void mpipp_trace_areas_count(int64_t pages) {
  program_pages += pages;
}

int mpipp_trace_has_areas(void) {
  return MPIPP_READ(areas_used) || MPIPP_READ(program_pages);
}

void mpipp_trace_areas_open_all(void) {
  for (int i = 0; i < areas_used; i++)
    if (areas[i].win) open_all(&areas[i]);
}

void mpipp_trace_areas_leave_attached_memory(void) {
  for (int i = 0; i < areas_used; i++)
    if (areas[i].win && mpipp_recorder_is_attached(areas[i].base, areas[i].end)) forget(&areas[i]);
}

void mpipp_trace_areas_leave(uint64_t low, uint64_t high) {
  for (int i = 0; i < areas_used; i++)
    if (areas[i].win && areas[i].base < high && low < areas[i].end) forget(&areas[i]);
}

void mpipp_trace_area_drop(uint64_t win) {
  for (int i = 0; i < areas_used; i++) {
    if (!areas[i].win || areas[i].win != win) continue;
    forget(&areas[i]);
    if (!areas[i].is_programs)
      munmap((void *)(uintptr_t)(areas[i].low + areas[i].shift), areas[i].high - areas[i].low);
  }
}

void mpipp_trace_areas_drop_all(void) {
  for (int i = 0; i < areas_used; i++)
    if (areas[i].win) forget(&areas[i]);
}

uint64_t mpipp_trace_area_shift(uint64_t low, uint64_t high) {
  for (int i = 0; i < areas_used; i++) {
    struct mpipp_area *area = &areas[i];
    if (!area->win || low >= area->last || high <= area->first) continue;
    if (low >= area->low && high <= area->high) return area->shift;
    forget(area);
  }
  return 0;
}

// Protects at most `most` open pages, from page `first` on. Returns their number; 0 if the program
// has freed some of them.
static uint64_t close_run(struct mpipp_area *area, uint64_t first, uint64_t most) {
  uint64_t count = 0, pages = (area->last - area->low) / MPIPP_PAGE;
  uint64_t low = area->low + first * MPIPP_PAGE;
  while (first + count < pages && count < most && MPIPP_READ(area->pages[first + count]) != CLOSED)
    count++;
  if (area->is_programs && !mpipp_guard_pages_exist(low, low + count * MPIPP_PAGE)) {
    forget(area);
    return 0;
  }
  for (uint64_t i = 0; i < count; i++) MPIPP_WRITE(area->pages[first + i], CLOSED);
  if (count) allow(low, count * MPIPP_PAGE, CLOSED);
  __atomic_fetch_add(&closed_pages, (int64_t)count, __ATOMIC_RELAXED);
  return count;
}

// Protects open pages again, at most `most`, and continues where the previous call of this function
// ended.
static void close_pages(uint64_t most) {
  for (int i = 0; most && i <= areas_used; i++) {
    uint64_t pages = next_area->win ? (next_area->last - next_area->low) / MPIPP_PAGE : 0;
    uint64_t first = next_area->win ? (next_area->first - next_area->low) / MPIPP_PAGE : 0;
    if (next_page < first) next_page = first;
    while (most && next_page < pages && next_area->win) {
      if (MPIPP_READ(next_area->pages[next_page]) == CLOSED)
        next_page++;
      else
        most -= close_run(next_area, next_page, most);
    }
    if (!most) return;
    next_page = 0;
    if (++next_area == areas + areas_used) next_area = areas;
  }
}

static void close_within_budget(int64_t closed) {
  uint64_t affords;
  int64_t affords_steps;
  mpipp_trace_budget_remaining((uint64_t)(all_pages - closed), &affords, &affords_steps);
  if (affords_steps > MOST_STEPS) affords_steps = MOST_STEPS;
  MPIPP_WRITE(steps, affords_steps && is_traced() ? 0 : affords_steps);
  if (affords && closed < MOST_CLOSED) {
    uint64_t room = (uint64_t)(MOST_CLOSED - closed);
    mpipp_guard_faults_catch();
    catch_traps();
    close_pages(affords < room ? affords : room);
  }
  mpipp_trace_budget_spend();
}

void mpipp_trace_areas_close(void) {
  int64_t closed = MPIPP_READ(closed_pages);
  if (all_pages > closed) close_within_budget(closed);
  closed = MPIPP_READ(closed_pages);
  mpipp_registry.onesided_pages += (uint64_t)(all_pages + program_pages - program_areas);
  if (closed > 0) mpipp_registry.onesided_closed += (uint64_t)closed;
}
