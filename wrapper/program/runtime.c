// SPDX-License-Identifier: MIT
// Linked into what `mpipp cc` and its like link: what compiled loads and stores refer to. Without
// the wrapper's library nothing is looked at.
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "program/program.h"

#define WORD(X) ((uint64_t)(uintptr_t)(X))
#define HIDDEN __attribute__((visibility("hidden")))

// What Clang's objects look at, each for itself.
#define SECTION_OF(TYPE, NAME)                                                                     \
  extern TYPE __start_##NAME[] __attribute__((weak, visibility("hidden")));                        \
  extern TYPE __stop_##NAME[] __attribute__((weak, visibility("hidden")))
SECTION_OF(unsigned char, mpipp_active);
SECTION_OF(uint64_t, mpipp_low);
SECTION_OF(uint64_t, mpipp_bytes);

static const char magic[] = "mpipp's shadow";

// Where no program has memory its shadow says whose it is.
static int is_mapped(void) {
  return memcmp((const void *)MPIPP_SHADOW_AT, magic, sizeof magic) == 0;
}

HIDDEN int mpipp_program_map(void) {
  void *at = (void *)MPIPP_SHADOW_AT;
  void *got = mmap(at, MPIPP_SHADOW_BYTES, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
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

static void set_all(uint64_t *first, const uint64_t *end, uint64_t value) {
  for (; first < end; first++) __atomic_store_n(first, value, __ATOMIC_RELEASE);
}

static uint64_t looked_low, looked_high; // for calls

// Meanwhile more is looked at, and not less.
static void look(int any, uint64_t low, uint64_t bytes) {
  looked_low = low;
  looked_high = any ? low + bytes : low;
  if (any) {
    set_all(__start_mpipp_bytes, __stop_mpipp_bytes, ~(uint64_t)0);
    set_all(__start_mpipp_low, __stop_mpipp_low, low);
    set_all(__start_mpipp_bytes, __stop_mpipp_bytes, bytes);
  }
  for (unsigned char *one = __start_mpipp_active; one < __stop_mpipp_active; one++)
    __atomic_store_n(one, (unsigned char)any, __ATOMIC_RELEASE);
}

HIDDEN struct mpipp_program mpipp_program = {
    .version = MPIPP_PROGRAM_VERSION, .map = mpipp_program_map, .look = look};

// In a static program there is none.
extern void *dlsym(void *restrict, const char *restrict) __attribute__((weak));

static void say(int there) {
  void *here = dlsym ? dlsym(NULL, MPIPP_PROGRAM_HERE) : NULL;
  if (here) ((mpipp_program_here_type *)here)(&mpipp_program, there);
}

__attribute__((constructor(101))) static void begin(void) {
  say(1);
}

__attribute__((destructor(101))) static void end(void) {
  say(0);
}

#define INLINE static inline __attribute__((always_inline))
#define NEXT WORD(__builtin_return_address(0))

// What Clang's code has told of, by loads and stores: it may call these functions then.
static __thread uint64_t told[2][2];

INLINE void copies(const void *address, uint64_t bytes, int stores, uint64_t next) {
  uint64_t *before = told[stores];
  int again = before[0] == WORD(address) && before[1] == bytes;
  before[0] = 0;
  if (again || WORD(address) >= looked_high || WORD(address) + bytes <= looked_low) return;
  if (mpipp_program.accesses) mpipp_program.accesses(WORD(address), bytes, stores, next);
}

// Of the linker's --wrap, where GCC does not see what they do.
void *__real_memcpy(void *, const void *, size_t) __attribute__((weak));
void *__real_memmove(void *, const void *, size_t) __attribute__((weak));
void *__real_memset(void *, int, size_t) __attribute__((weak));

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

// What Clang's code calls where it may have found something: all registers stay as they are.
HIDDEN __attribute__((used)) void mpipp_inlined_found(uint64_t address, uint64_t bytes, int stores,
                                                      uint64_t next) {
  if (!mpipp_program.accesses) return;
  told[stores][0] = address;
  told[stores][1] = bytes;
  mpipp_program.accesses(address, bytes, stores, next);
}

#define SAVED "2752" // bytes of x87, SSE, AVX and AVX-512 state
#define STUB(NAME, STORES)                                                                         \
  __asm__(".text\n"                                                                                \
          ".globl " NAME "\n.hidden " NAME "\n.type " NAME ",@function\n" NAME ":\n"               \
          ".cfi_startproc\n"                                                                       \
          "push %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp, -16\n"                             \
          "mov %rsp, %rbp\n.cfi_def_cfa_register %rbp\n"                                           \
          "push %rax\npush %rcx\npush %rdx\npush %rsi\npush %rdi\n"                                \
          "push %r8\npush %r9\npush %r10\npush %r11\npush %rbx\n"                                  \
          "mov %rsp, %rbx\n.cfi_offset %rbx, -96\n"                                                \
          "sub $" SAVED ", %rsp\nand $-64, %rsp\n"                                                 \
          "xor %eax, %eax\n"                                                                       \
          "mov %rax, 512(%rsp)\nmov %rax, 520(%rsp)\nmov %rax, 528(%rsp)\nmov %rax, 536(%rsp)\n"   \
          "mov %rax, 544(%rsp)\nmov %rax, 552(%rsp)\nmov %rax, 560(%rsp)\nmov %rax, 568(%rsp)\n"   \
          "mov $0xe7, %eax\nxor %edx, %edx\nxsave64 (%rsp)\n"                                      \
          "mov $" STORES ", %edx\nmov 8(%rbp), %rcx\n"                                             \
          "call mpipp_inlined_found\n"                                                             \
          "mov $0xe7, %eax\nxor %edx, %edx\nxrstor64 (%rsp)\n"                                     \
          "mov %rbx, %rsp\n"                                                                       \
          "pop %rbx\npop %r11\npop %r10\npop %r9\npop %r8\n"                                       \
          "pop %rdi\npop %rsi\npop %rdx\npop %rcx\npop %rax\npop %rbp\n"                           \
          ".cfi_def_cfa %rsp, 8\nret\n.cfi_endproc\n.size " NAME ", .-" NAME "\n")
STUB("mpipp_inlined_load", "0");
STUB("mpipp_inlined_store", "1");

// What Clang's modules refer to that is of no interest here.
#define NOTHING(NAME, PARAMETERS)                                                                  \
  HIDDEN void NAME PARAMETERS {}
NOTHING(__tsan_init, (void))
NOTHING(__tsan_func_entry, (void *caller __attribute__((unused))))
NOTHING(__tsan_func_exit, (void))
NOTHING(__tsan_acquire, (void *address __attribute__((unused))))
NOTHING(__tsan_release, (void *address __attribute__((unused))))
