// SPDX-License-Identifier: MIT
// mpi.h of whichever library, and the only place that knows how the libraries differ.
#ifndef MPIPP_ABI_VENDOR_H
#define MPIPP_ABI_VENDOR_H

// The deprecated and the removed procedures are wrapped as well.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include <mpi.h>
#include <stdint.h>

// MPIPP_HAVE_X for every procedure mpi.h declares: the build writes it
// (toolchain/build_wrapper.py). Who builds by hand takes what its version of the standard has
// (libmpipp_wrap.c).
#if __has_include("mpipp_have.h")
#include "mpipp_have.h"
#else
#include "generated/have.h"
#endif

enum mpipp_flavor { MPIPP_FLAVOR_MPICH = 1, MPIPP_FLAVOR_OPENMPI, MPIPP_FLAVOR_ABI };

#if !defined(MPIPP_FOR_MPICH) && !defined(MPIPP_FOR_OPENMPI) && !defined(MPIPP_FOR_ABI)
#if defined(OPEN_MPI)
#define MPIPP_FOR_OPENMPI 1
#elif defined(MPICH_VERSION)
#define MPIPP_FOR_MPICH 1
#elif defined(MPI_ABI_VERSION)
#define MPIPP_FOR_ABI 1
#endif
#endif

#if defined(MPIPP_FOR_MPICH)
#define MPIPP_FLAVOR MPIPP_FLAVOR_MPICH
#elif defined(MPIPP_FOR_OPENMPI)
#define MPIPP_FLAVOR MPIPP_FLAVOR_OPENMPI
#elif defined(MPIPP_FOR_ABI)
#define MPIPP_FLAVOR MPIPP_FLAVOR_ABI
#else
#error "of this mpi.h mpipp knows no library: compile with -DMPIPP_FOR_MPICH, _OPENMPI or _ABI"
#endif

#ifdef MPIPP_FOR_OPENMPI
// Its predefined handles are addresses of data symbols. A preloaded library must not refer to
// them (it would break every program without MPI), so they are looked up when first used.
void *mpipp_abi_symbol(const char *name);
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) ((type)mpipp_abi_symbol(#global))
// Removed from mpi.h, still in the library.
#undef MPI_LB
#undef MPI_UB
#define MPI_LB OMPI_PREDEFINED_GLOBAL(MPI_Datatype, ompi_mpi_lb)
#define MPI_UB OMPI_PREDEFINED_GLOBAL(MPI_Datatype, ompi_mpi_ub)
#endif

// Handles passed by value arrive in a whole register, whatever their size: one build can then pass
// on the calls of a program that uses another library, untouched.
typedef uintptr_t mpipp_arg;

// The Fortran INTEGER of a handle; for MPICH it is the handle, and the procedure a macro.
#ifdef MPIPP_FOR_MPICH
#define MPIPP_FINT(NAME, handle) ((int32_t)(handle))
#elif defined(MPIPP_FOR_ABI)
#define MPIPP_FINT(NAME, handle) ((int32_t)PMPI(NAME##_toint)(handle))
#else
#define MPIPP_FINT(NAME, handle) ((int32_t)PMPI(NAME##_c2f)(handle))
#endif

// Whether MPI_File_call_errhandler takes MPI_FILE_NULL, whose error handler MPI_File_open has.
#ifdef MPIPP_FOR_OPENMPI
#define MPIPP_CALLS_HANDLER_OF_NO_FILE 0
#else
#define MPIPP_CALLS_HANDLER_OF_NO_FILE 1
#endif

// Whether a persistent request is as before once MPI_Request_get_status has found it complete:
// MPICH 5.0 takes it for inactive, so that MPI_Wait has no status to tell. Of the ABI nobody knows.
#if defined(MPIPP_FOR_OPENMPI) || (defined(MPIPP_FOR_MPICH) && MPICH_NUMVERSION < 40100000)
#define MPIPP_PERSISTENT_MAY_BE_ASKED 1
#else
#define MPIPP_PERSISTENT_MAY_BE_ASKED 0
#endif

// The bits of a handle by which the library tells communicators from datatypes and so on; 0: none.
#ifdef MPIPP_FOR_MPICH
#define MPIPP_KIND_BITS 0x3C000000
#else
#define MPIPP_KIND_BITS 0
#endif

// Whether the handles that MPI_Type_get_contents gives out are copies, with handles of their own.
#ifdef MPIPP_FOR_OPENMPI
#define MPIPP_CONTENTS_ARE_COPIES 1
#else
#define MPIPP_CONTENTS_ARE_COPIES 0
#endif

// Where handles are addresses of objects that begin with the address of their class and the number
// of references to them: the class of datatypes.
#ifdef MPIPP_FOR_OPENMPI
#define MPIPP_DATATYPE_CLASS mpipp_abi_symbol("ompi_datatype_t_class")
#endif

// A handle as the registry's key: an unsigned integer of the handle's size.
#define MPIPP_KEY(handle)                                                                          \
  (sizeof(handle) == 4 ? (uint64_t)(uint32_t)(uintptr_t)(handle) : (uint64_t)(uintptr_t)(handle))

#endif
