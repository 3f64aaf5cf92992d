// SPDX-License-Identifier: MIT
// Linked to everything that `mpipp cc` and its variants link: the functions that instrumented loads
// and stores call. Without the wrapper nothing is checked.
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "instrumentation/in_program/interface.h"

#define WORD(X) ((uint64_t)(uintptr_t)(X))
#define HIDDEN __attribute__((visibility("hidden")))

// The sections of Clang's object files in which each has its own copy of a variable.
#define SECTION_OF(TYPE, NAME)                                                                     \
  extern TYPE __start_##NAME[] __attribute__((weak, visibility("hidden")));                        \
  extern TYPE __stop_##NAME[] __attribute__((weak, visibility("hidden")))
SECTION_OF(unsigned char, mpipp_active);

static const char magic[] = "mpipp's shadow";

// Returns whether the shadow is already mapped. The shadow is at addresses that no program uses
// otherwise.
static int is_mapped(void) {
  return memcmp((const void *)MPIPP_SHADOW_AT, magic, sizeof magic) == 0;
}

static void *map(int how, int file) {
  return mmap((void *)MPIPP_SHADOW_AT, MPIPP_SHADOW_BYTES, PROT_READ | PROT_WRITE,
              how | MAP_NORESERVE | MAP_FIXED_NOREPLACE, file, 0);
}

// Maps a memory file, of which only pages in use take memory. A file size above RLIMIT_FSIZE would
// end the process, so then it is not done.
static void *map_file(void) {
  struct rlimit most;
  if (getrlimit(RLIMIT_FSIZE, &most) || most.rlim_cur < MPIPP_SHADOW_BYTES) return MAP_FAILED;
  int file = (int)syscall(SYS_memfd_create, "mpipp", MFD_CLOEXEC);
  if (file < 0) return MAP_FAILED;
  void *got = ftruncate(file, MPIPP_SHADOW_BYTES) ? MAP_FAILED : map(MAP_SHARED, file);
  close(file);
  return got;
}

// All of the shadow must be writable, because functions that GCC has compiled mark their frames
// there.
HIDDEN int mpipp_program_map(void) {
  unsigned char *at = (unsigned char *)MPIPP_SHADOW_AT;
  void *got = map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
  // If vm.overcommit_memory is 2, the system reserves memory for all writable pages, so there is
  // not enough. In that case a file is mapped.
  if (got == MAP_FAILED && errno == ENOMEM) got = map_file();
  if (got != at) {
    unsigned char there;
    if (got != MAP_FAILED) munmap(got, MPIPP_SHADOW_BYTES);
    return mincore(at, 1, &there) == 0 && is_mapped();
  }
  madvise(at, MPIPP_SHADOW_BYTES, MADV_DONTDUMP);
  madvise(at, MPIPP_SHADOW_BYTES, MADV_NOHUGEPAGE);
  memcpy(at, magic, sizeof magic);
  return 1;
}

// The ranges that are checked now; unused entries are empty.
HIDDEN struct mpipp_span mpipp_inlined_spans[MPIPP_SPANS];
HIDDEN uint64_t mpipp_inlined_span_count;

// Changes a range in such an order that readers see it too large in between, but never too small.
static void set(struct mpipp_span *span, const struct mpipp_span *now) {
  __atomic_store_n(&span->kinds, span->kinds | now->kinds, __ATOMIC_RELEASE);
  if (now->high > span->high) __atomic_store_n(&span->high, now->high, __ATOMIC_RELEASE);
  __atomic_store_n(&span->low, now->low, __ATOMIC_RELEASE);
  __atomic_store_n(&span->high, now->high, __ATOMIC_RELEASE);
  __atomic_store_n(&span->kinds, now->kinds, __ATOMIC_RELEASE);
}

static void look(const struct mpipp_span *spans, uint64_t count) {
  for (uint64_t i = 0; i < count; i++) set(&mpipp_inlined_spans[i], &spans[i]);
  __atomic_store_n(&mpipp_inlined_span_count, count, __ATOMIC_RELEASE);
  unsigned char any = count > 0;
  for (unsigned char *one = __start_mpipp_active; one < __stop_mpipp_active; one++)
    if (*one != any) __atomic_store_n(one, any, __ATOMIC_RELEASE);
}

