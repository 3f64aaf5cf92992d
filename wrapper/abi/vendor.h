// SPDX-License-Identifier: MIT
// Includes mpi.h of any MPI library. Only this file knows how the libraries differ.
#ifndef MPIPP_ABI_VENDOR_H
#define MPIPP_ABI_VENDOR_H

// Deprecated and removed procedures are wrapped, too.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include <mpi.h>
#include <stdint.h>

#include "abi/seam.h"

// mpipp_have.h defines MPIPP_HAVE_X for every procedure X that mpi.h declares. The build writes
// that header (toolchain/build_wrapper.py). A build by hand uses the procedures of the library's
// version of the standard (libmpipp_wrap.c).
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
// In Open MPI, predefined handles are addresses of variables. A preloaded library must not refer to
// these, because it would break every program without MPI. So these symbols are looked up when they
// are first used.
MPIPP_SEAM void *mpipp_abi_symbol(const char *name);
#undef OMPI_PREDEFINED_GLOBAL
#define OMPI_PREDEFINED_GLOBAL(type, global) ((type)mpipp_abi_symbol(#global))
// mpi.h no longer has these names, but the library still has them.
#undef MPI_LB
#undef MPI_UB
#define MPI_LB OMPI_PREDEFINED_GLOBAL(MPI_Datatype, ompi_mpi_lb)
#define MPI_UB OMPI_PREDEFINED_GLOBAL(MPI_Datatype, ompi_mpi_ub)
#endif

// A handle of any size that is passed by value occupies a whole register. With this type, one build
// can pass on the calls of a program that uses another library, unchanged.
typedef uintptr_t mpipp_arg;

// The Fortran INTEGER of a handle. For MPICH it is the handle itself, and MPI_X_c2f is a macro.
#ifdef MPIPP_FOR_MPICH
#define MPIPP_FINT(NAME, handle) ((int32_t)(handle))
#elif defined(MPIPP_FOR_ABI)
#define MPIPP_FINT(NAME, handle) ((int32_t)PMPI(NAME##_toint)(handle))
#else
#define MPIPP_FINT(NAME, handle) ((int32_t)PMPI(NAME##_c2f)(handle))
#endif

// 1 if MPI_File_call_errhandler accepts MPI_FILE_NULL, whose error handler MPI_File_open uses.
#ifdef MPIPP_FOR_OPENMPI
#define MPIPP_CALLS_HANDLER_OF_NO_FILE 0
#else
#define MPIPP_CALLS_HANDLER_OF_NO_FILE 1
#endif

// The bits of a handle by which the library distinguishes communicators, datatypes and other
// objects; 0: none.
#ifdef MPIPP_FOR_MPICH
#define MPIPP_KIND_BITS 0x3C000000
#else
#define MPIPP_KIND_BITS 0
#endif

// 1 if MPI_Type_get_contents returns duplicates of datatypes, with new handles.
#ifdef MPIPP_FOR_OPENMPI
#define MPIPP_CONTENTS_ARE_COPIES 1
#else
#define MPIPP_CONTENTS_ARE_COPIES 0
#endif

// The class pointer of datatypes. In Open MPI, handles are addresses of objects that begin with the
// address of their class and a reference count.
#ifdef MPIPP_FOR_OPENMPI
#define MPIPP_DATATYPE_CLASS mpipp_abi_symbol("ompi_datatype_t_class")
#endif

// Converts a handle to the registry's key: an unsigned integer of the handle's size.
#define MPIPP_KEY(handle)                                                                          \
  (sizeof(handle) == 4 ? (uint64_t)(uint32_t)(uintptr_t)(handle) : (uint64_t)(uintptr_t)(handle))

#endif
