// SPDX-License-Identifier: MIT
// Finds the MPI library's procedures at run time. Nothing here is linked to MPI, because a
// preloaded library must not break a program that does not use MPI.
#ifndef MPIPP_ABI_MPI_SYMBOLS_H
#define MPIPP_ABI_MPI_SYMBOLS_H

#include "abi/seam.h"
#include "abi/vendor.h"
#include "generated/procedures.h"

// The addresses of procedures. [0]: MPI_X of the next library (another tool, or MPI); [1]: PMPI_X.
extern void *mpipp_abi_real[2][MPIPP_PROCEDURES] MPIPP_SEAM_DATA(mpipp_abi_real);

// Finds all MPI_X. After that no entry is NULL, and threads may get records.
void mpipp_abi_resolve_all(void);

// Finds one procedure. If the library lacks it, returns a function that returns MPI_ERR_OTHER.
MPIPP_SEAM void *mpipp_abi_resolve(int profiling, unsigned procedure);

// Finds a function that is not part of the standard. Returns NULL if the library lacks it.
void *mpipp_abi_extension(const char *name);

// Returns whether the loaded library is the one for which the wrapper was built. If not, prints a
// sentence, once.
int mpipp_abi_is_right_library(void);

// Returns whether an address is code of this library, or of another part of the wrapper.
int mpipp_abi_is_own(const void *address);

// Returns whether the library has the procedure.
MPIPP_SEAM int mpipp_abi_has(unsigned procedure);

// The weights of a graph's edges; NULL for MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY.
const int *mpipp_abi_weights(const int *weights);

// The return address in the program: `caller`, but if that is in a layer of the MPI library
// (Fortran), the first one further out.
MPIPP_SEAM uint64_t mpipp_abi_outside_mpi_slow(uint64_t caller);
// Sets a layer: code that calls MPI for the program, so that return addresses in it are no places
// in the program. `place` returns the place for a call from the layer.
void mpipp_abi_set_layer(uint64_t from, uint64_t to, uint64_t (*place)(uint64_t caller));
// Returns whether an address is in the code of a library whose name begins with libmpi.
int mpipp_abi_in_mpi(uint64_t address);
// Bounds of the code of the MPI libraries and the layer.
extern uint64_t mpipp_abi_mpi_low MPIPP_SEAM_DATA(mpipp_abi_mpi_low);
extern uint64_t mpipp_abi_mpi_high MPIPP_SEAM_DATA(mpipp_abi_mpi_high);
static inline int mpipp_is_outside_mpi(uint64_t caller) {
  return __builtin_expect(caller < mpipp_abi_mpi_low || caller >= mpipp_abi_mpi_high, 1);
}
static inline uint64_t mpipp_outside_mpi(uint64_t caller) {
  return mpipp_is_outside_mpi(caller) ? caller : mpipp_abi_outside_mpi_slow(caller);
}
// A faster version of mpipp_abi_outside_mpi_slow, for an active call. For calls from one place in
// MPI's layers, the frames of layer and program must always be at the same distance.
MPIPP_SEAM uint64_t mpipp_abi_outside_mpi_at(uint64_t caller, uint64_t frame);
void mpipp_abi_find_mpi_code(void);

static inline void *mpipp_procedure(int profiling, unsigned procedure) {
  void *address = __atomic_load_n(&mpipp_abi_real[profiling][procedure], __ATOMIC_RELAXED);
  return __builtin_expect(address != 0, 1) ? address : mpipp_abi_resolve(profiling, procedure);
}

// PMPI(Type_size)(datatype, &size) calls PMPI_Type_size: for the recorder's own calls to the
// library.
#define PMPI(NAME) ((__typeof__(&MPI_##NAME))mpipp_procedure(1, MPIPP_PROC_##NAME))

#endif
