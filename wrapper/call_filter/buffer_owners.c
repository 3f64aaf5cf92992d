// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "call_filter/buffer_owners.h"

#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#include "abi/mpi_symbols.h"
#include "call_filter/buffer_bounds.h"
#include "call_filter/caches/query_cache.h"
#include "call_filter/heap_blocks.h"
#include "generated/facts.h"
#include "recorder/threads/threads.h"
#include "registry/object_store.h"
#include "registry/shared_arena.h"
#include "watcher_client/queries.h"

enum {
  USED_PLACES = MPIPP_KNOWN_PLACES, // number of places, in sets of WAYS
  WAYS = 4,
  FIRST_USES = 8, // first uses of a place that are looked up
  MOST_USES = 64, // with later uses of a new kind
  MOST_FRAMES = 12,
  MOST_VISITED = 64,
  FRAME_BYTES = 4096, // bytes that are read from the end of each frame
  WORD = 8,
  COPY = 1 << 16,          // bytes that are read by one system call
  MOST_SEARCHED = 1 << 24, // limit for the bytes of variables
  MOST_POINTERS = 8,
  MOST_BLOCKS = 8,    // heap blocks of one call
  MOST_OBJECTS = 512, // heap objects to which a call's frames point
  OBJECT = 512,       // bytes read from each object
  DESCRIPTOR = 256,   // bytes behind a pointer, where a Fortran array descriptor has the bounds
  PAGE = 4096,        // lower addresses are special values
};

// The uses of one place that were passed to the watcher. `kinds` has one bit for each kind of use.
struct mpipp_place_uses {
  uint64_t place; // a return address; 0: the entry is free
  uint64_t newest, count, kinds;
  int64_t largest; // number of entries in all buffers of a use
};

// The memory that a call uses: a sum of all addresses and lengths, its kind, and the number of
// entries. Calls with equal buffers and datatypes have the same kind.
struct mpipp_use {
  uint64_t sum, kind;
  int64_t entries;
};

uint64_t mpipp_filter_known_places[MPIPP_KNOWN_PLACES];
uint64_t mpipp_filter_use_mask;
uint64_t mpipp_filter_python_version;
__thread uint64_t mpipp_filter_python_frame __attribute__((tls_model("initial-exec")));
__thread uint64_t mpipp_filter_python_place __attribute__((tls_model("initial-exec")));
_Static_assert(MPIPP_KNOWN_PLACES == 1 << (32 - 22), "a hash has as many bits");

static struct mpipp_place_uses *all_uses; // NULL: the run does not look for owners

// The executable's variables, [start, end). The executable is the first object that the loader
// lists.
static uint64_t variables_start, variables_end;

static int find_variables(struct dl_phdr_info *object, size_t size, void *data) {
  (void)size, (void)data;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[i];
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_W)) continue;
    const uint64_t start = object->dlpi_addr + header->p_vaddr;
    if (!variables_start) variables_start = (start + WORD - 1) & ~(uint64_t)(WORD - 1);
    variables_end = start + header->p_memsz;
  }
  return 1;
}

void mpipp_filter_owners_open(void) {
  const uint64_t bytes = USED_PLACES * sizeof *all_uses;
  if (!getenv("MPIPP_OWNERS")) return;
  dl_iterate_phdr(find_variables, NULL);
  struct mpipp_place_uses *uses = mpipp_registry_allocate(bytes);
  if (uses) memset(uses, 0, bytes);
  all_uses = uses;
}

static int has_indices(const struct mpipp_call *call) {
  return call->procedure == MPIPP_PROC_Waitsome || call->procedure == MPIPP_PROC_Testsome ||
         call->procedure == MPIPP_PROC_Request_get_status_some;
}

// Returns whether an argument is an array, to read or to fill.
static int is_array(const struct mpipp_input *input) {
  return input->shape == MPIPP_SHAPE_ARRAY || input->shape == MPIPP_SHAPE_RESULT;
}

// Returns whether the call uses memory by an address.
static int has_memory(const struct mpipp_call *call) {
  const uint32_t arrays = MPIPP_HAS_REQUESTS | MPIPP_HAS_CONSTRUCTOR | MPIPP_HAS_ARGUMENTS;
  return call->buffer_count || call->present & arrays || mpipp_facts[call->procedure].statuses;
}