HIDDEN struct mpipp_program mpipp_program = {
    .version = MPIPP_PROGRAM_VERSION, .map = mpipp_program_map, .look = look};

// In a static program, dlsym is missing.
extern void *dlsym(void *restrict, const char *restrict) __attribute__((weak));

static void announce(int there) {
  void *here = dlsym ? dlsym(NULL, MPIPP_PROGRAM_REGISTER) : NULL;
  if (here) ((mpipp_program_register_type *)here)(&mpipp_program, there);
}

// Set by the constructor. In a static program the C library copies memory earlier, when there are
// no thread-local variables yet.
static int begun;

__attribute__((constructor(101))) static void begin(void) {
  begun = 1;
  announce(1);
}

__attribute__((destructor(101))) static void end(void) {
  announce(0);
}

#define INLINE static inline __attribute__((always_inline))
#define NEXT WORD(__builtin_return_address(0))

// The last ranges that Clang's code has reported, for loads and for stores. Clang's code may call
// these functions next, which would report the same range.
static __thread uint64_t told[2][2];

INLINE int is_checked(uint64_t low, uint64_t high) {
  for (uint64_t i = 0; i < mpipp_inlined_span_count; i++)
    if (low < mpipp_inlined_spans[i].high && high > mpipp_inlined_spans[i].low) return 1;
  return 0;
}

INLINE void copies(const void *address, uint64_t bytes, int stores, uint64_t next) {
  if (!begun) return;
  uint64_t *before = told[stores];
  int again = before[0] == WORD(address) && before[1] == bytes;
  before[0] = 0;
  if (again || !is_checked(WORD(address), WORD(address) + bytes)) return;
  if (mpipp_program.accesses) mpipp_program.accesses(WORD(address), bytes, stores, next);
}

// The linker's --wrap replaces these functions, because GCC does not see their accesses.
void *__real_memcpy(void *, const void *, size_t);
void *__real_memmove(void *, const void *, size_t);
void *__real_memset(void *, int, size_t);

HIDDEN void *__wrap_memcpy(void *to, const void *from, size_t bytes) {
  copies(from, bytes, 0, NEXT);
  copies(to, bytes, 1, NEXT);
  return __real_memcpy(to, from, bytes);
}

HIDDEN void *__wrap_memmove(void *to, const void *from, size_t bytes) {
  copies(from, bytes, 0, NEXT);
  copies(to, bytes, 1, NEXT);
  return __real_memmove(to, from, bytes);
}

HIDDEN void *__wrap_memset(void *to, int byte, size_t bytes) {
  copies(to, bytes, 1, NEXT);
  return __real_memset(to, byte, bytes);
}

// Clang's code calls this function if a check may have found something. All registers stay
// unchanged.
HIDDEN __attribute__((used)) void mpipp_inlined_report(MPIPP_COMB) {
  uint64_t bytes = bytes_and_stores >> 1, stores = bytes_and_stores & 1;
  if (count > 1 && mpipp_program.combs) {
    mpipp_program.combs(first, last, count, bytes_and_stores, next);
  } else if (mpipp_program.accesses) {
    told[stores][0] = first;
    told[stores][1] = bytes;
    mpipp_program.accesses(first, bytes, (int)stores, next);
  }
}

HIDDEN __attribute__((used, target("no-sse,no-mmx"))) int mpipp_inlined_report_fast(MPIPP_COMB) {
  uint64_t *before = told[bytes_and_stores & 1];
  if (!mpipp_program.quickly) return 0;
  before[0] = first;
  before[1] = bytes_and_stores >> 1;
  return mpipp_program.quickly(first, last, count, bytes_and_stores, next);
}

