// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "intercept/python_frames.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "abi/mpi_symbols.h"
#include "call_filter/buffer_owners.h"
#include "intercept/hooks.h"
#include "recorder/threads/threads.h"
#include "registry/registry.h"
#include "registry/shared_arena.h"

enum {
  MOST_FRAMES = 200,
  BUCKETS = 1024, // number of hash lists, a power of 2
  MOST_PLACES = 2048,
  MOST_PIECES = 16,
  POOL_BYTES = 1 << 16,
  MOST_BYTES = 1 << 13, // largest size of a name, or of a line table
  OBJECT_TYPE = 8,      // offset in an object
  TYPE_NAME = 24,       // offset in a type
  NAME_BYTES = 8,       // number of bytes that readers need
  LENGTH = 16,          // offset in strings, and in bytes objects
  STATE = 32,           // offset in strings
  BYTES = 32,           // offset of the content of a bytes object
};

// Offsets of members in CPython's structs, by minor version.
// mpipp/registry/memory/cpython_frames.py has the same ones.
struct mpipp_python_layout {
  // The thread's state has a pointer to the current frame, or to a struct with this pointer.
  unsigned frame; // offset of the pointer in the thread's state
  int holder;     // offset of the frame's pointer in that struct; -1: there is no such struct
  unsigned code, previous, instruction, instruction_bytes; // offsets in a frame
  unsigned file, function, lines;                          // offsets in a code object
  unsigned ascii, text;                                    // offsets in strings, by their kind
};
static const struct mpipp_python_layout layouts[] = {
    [9] = {24, -1, 32, 24, 104, 4, 104, 112, 120, 48, 72},
    [10] = {24, -1, 32, 24, 96, 4, 104, 112, 120, 48, 72},
    [11] = {56, 8, 32, 48, 56, 8, 112, 120, 136, 48, 72},
    [12] = {56, 0, 0, 8, 56, 8, 112, 120, 136, 40, 56},
    [13] = {72, -1, 0, 8, 56, 8, 112, 120, 136, 40, 56},
};
enum { VERSIONS = sizeof layouts / sizeof *layouts };

// Identifies a line. The address of its code object is not enough: when Python frees that, another
// one may get the same memory.
struct mpipp_key {
  uint64_t code, instruction, file, function, lines;
};
_Static_assert(offsetof(struct mpipp_python_place, lines) -
                       offsetof(struct mpipp_python_place, code) ==
                   offsetof(struct mpipp_key, lines),
               "as in a place");

static const struct mpipp_python_layout *layout;
static uint64_t version, code_type;
static void *(*this_thread)(void); // PyGILState_GetThisThreadState, which takes no lock, and needs
                                   // none
static struct mpipp_python_place *places, *buckets[BUCKETS];
static char *pool, *pool_end;

static uint64_t word(uint64_t address) {
  return *(const uint64_t *)(uintptr_t)address;
}

static unsigned bucket_of(const struct mpipp_key *key) {
  return (unsigned)((key->code >> 4 ^ key->instruction >> 1) % BUCKETS);
}

static struct mpipp_python_place *find(const struct mpipp_key *key) {
  struct mpipp_python_place *place = __atomic_load_n(&buckets[bucket_of(key)], __ATOMIC_ACQUIRE);
  while (place && memcmp(&place->code, key, sizeof *key)) place = (void *)(uintptr_t)place->chain;
  return place;
}

// A piece of the interpreter's memory that readers need to find a line. The content is copied.
struct mpipp_python_piece {
  uint64_t address, bytes;
};

static uint64_t type_of(uint64_t object) {
  return word(object + OBJECT_TYPE);
}

static uint64_t text_bytes(uint64_t text) {
  uint32_t state = *(const uint32_t *)(uintptr_t)(text + STATE), width = state >> 2 & 7;
  uint32_t is_ascii = state >> 6 & 1;
  return (is_ascii ? layout->ascii : layout->text) + word(text + LENGTH) * width;
}

static int pieces_of(uint64_t frame, const struct mpipp_key *key,
                     struct mpipp_python_piece *pieces) {
  uint64_t objects[] = {key->code, key->file, key->function, key->lines};
  int count = 0;
  pieces[count++] = (struct mpipp_python_piece){frame, layout->instruction + sizeof(uint64_t)};
  for (int i = 0; i < 4; i++) {
    uint64_t object = objects[i], bytes = layout->lines + sizeof bytes;
    if (!object) return 0;
    if (i == 1 || i == 2) bytes = text_bytes(object);
    if (i == 3) bytes = BYTES + word(object + LENGTH);
    if (bytes > MOST_BYTES && i == 3) return 0;
    pieces[count++] = (struct mpipp_python_piece){object, bytes < MOST_BYTES ? bytes : MOST_BYTES};
    pieces[count++] = (struct mpipp_python_piece){type_of(object) + TYPE_NAME, sizeof(uint64_t)};
    pieces[count++] = (struct mpipp_python_piece){word(type_of(object) + TYPE_NAME), NAME_BYTES};
  }
  return count;
}

static uint64_t round_up(uint64_t bytes) {
  return (bytes + 7) & ~(uint64_t)7;
}

static void *take(uint64_t bytes) {
  if (bytes > (uint64_t)(pool_end - pool)) {
    pool = mpipp_registry_map(POOL_BYTES);
    pool_end = pool ? pool + POOL_BYTES : NULL;
  }
  if (bytes > (uint64_t)(pool_end - pool)) return NULL;
  void *taken = pool;
  pool += bytes;
  return taken;
}

static int belongs_to_mpi4py(uint64_t file) {
  static const char part[] = "/mpi4py/";
  return memmem((const void *)(uintptr_t)file, text_bytes(file), part, sizeof part - 1) != NULL;
}

