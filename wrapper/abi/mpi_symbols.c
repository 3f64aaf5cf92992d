// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "abi/mpi_symbols.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KNOWN_LAYERS = 256, MAX_DISTANCE = 1 << 14 };

void *mpipp_abi_real[2][MPIPP_PROCEDURES];
MPIPP_OFFER(mpipp_abi_real);

static const char *own_path(void) {
  static const char *path = NULL;
  Dl_info info;
  const char *known = __atomic_load_n(&path, __ATOMIC_RELAXED);
  if (!known && dladdr(mpipp_abi_real, &info)) known = info.dli_fname;
  __atomic_store_n(&path, known, __ATOMIC_RELAXED);
  return known;
}

// The recorder is the file NAME.so, and the parts beside it are NAME_PART.so.
int mpipp_abi_is_own(const void *address) {
  Dl_info info;
  const char *own = own_path(), *end = own ? strrchr(own, '.') : NULL;
  if (!end || !dladdr(address, &info) || !info.dli_fname) return 0;
  size_t length = (size_t)(end - own);
  return strncmp(info.dli_fname, own, length) == 0 && strchr("._", info.dli_fname[length]);
}

static int report_missing(void) {
  return MPI_ERR_OTHER;
}

// The paths of the loaded libraries named libmpi...: each ends with its NUL, and an empty one ends
// the list.
struct mpipp_paths {
  size_t used;
  char text[4096];
};

static int is_libmpi(const struct dl_phdr_info *object) {
  const char *base = strrchr(object->dlpi_name, '/');
  return base && strncmp(base, "/libmpi", 7) == 0 && strncmp(base, "/libmpipp_", 10) != 0;
}

static int add_path(struct dl_phdr_info *object, size_t size, void *data) {
  (void)size;
  struct mpipp_paths *paths = data;
  size_t length = strlen(object->dlpi_name) + 1;
  if (!is_libmpi(object) || paths->used + length >= sizeof paths->text) return 0;
  memcpy(paths->text + paths->used, object->dlpi_name, length);
  paths->used += length;
  return 0;
}

static void *find_in(const char *path, const char *name) {
  void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return NULL;
  void *found = dlsym(library, name);
  dlclose(library);
  return found && !mpipp_abi_is_own(found) ? found : NULL;
}

// Finds a symbol of MPI even if libmpi was loaded outside the global scope, as Python extension
// modules do. dlsym is not called inside dl_iterate_phdr, which holds a lock that dlopen takes
// after its own.
static void *find(const char *name) {
  void *address = dlsym(RTLD_NEXT, name);
  if (address) return address;
  struct mpipp_paths *paths = calloc(1, sizeof *paths); // too large for small stacks
  if (!paths) return NULL;
  dl_iterate_phdr(add_path, paths);
  for (const char *path = paths->text; *path && !address; path += strlen(path) + 1)
    address = find_in(path, name);
  free(paths);
  return address;
}

void *mpipp_abi_resolve(int profiling, unsigned procedure) {
  int saved = errno;
  char name[64];
  snprintf(name, sizeof name, "%s%s", profiling ? "P" : "", mpipp_procedure_names[procedure]);
  void *address = find(name);
  if (!address) address = (void *)report_missing;
  __atomic_store_n(&mpipp_abi_real[profiling][procedure], address, __ATOMIC_RELAXED);
  errno = saved;
  return address;
}

void *mpipp_abi_extension(const char *name) {
  int saved = errno;
  void *address = find(name);
  errno = saved;
  return address;
}

void mpipp_abi_resolve_all(void) {
  for (unsigned procedure = 0; procedure < MPIPP_PROCEDURES; procedure++)
    mpipp_procedure(0, procedure);
}

int mpipp_abi_has(unsigned procedure) {
  return mpipp_procedure(1, procedure) != (void *)report_missing;
}

#ifdef MPIPP_FOR_OPENMPI
void *mpipp_abi_symbol(const char *name) {
  // Searches the global scope first. An executable that is not position independent has its own
  // copy of the symbol (copy relocation), and the copy's address is the handle.
  void *address = dlsym(RTLD_DEFAULT, name);
  return address ? address : find(name);
}
#endif

#ifndef MPI_UNWEIGHTED // these constants are variables of the library
static const void *variable(const char *name) {
  int saved = errno;
  void *const *address = find(name);
  errno = saved;
  return address ? *address : NULL;
}
#define MPI_UNWEIGHTED variable("MPI_UNWEIGHTED")
#define MPI_WEIGHTS_EMPTY variable("MPI_WEIGHTS_EMPTY")
#endif

const int *mpipp_abi_weights(const int *weights) {
  return weights == MPI_UNWEIGHTED || weights == MPI_WEIGHTS_EMPTY ? NULL : weights;
}

enum { MAX_RANGES = 16, MAX_FRAMES = 64 };
static struct {
  uint64_t from, to;
} ranges[MAX_RANGES]; // code ranges of the libraries named
                      // libmpi...
static int range_count = 0;
uint64_t mpipp_abi_mpi_low = UINT64_MAX, mpipp_abi_mpi_high = 0;
MPIPP_OFFER(mpipp_abi_mpi_low);
MPIPP_OFFER(mpipp_abi_mpi_high);