// A sum of the addresses and lengths of the call's arrays. Constructors do not set their shapes.
static uint64_t arrays_of(const struct mpipp_call *call) {
  const struct mpipp_input *inputs = (const struct mpipp_input *)(uintptr_t)call->inputs;
  uint64_t sum = 0;
  if (!(call->present & MPIPP_HAS_ARGUMENTS)) return 0;
  for (uint32_t i = 0; i < call->input_count; i++) {
    if (is_array(&inputs[i]))
      sum = sum * 31 + (uintptr_t)inputs[i].values + (uint64_t)inputs[i].count;
  }
  return sum;
}

static struct mpipp_use use_of(const struct mpipp_call *call) {
  struct mpipp_use use = {arrays_of(call), 0, 0};
  if (call->present & MPIPP_HAS_REQUESTS) use.sum += call->requests + (uint64_t)call->request_count;
  if (mpipp_facts[call->procedure].statuses) use.sum += call->statuses << 1;
  if (has_indices(call)) use.sum += call->indices << 2;
  use.kind = use.sum;
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    const struct mpipp_buffer *buffer = &call->buffers[i];
    use.kind =
        (use.kind ^ buffer->address ^ buffer->datatype * 0x9e3779b97f4a7c15u) * 0xBF58476D1CE4E5B9u;
    use.entries += buffer->count;
  }
  use.sum = use.kind + (uint64_t)use.entries;
  return use;
}

// The entry of a place, or a free one. NULL if all entries are in use, which limits the number of
// queries.
static struct mpipp_place_uses *uses_of(uint64_t place) {
  struct mpipp_place_uses *uses = &all_uses[mpipp_place_hash(place) / WAYS * WAYS];
  for (int way = 0; way < WAYS; way++, uses++) {
    uint64_t there = MPIPP_READ(uses->place);
    if (!there || there == place) return uses;
  }
  return NULL;
}

static uint64_t kind_bit(const struct mpipp_use *use) {
  return (uint64_t)1 << (use->kind >> 58);
}

// Returns whether a later use may be wrong although the first ones were right, because its buffer
// or datatype differs, or it has more entries.
static int is_new_kind(const struct mpipp_place_uses *uses, const struct mpipp_use *use) {
  return !(MPIPP_READ(uses->kinds) & kind_bit(use)) || use->entries > MPIPP_READ(uses->largest);
}

static int was_queried(const struct mpipp_place_uses *uses, uint64_t place,
                       const struct mpipp_use *use) {
  if (MPIPP_READ(uses->place) != place) return 0;
  const uint64_t count = MPIPP_READ(uses->count);
  if (MPIPP_READ(uses->newest) == use->sum || count >= MOST_USES) return 1;
  return count >= FIRST_USES && !is_new_kind(uses, use);
}

// The heap blocks of the current query. The caller holds the lock.
static struct { uint64_t low[MOST_BLOCKS], count; } asked_blocks;

static int leads_to_block(const uint64_t *words, uint64_t count) {
  for (uint64_t i = 0; i < count; i++) {
    for (uint64_t block = 0; block < asked_blocks.count; block++)
      if (words[i] == asked_blocks.low[block]) return 1;
  }
  return 0;
}

struct mpipp_stack_walk {
  struct mpipp_asking *asking;
  uint64_t heap_end, objects; // heap_end: the end of the main heap; objects: number of heap objects
                              // read so far
  uint64_t code, stack;       // previous frame: where its function continues, and its lowest
                              // address
  uint64_t caller;            // the caller of the call; 0: the walk has reached its frame
  uint64_t registers[MPIPP_FRAME_REGISTERS]; // registers of the previous frame
  int visited, told, has_registers;
};

// Adds the heap objects to which a frame points, and which point to one of the blocks. For example,
// a member function's object may have a vector with the buffer.
static void ask_objects(struct mpipp_stack_walk *walk, uint64_t start, uint64_t end) {
  uint64_t words[OBJECT / WORD], last = 0;
  for (uint64_t at = (start + WORD - 1) & ~(uint64_t)(WORD - 1);
       at + WORD <= end && walk->objects < MOST_OBJECTS; at += WORD) {
    const uint64_t to = *(const uint64_t *)(uintptr_t)at;
    if (to < variables_end || to >= walk->heap_end || to % WORD || to == last) continue;
    const uint64_t left = walk->heap_end - to;
    const uint64_t bytes = (left < OBJECT ? left : OBJECT) & ~(uint64_t)(WORD - 1);
    last = to;
    walk->objects++;
    if (!mpipp_watcher_read_own(words, to, bytes)) continue;
    if (leads_to_block(words, bytes / WORD)) mpipp_watcher_ask_memory(walk->asking, to, bytes);
  }
}