static void copy(char *to, const struct mpipp_python_piece *pieces, int count) {
  for (int i = 0; i < count; i++) {
    memcpy(to, &pieces[i], sizeof pieces[i]);
    memcpy(to + sizeof pieces[i], (const void *)(uintptr_t)pieces[i].address, pieces[i].bytes);
    to += sizeof pieces[i] + round_up(pieces[i].bytes);
  }
}

static struct mpipp_python_place *make(uint64_t frame, const struct mpipp_key *key) {
  struct mpipp_table *table = mpipp_registry_python_table();
  struct mpipp_python_piece pieces[MOST_PIECES];
  int count = pieces_of(frame, key, pieces);
  uint64_t bytes = 0;
  for (int i = 0; i < count; i++)
    bytes += sizeof(struct mpipp_python_piece) + round_up(pieces[i].bytes);
  if (!places) places = mpipp_registry_map(MOST_PLACES * sizeof *places);
  if (!places || !count || table->count >= MOST_PLACES) return NULL;
  char *to = take(bytes);
  if (!to) return NULL;
  copy(to, pieces, count);
  struct mpipp_python_place *place = &places[table->count];
  *place = (struct mpipp_python_place){.frame = frame,
                                       .version = version,
                                       .pieces = (uintptr_t)to,
                                       .bytes = bytes,
                                       .chain = (uintptr_t)buckets[bucket_of(key)],
                                       .passed_over = belongs_to_mpi4py(key->file)};
  memcpy(&place->code, key, sizeof *key);
  table->entries = (uintptr_t)places;
  __atomic_store_n(&table->count, table->count + 1, __ATOMIC_RELEASE);
  __atomic_store_n(&buckets[bucket_of(key)], place, __ATOMIC_RELEASE);
  return place;
}

static struct mpipp_python_place *find_place(uint64_t frame, uint64_t code) {
  uint64_t at = frame + layout->instruction;
  struct mpipp_key key = {
      .code = code,
      .instruction = layout->instruction_bytes == 4 ? *(const uint32_t *)(uintptr_t)at : word(at),
      .file = word(code + layout->file),
      .function = word(code + layout->function),
      .lines = word(code + layout->lines)};
  static __thread struct mpipp_python_place *last;
  if (last && memcmp(&last->code, &key, sizeof key) == 0) return last;
  struct mpipp_python_place *place = last = find(&key);
  if (place) return place;
  int saved = errno, locked = mpipp_registry_lock_slow();
  place = find(&key);
  if (!place) place = make(frame, &key);
  if (locked) mpipp_registry_unlock();
  errno = saved;
  return place;
}

// The place for the line of Python that this thread executes. Returns the caller if there is no
// such line.
static __attribute__((no_sanitize("address"))) uint64_t line_of(uint64_t caller) {
  uint64_t state = (uint64_t)(uintptr_t)this_thread();
  uint64_t frame = state ? word(state + layout->frame) : 0;
  if (frame && layout->holder >= 0) frame = word(frame + (unsigned)layout->holder);
  for (int i = 0; frame && i < MOST_FRAMES; i++, frame = word(frame + layout->previous)) {
    uint64_t code = word(frame + layout->code);
    if (!code || type_of(code) != code_type) continue; // a frame that stands for a C function
    const struct mpipp_python_place *place = find_place(frame, code);
    if (!place) break;
    if (place->passed_over) continue;
    mpipp_filter_python_frame = frame;
    return mpipp_filter_python_place = (uint64_t)(uintptr_t)place;
  }
  return caller;
}

// Finds the place at the start of the call, because the frame changes later.
static int enter(struct mpipp_passage *passage) {
  struct mpipp_thread *thread = mpipp_recorder_self;
  thread->place = mpipp_outside_mpi(passage->call->caller);
  thread->place_serial = passage->call->serial;
  return MPIPP_GO_ON;
}
static struct mpipp_hook hook = {.enter = enter, .order = -1000};

static int add_module(struct dl_phdr_info *object, size_t size, void *bounds) {
  (void)size;
  uint64_t *found = bounds;
  if (!strstr(object->dlpi_name, "/mpi4py/MPI.")) return 0;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[i];
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) continue;
    found[0] = object->dlpi_addr + header->p_vaddr;
    found[1] = found[0] + header->p_memsz;
    return 1;
  }
  return 0;
}

static uint64_t version_of(void) {
  // Exists in Python 3.11 and later.
  const unsigned long *number = dlsym(RTLD_DEFAULT, "Py_Version");
  if (number) return *number;
  const char *(*ask)(void) = (const char *(*)(void))dlsym(RTLD_DEFAULT, "Py_GetVersion");
  const char *said = ask ? ask() : "";
  return strncmp(said, "3.", 2) ? 0 : 3ul << 24 | strtoul(said + 2, NULL, 10) << 16;
}

void mpipp_intercept_python_open(void) {
  uint64_t bounds[2] = {0, 0};
  if (!dl_iterate_phdr(add_module, bounds)) return;
  version = version_of();
  uint64_t minor = version >> 16 & 0xFF;
  this_thread = (void *(*)(void))dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState");
  code_type = (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "PyCode_Type");
  if (version >> 24 != 3 || minor >= VERSIONS || !layouts[minor].frame) return;
  if (!this_thread || !code_type) return;
  layout = &layouts[minor];
  mpipp_filter_python_version = version;
  mpipp_abi_set_layer(bounds[0], bounds[1], line_of);
  // In a process that is not watched, a debugger finds the line itself, in the interpreter's
  // memory.
  if (mpipp_registry_is_shared) mpipp_hook_in(&hook);
}
