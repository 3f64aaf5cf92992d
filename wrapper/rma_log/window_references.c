// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "rma_log/window_references.h"

#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

struct mpipp_references {
  int to_mpi, to_windows;
};

// The dynamic tables of a loaded object.
struct mpipp_tables {
  const ElfW(Sym) * symbols;
  const char *names;
  uint64_t names_size; // size of the string table in bytes
  const ElfW(Rela) * relocations[2];
  uint64_t sizes[2]; // sizes of the relocation tables in bytes
};

static int is_mpi(const struct dl_phdr_info *object) {
  const char *base = strrchr(object->dlpi_name, '/');
  return base && strncmp(base, "/libmpi", 7) == 0;
}

// Finds the tables of a loaded object. The loader has relocated the tables' addresses, except in
// the vDSO.
static struct mpipp_tables tables_of(const struct dl_phdr_info *object, const ElfW(Dyn) * entry) {
  struct mpipp_tables found = {0};
  for (; entry->d_tag != DT_NULL; entry++) {
    const void *address =
        entry->d_un.d_ptr < object->dlpi_addr ? NULL : (const void *)entry->d_un.d_ptr;
    if (entry->d_tag == DT_SYMTAB) found.symbols = address;
    if (entry->d_tag == DT_STRTAB) found.names = address;
    if (entry->d_tag == DT_STRSZ) found.names_size = entry->d_un.d_val;
    if (entry->d_tag == DT_RELA) found.relocations[0] = address;
    if (entry->d_tag == DT_RELASZ) found.sizes[0] = entry->d_un.d_val;
    if (entry->d_tag == DT_JMPREL) found.relocations[1] = address;
    if (entry->d_tag == DT_PLTRELSZ) found.sizes[1] = entry->d_un.d_val;
  }
  return found;
}

// Adds a name of a procedure: in C, in Fortran (any case, with underscores and suffixes), or in
// MPI's former C++ bindings.
static void add_name(struct mpipp_references *found, const char *name) {
  int is_cxx = strncmp(name, "_ZN3MPI", 7) == 0 || strncmp(name, "_ZNK3MPI", 8) == 0;
  if (is_cxx || strcasestr(name, "mpi_")) found->to_mpi = 1;
  if (strcasestr(name, "mpi_win_") || (is_cxx && strstr(name, "3Win"))) found->to_windows = 1;
}

// Adds the names in an object's relocations, because each procedure that it calls has one. The
// symbol table itself has no length.
static void add_tables(struct mpipp_references *found, const struct mpipp_tables *tables) {
  if (!tables->symbols || !tables->names) return;
  for (int i = 0; i < 2; i++) {
    const ElfW(Rela) *one = tables->relocations[i];
    const ElfW(Rela) *end = one + tables->sizes[i] / sizeof *one;
    for (; one && one < end && !found->to_windows; one++) {
      const ElfW(Sym) *symbol = &tables->symbols[ELF64_R_SYM(one->r_info)];
      if (symbol->st_shndx == SHN_UNDEF && symbol->st_name < tables->names_size)
        add_name(found, tables->names + symbol->st_name);
    }
  }
}

static int add_object(struct dl_phdr_info *object, size_t size, void *data) {
  (void)size;
  struct mpipp_references *found = data;
  if (is_mpi(object)) return 0;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[i];
    if (header->p_type != PT_DYNAMIC) continue;
    struct mpipp_tables tables =
        tables_of(object, (const void *)(object->dlpi_addr + header->p_vaddr));
    add_tables(found, &tables);
  }
  return found->to_windows;
}

int mpipp_rma_program_may_use_windows(void) {
  struct mpipp_references found = {0, 0};
  dl_iterate_phdr(add_object, &found);
  return found.to_windows || !found.to_mpi;
}