// The registers that functions keep for their callers, and the stack pointer. Debug information
// says which of them hold variables.
static int read_registers(struct _Unwind_Context *context, uint64_t *registers) {
#ifdef __x86_64__
  enum { RBX = 3, RBP = 6, RSP = 7, R12 = 12, R15 = 15 };
  registers[RBX] = _Unwind_GetGR(context, RBX);
  registers[RBP] = _Unwind_GetGR(context, RBP);
  registers[RSP] = _Unwind_GetCFA(context);
  for (int i = R12; i <= R15; i++) registers[i] = _Unwind_GetGR(context, i);
  return 1;
#else
  (void)context, (void)registers;
  return 0;
#endif
}

// A function's frame ends where the frame of the function that it calls begins: stacks grow
// downwards.
static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *data) {
  struct mpipp_stack_walk *walk = data;
  uint64_t end = _Unwind_GetCFA(context);
  if (walk->code == walk->caller) walk->caller = 0;
  // Variables of the wrapper's own functions may have the address of a buffer, too.
  if (walk->code && !walk->caller && end > walk->stack && mpipp_is_outside_mpi(walk->code)) {
    uint64_t bytes = end - walk->stack;
    if (bytes > FRAME_BYTES) bytes = FRAME_BYTES;
    mpipp_watcher_ask_frame(walk->asking, walk->code, end,
                            walk->has_registers ? walk->registers : NULL);
    mpipp_watcher_ask_memory(walk->asking, end - bytes, bytes);
    if (asked_blocks.count) ask_objects(walk, end - bytes, end);
    walk->told++;
  }
  walk->code = _Unwind_GetIP(context);
  walk->stack = end;
  walk->has_registers = read_registers(context, walk->registers);
  int goes_on = walk->told < MOST_FRAMES && ++walk->visited < MOST_VISITED;
  return goes_on ? _URC_NO_REASON : _URC_NORMAL_STOP;
}

// Adds the executable's variables that point to a heap block, with their present values. C++
// containers and Fortran descriptors have the bounds behind the pointer.
static void ask_pointers(struct mpipp_asking *asking, uint64_t block) {
  static uint64_t words[COPY / WORD]; // used with the store's lock
  uint64_t end = variables_end, left = MOST_POINTERS;
  if (end - variables_start > MOST_SEARCHED) end = variables_start + MOST_SEARCHED;
  for (uint64_t at = variables_start; at + WORD <= end && left; at += COPY) {
    const uint64_t bytes = (end - at < COPY ? end - at : COPY) & ~(uint64_t)(WORD - 1);
    if (!mpipp_watcher_read_own(words, at, bytes)) continue;
    for (uint64_t i = 0; i < bytes / WORD && left; i++) {
      if (words[i] != block) continue;
      const uint64_t from = at + i * WORD, known = variables_end - from;
      mpipp_watcher_ask_memory(asking, from, known < DESCRIPTOR ? known : DESCRIPTOR);
      left--;
    }
  }
}

// Finds the memory that MPI_Win_allocate has allocated and that contains an address. The caller
// holds the lock.
static int in_window(uint64_t address, struct mpipp_heap_block *block) {
  const struct mpipp_slots *slots = mpipp_registry_stores[MPIPP_WIN].slots;
  for (uint64_t i = 0; slots && i <= slots->mask; i++) {
    if (slots->slot[i].record <= 1) continue;
    const struct mpipp_win *win = (const struct mpipp_win *)(uintptr_t)slots->slot[i].record;
    if (win->flavor != MPIPP_WIN_ALLOCATE || win->size <= 0) continue;
    if (address - win->base >= (uint64_t)win->size) continue;
    *block = (struct mpipp_heap_block){win->base, win->base + (uint64_t)win->size};
    return 1;
  }
  return 0;
}

static void ask_heap_block(struct mpipp_asking *asking, const struct mpipp_thread *thread,
                           uint64_t address) {
  struct mpipp_heap_block block;
  if (address < PAGE || (address >= thread->stack_start && address < thread->stack_end)) return;
  if (!in_window(address, &block) && !mpipp_filter_heap_block(address, &block)) return;
  mpipp_watcher_ask_gap(asking, MPIPP_NOTE_HEAP_BLOCK, block.low, block.high);
  if (asked_blocks.count < MOST_BLOCKS) asked_blocks.low[asked_blocks.count++] = block.low;
  ask_pointers(asking, block.low);
}