static int add_ranges(struct dl_phdr_info *object, size_t size, void *data) {
  (void)size, (void)data;
  if (!is_libmpi(object)) return 0;
  for (int i = 0; i < object->dlpi_phnum && range_count < MAX_RANGES; i++) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[i];
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) continue;
    uint64_t from = object->dlpi_addr + header->p_vaddr, to = from + header->p_memsz;
    ranges[range_count].from = from;
    ranges[range_count++].to = to;
    if (from < mpipp_abi_mpi_low) mpipp_abi_mpi_low = from;
    if (to > mpipp_abi_mpi_high) mpipp_abi_mpi_high = to;
  }
  return 0;
}

void mpipp_abi_find_mpi_code(void) {
  dl_iterate_phdr(add_ranges, NULL);
}

int mpipp_abi_in_mpi(uint64_t address) {
  for (int i = 0; i < range_count; i++) {
    if (address >= ranges[i].from && address < ranges[i].to) return 1;
  }
  return 0;
}

static struct {
  uint64_t from, to;
  uint64_t (*place)(uint64_t caller);
} layer;

void mpipp_abi_set_layer(uint64_t from, uint64_t to, uint64_t (*place)(uint64_t caller)) {
  layer.from = from;
  layer.to = to;
  layer.place = place;
  if (from < mpipp_abi_mpi_low) mpipp_abi_mpi_low = from;
  if (to > mpipp_abi_mpi_high) mpipp_abi_mpi_high = to;
}

static int is_in_layer(uint64_t caller) {
  return caller >= layer.from && caller < layer.to;
}

uint64_t mpipp_abi_outside_mpi_slow(uint64_t caller) {
  if (is_in_layer(caller)) return layer.place(caller);
  if (!mpipp_abi_in_mpi(caller)) return caller;
  int saved = errno;
  void *stack[MAX_FRAMES];
  int depth = backtrace(stack, MAX_FRAMES), i = 0;
  while (i < depth && (uint64_t)(uintptr_t)stack[i] != caller) i++;
  while (i < depth && mpipp_abi_in_mpi((uint64_t)(uintptr_t)stack[i])) i++;
  errno = saved;
  return i < depth ? (uint64_t)(uintptr_t)stack[i] : caller;
}

// The distance from the frame to the word on the stack that has the return address `wanted`, one
// frame further out. Returns 0 if it is not found. The search reads frames of other functions.
static __attribute__((no_sanitize("address"))) uint64_t distance(uint64_t frame, uint64_t wanted) {
  for (uint64_t offset = 8; offset < MAX_DISTANCE; offset += 8) {
    if (*(const uint64_t *)(uintptr_t)(frame + offset) == wanted) return offset;
  }
  return 0;
}

__attribute__((no_sanitize("address"))) uint64_t mpipp_abi_outside_mpi_at(uint64_t caller,
                                                                          uint64_t frame) {
  static struct { uint64_t caller, distance; } known[KNOWN_LAYERS];
  if (mpipp_is_outside_mpi(caller)) return caller;
  if (is_in_layer(caller)) return layer.place(caller);
  uint64_t i = (caller >> 2) % KNOWN_LAYERS;
  uint64_t offset = __atomic_load_n(&known[i].distance, __ATOMIC_ACQUIRE);
  if (__atomic_load_n(&known[i].caller, __ATOMIC_ACQUIRE) == caller && offset) {
    uint64_t found = *(const uint64_t *)(uintptr_t)(frame + offset);
    if (mpipp_is_outside_mpi(found)) return found;
  }
  uint64_t found = mpipp_abi_outside_mpi_slow(caller);
  if (!mpipp_is_outside_mpi(found)) return found;
  __atomic_store_n(&known[i].caller, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&known[i].distance, distance(frame, found), __ATOMIC_RELEASE);
  __atomic_store_n(&known[i].caller, caller, __ATOMIC_RELEASE);
  return found;
}

static int loaded_flavor(void) {
  if (find("ompi_mpi_comm_world")) return MPIPP_FLAVOR_OPENMPI;
  void *address = find("PMPI_Initialized");
  Dl_info info;
  if (address && dladdr(address, &info) && info.dli_fname && strstr(info.dli_fname, "mpi_abi"))
    return MPIPP_FLAVOR_ABI;
  return MPIPP_FLAVOR_MPICH;
}

int mpipp_abi_is_right_library(void) {
  static const char *const names[] = {"", "MPICH", "Open MPI", "the MPI standard ABI"};
  int flavor = loaded_flavor();
  if (flavor == MPIPP_FLAVOR) return 1;
  Dl_info info;
  void *address = find("PMPI_Initialized");
  bool is_known = address && dladdr(address, &info) && info.dli_fname;
  fprintf(stderr,
          "mpipp: nothing is recorded in %s: it uses %s%s%s%s, and this wrapper is built for %s: "
          "name the MPI compiler of the program, as in 'mpipp run --mpicc CC'\n",
          program_invocation_short_name, names[flavor], is_known ? " (" : "",
          is_known ? info.dli_fname : "", is_known ? ")" : "", names[MPIPP_FLAVOR]);
  return 0;
}
