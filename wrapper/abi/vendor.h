// SPDX-License-Identifier: MIT
// mpi.h of any library. This is the only file that knows how the libraries differ.
#ifndef MPIPP_ABI_VENDOR_H
#define MPIPP_ABI_VENDOR_H

// The deprecated and the removed procedures are wrapped as well.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include <mpi.h>
#include <stdint.h>

#include "abi/seam.h"

// MPIPP_HAVE_X for every procedure that mpi.h declares, in a file that the build writes
// (toolchain/build_wrapper.py). A build by hand takes the procedures of its version of the standard
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
// Its predefined handles are addresses of data symbols. A preloaded library must not refer to them
// (it would break every program without MPI), so they are looked up when first used.
MPIPP_SEAM void *mpipp_abi_symbol(const char *name);
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) ((type)mpipp_abi_symbol(#global))
// Removed from mpi.h, still in the library.
#undef MPI_LB
#undef MPI_UB
#define MPI_LB OMPI_PREDEFINED_GLOBAL(MPI_Datatype, ompi_mpi_lb)
#define MPI_UB OMPI_PREDEFINED_GLOBAL(MPI_Datatype, ompi_mpi_ub)
#endif

// A handle of any size, passed by value, arrives in a whole register. So one build can pass on the
// calls of a program that uses another library, unchanged.
typedef uintptr_t mpipp_arg;

// The Fortran INTEGER of a handle; for MPICH it is the handle, and the procedure a macro.
#ifdef MPIPP_FOR_MPICH
#define MPIPP_FINT(NAME, handle) ((int32_t)(handle))
#elif defined(MPIPP_FOR_ABI)
#define MPIPP_FINT(NAME, handle) ((int32_t)PMPI(NAME##_toint)(handle))
#else
#define MPIPP_FINT(NAME, handle) ((int32_t)PMPI(NAME##_c2f)(handle))
#endif

// 1 if MPI_File_call_errhandler takes MPI_FILE_NULL, whose error handler MPI_File_open has.
#ifdef MPIPP_FOR_OPENMPI
#define MPIPP_CALLS_HANDLER_OF_NO_FILE 0
#else
#define MPIPP_CALLS_HANDLER_OF_NO_FILE 1
#endif

// 1 if a persistent request is unchanged when MPI_Request_get_status has found it complete. MPICH
// 5.0 makes it inactive, so that MPI_Wait has no status to return. For the ABI it is unknown.
#if defined(MPIPP_FOR_OPENMPI) || (defined(MPIPP_FOR_MPICH) && MPICH_NUMVERSION < 40100000)
#define MPIPP_PERSISTENT_MAY_BE_ASKED 1
#else
#define MPIPP_PERSISTENT_MAY_BE_ASKED 0
#endif

// The bits of a handle by which the library distinguishes communicators, datatypes and so on; 0:
// none.
#ifdef MPIPP_FOR_MPICH
#define MPIPP_KIND_BITS 0x3C000000
#else
#define MPIPP_KIND_BITS 0
#endif

// 1 if MPI_Type_get_contents returns copies of handles, with handles of their own.
#ifdef MPIPP_FOR_OPENMPI
#define MPIPP_CONTENTS_ARE_COPIES 1
#else
#define MPIPP_CONTENTS_ARE_COPIES 0
#endif

// The class of datatypes. Such handles are addresses of objects that begin with the address of
// their class and a reference count.
#ifdef MPIPP_FOR_OPENMPI
#define MPIPP_DATATYPE_CLASS mpipp_abi_symbol("ompi_datatype_t_class")
#endif

// A handle as the registry's key: an unsigned integer of the handle's size.
#define MPIPP_KEY(handle)                                                                          \
  (sizeof(handle) == 4 ? (uint64_t)(uint32_t)(uintptr_t)(handle) : (uint64_t)(uintptr_t)(handle))

#endif