#define SAVED "2752" // bytes for the state of x87, SSE, AVX and AVX-512
#define STUB(NAME, ARGUMENTS)                                                                      \
  __asm__(                                                                                         \
      ".text\n"                                                                                    \
      ".globl " NAME "\n.hidden " NAME "\n.type " NAME ",@function\n" NAME ":\n"                   \
      ".cfi_startproc\n"                                                                           \
      "push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp, -16\n"                                 \
      "mov %rsp, %rbp\n.cfi_def_cfa_register %rbp\n"                                               \
      "push %rax\npush %rcx\npush %rdx\npush %rsi\npush %rdi\n"                                    \
      "push %r8\npush %r9\npush %r10\npush %r11\npush %rbx\n"                                      \
      "mov %rsp, %rbx\n.cfi_offset %rbx, -96\n"                                                    \
      "and $-64, %rsp\n" ARGUMENTS "mov 8(%rbp), %r8\n"                                            \
      "call mpipp_inlined_report_fast\n"                                                           \
      "test %eax, %eax\n"                                                                          \
      "jne 1f\n"                                                                                   \
      "sub $" SAVED ", %rsp\nand $-64, %rsp\n"                                                     \
      "xor %eax, %eax\n"                                                                           \
      "mov %rax, 512(%rsp)\nmov %rax, 520(%rsp)\nmov %rax, 528(%rsp)\nmov %rax, 536(%rsp)\n"       \
      "mov %rax, 544(%rsp)\nmov %rax, 552(%rsp)\nmov %rax, 560(%rsp)\nmov %rax, 568(%rsp)\n"       \
      "mov $0xe7, %eax\nxor %edx, %edx\nxsave64 (%rsp)\n"                                          \
      "mov 40(%rbx), %rdi\nmov 48(%rbx), %rsi\nmov 56(%rbx), %rdx\nmov 64(%rbx), %rcx\n" ARGUMENTS \
      "mov 8(%rbp), %r8\n"                                                                         \
      "call mpipp_inlined_report\n"                                                                \
      "mov $0xe7, %eax\nxor %edx, %edx\nxrstor64 (%rsp)\n"                                         \
      "1: mov %rbx, %rsp\n"                                                                        \
      "pop %rbx\npop %r11\npop %r10\npop %r9\npop %r8\n"                                           \
      "pop %rdi\npop %rsi\npop %rdx\npop %rcx\npop %rax\npop %rbp\n"                               \
      ".cfi_def_cfa %rsp, 8\nret\n.cfi_endproc\n.size " NAME ", .-" NAME "\n")
#define ONE(STORES) "lea " STORES "(,%rsi,2), %rcx\nmov %rdi, %rsi\nmov $1, %edx\n"
STUB("mpipp_inlined_load", ONE("0"));
STUB("mpipp_inlined_store", ONE("1"));
STUB("mpipp_inlined_comb", "");

// Returns the kinds of checked ranges that overlap these bytes. Changes only the register of the
// result.
__asm__(".text\n"
        ".globl mpipp_inlined_span\n.hidden mpipp_inlined_span\n"
        ".type mpipp_inlined_span,@function\nmpipp_inlined_span:\n"
        ".cfi_startproc\n"
        "push %rcx\n.cfi_def_cfa_offset 16\n"
        "push %rdx\n.cfi_def_cfa_offset 24\n"
        "xor %eax, %eax\n"
        "lea mpipp_inlined_spans(%rip), %rdx\n"
        "mov mpipp_inlined_span_count(%rip), %rcx\n"
        "lea (%rcx,%rcx,2), %rcx\n"
        "lea (%rdx,%rcx,8), %rcx\n"
        "1: cmp %rcx, %rdx\n"
        "je 3f\n"
        "cmp (%rdx), %rsi\n"
        "jbe 2f\n"
        "cmp 8(%rdx), %rdi\n"
        "jae 2f\n"
        "or 16(%rdx), %eax\n"
        "2: add $24, %rdx\n"
        "jmp 1b\n"
        "3: pop %rdx\n.cfi_def_cfa_offset 16\n"
        "pop %rcx\n.cfi_def_cfa_offset 8\nret\n"
        ".cfi_endproc\n.size mpipp_inlined_span, .-mpipp_inlined_span\n");

// Functions to which Clang's code refers, and that do nothing here.
#define NOTHING(NAME, PARAMETERS)                                                                  \
  HIDDEN void NAME PARAMETERS {}
NOTHING(__tsan_init, (void))
NOTHING(__tsan_func_entry, (void *caller __attribute__((unused))))
NOTHING(__tsan_func_exit, (void))
NOTHING(__tsan_acquire, (void *address __attribute__((unused))))
NOTHING(__tsan_release, (void *address __attribute__((unused))))