// Returns whether an argument is the address of a window's memory.
static int is_base(const struct mpipp_input *input) {
  const char *name = (const char *)(uintptr_t)input->name;
  return input->shape == MPIPP_SHAPE_NUMBER && name && !strcmp(name, "base");
}

static void ask_heap_blocks(struct mpipp_asking *asking, const struct mpipp_thread *thread) {
  const struct mpipp_call *call = &thread->call;
  const struct mpipp_input *inputs = (const struct mpipp_input *)(uintptr_t)call->inputs;
  const uint32_t arrays = MPIPP_HAS_CONSTRUCTOR | MPIPP_HAS_ARGUMENTS;
  for (uint32_t i = 0; i < call->buffer_count; i++) {
    struct mpipp_box box;
    const uint32_t vector = call->buffers[i].vector;
    mpipp_filter_box_of(call, i, &box, NULL);
    if (box.low < box.high) ask_heap_block(asking, thread, box.low);
    if (!vector) continue;
    if (box.low != call->buffers[i].address)
      ask_heap_block(asking, thread, call->buffers[i].address);
    ask_heap_block(asking, thread, call->vectors[vector - 1].counts);
    ask_heap_block(asking, thread, call->vectors[vector - 1].displacements);
  }
  if (call->present & MPIPP_HAS_REQUESTS) ask_heap_block(asking, thread, call->requests);
  if (mpipp_facts[call->procedure].statuses) ask_heap_block(asking, thread, call->statuses);
  if (has_indices(call)) ask_heap_block(asking, thread, call->indices);
  for (uint32_t i = 0; call->present & arrays && i < call->input_count; i++) {
    if (is_array(&inputs[i]))
      ask_heap_block(asking, thread, (uintptr_t)inputs[i].values);
    else if (is_base(&inputs[i]))
      ask_heap_block(asking, thread, *(const uintptr_t *)inputs[i].values);
  }
}

// Asks about the call that the thread is inside of. python: whether a Python program has made it.
// The caller holds the lock.
static void ask_call(const struct mpipp_thread *thread, int python) {
  struct mpipp_asking asking;
  mpipp_filter_ask_call(&asking, thread);
  if (asking.question) asking.question->awaits = MPIPP_AWAITS_OWNERS;
  asked_blocks.count = 0;
  ask_heap_blocks(&asking, thread);
  struct mpipp_stack_walk walk = {
      .asking = &asking, .heap_end = (uintptr_t)sbrk(0), .caller = thread->call.caller};
  _Unwind_Backtrace(visit, &walk);
  if (python)
    mpipp_watcher_ask_python_frame(&asking, mpipp_filter_python_frame, mpipp_filter_python_version);
  // The call waits for the answer, because Python objects may vanish when it has returned.
  if (mpipp_watcher_ask_end(&asking) && python) mpipp_watcher_ask_await();
}

static void ask(struct mpipp_place_uses *uses, const struct mpipp_thread *thread, uint64_t place,
                const struct mpipp_use *use) {
  int saved = errno;
  mpipp_registry_lock();
  if (!was_queried(uses, place, use)) {
    MPIPP_WRITE(uses->place, place);
    MPIPP_WRITE(uses->newest, use->sum);
    MPIPP_WRITE(uses->count, uses->count + 1);
    MPIPP_WRITE(uses->kinds, uses->kinds | kind_bit(use));
    if (use->entries > uses->largest) MPIPP_WRITE(uses->largest, use->entries);
    // In a Python program, other libraries may call MPI directly.
    ask_call(thread, mpipp_filter_python_version && place == mpipp_filter_python_place);
  }
  mpipp_registry_unlock();
  errno = saved;
}

int mpipp_filter_finds_owners(void) {
  return all_uses != NULL;
}

void mpipp_filter_ask_owners(const struct mpipp_thread *thread) {
  mpipp_registry_lock();
  ask_call(thread, 0);
  mpipp_registry_unlock();
}

void mpipp_filter_look_up_use(const struct mpipp_thread *thread, uint64_t place) {
  const struct mpipp_call *call = &thread->call;
  if (all_uses && has_memory(call)) {
    const struct mpipp_use use = use_of(call);
    struct mpipp_place_uses *uses = uses_of(place);
    if (uses && !was_queried(uses, place, &use)) ask(uses, thread, place, &use);
  }
  MPIPP_WRITE(mpipp_filter_known_places[mpipp_place_hash(place)], place);
  if (call->serial >= MPIPP_ALL_USES) MPIPP_WRITE(mpipp_filter_use_mask, 63);
}
