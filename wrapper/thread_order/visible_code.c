// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "thread_order/visible_code.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "instrumentation/program_parts.h"

enum { MOST = 64 };

// Libraries that order no threads of the program except by the functions that this part replaces.
static const char *const KNOWN[] = {
    "libc.so",     "libm.so",        "libpthread.so", "libdl.so",     "librt.so",
    "ld-linux",    "libgcc_s.so",    "libstdc++.so",  "libgomp.so",   "libquadmath.so",
    "libmpi",      "libgfortran.so", "libmvec.so",    "liblapack.so", "libblas.so",
    "libopen-rte", "libopen-pal",    "libomp",        "libiomp",
};

// A loaded object: its addresses, and the names of the libraries that it needs.
struct mpipp_order_code {
  uint64_t low, high;
  const char *needed[MOST];
  int count;
};

struct mpipp_order_search {
  const char *name; // "": the executable
  struct mpipp_order_code *found;
  int is_found;
};

static const char *last_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static void add_libraries(struct mpipp_order_code *code, const ElfW(Dyn) * entries) {
  const char *names = NULL;
  for (const ElfW(Dyn) *one = entries; one->d_tag != DT_NULL; one++)
    if (one->d_tag == DT_STRTAB) names = (const char *)one->d_un.d_ptr;
  for (const ElfW(Dyn) *one = entries; names && one->d_tag != DT_NULL; one++)
    if (one->d_tag == DT_NEEDED && code->count < MOST)
      code->needed[code->count++] = names + one->d_un.d_val;
}

static int look_at(struct dl_phdr_info *object, size_t size, void *data) {
  (void)size;
  struct mpipp_order_search *search = data;
  if (strcmp(last_name(object->dlpi_name), search->name) != 0) return 0;
  struct mpipp_order_code *code = search->found;
  *code = (struct mpipp_order_code){.low = ~(uint64_t)0};
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[i];
    uint64_t low = object->dlpi_addr + header->p_vaddr, high = low + header->p_memsz;
    if (header->p_type == PT_DYNAMIC) add_libraries(code, (const void *)low);
    if (header->p_type != PT_LOAD) continue;
    if (low < code->low) code->low = low;
    if (high > code->high) code->high = high;
  }
  search->is_found = 1;
  return 1;
}

static int orders_no_threads(const char *name) {
  for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
    if (strncmp(name, KNOWN[i], strlen(KNOWN[i])) == 0) return 1;
  return 0;
}

// Returns whether an object and those that it needs are visible. depth: bounds the recursion.
static int is_visible(const char *name, int depth) {
  struct mpipp_order_code code;
  struct mpipp_order_search search = {name, &code, 0};
  if (depth > 8) return 0;
  dl_iterate_phdr(look_at, &search);
  if (!search.is_found || !mpipp_instrument_programs_between(code.low, code.high)) return 0;
  for (int i = 0; i < code.count; i++)
    if (!orders_no_threads(code.needed[i]) && !is_visible(code.needed[i], depth + 1)) return 0;
  return 1;
}

int mpipp_order_is_openmp(const void *address) {
  Dl_info object;
  if (!dladdr(address, &object) || !object.dli_fname) return 0;
  const char *name = last_name(object.dli_fname);
  return strncmp(name, "libomp", 6) == 0 || strncmp(name, "libiomp", 7) == 0;
}

static int openmp_reports, openmp_is_silent;

void mpipp_order_know_openmp(int reports) {
  openmp_reports = reports;
  openmp_is_silent = !reports;
}

int mpipp_order_has_silent_openmp(const void *creator) {
  const char *use = getenv("OMP_TOOL");
  if (openmp_is_silent || (use && strcmp(use, "disabled") == 0)) return 1;
  return !openmp_reports && mpipp_order_is_openmp(creator);
}

struct mpipp_order_extent mpipp_order_extent_of(const void *address) {
  struct mpipp_order_code code = {0};
  Dl_info object;
  if (!dladdr(address, &object) || !object.dli_fname) return (struct mpipp_order_extent){0, 0};
  struct mpipp_order_search search = {last_name(object.dli_fname), &code, 0};
  dl_iterate_phdr(look_at, &search);
  return (struct mpipp_order_extent){code.low, code.high};
}

int mpipp_order_sees_atomics(void) {
  return is_visible("", 0);
}
