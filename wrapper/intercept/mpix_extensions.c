// SPDX-License-Identifier: MIT
// Extensions of MPI libraries that create communicators. These communicators are not recorded. But
// if such a communicator gets the handle of a freed one, that one must no longer be found by the
// handle.
#include "abi/mpi_symbols.h"
#include "recorder/objects/communicators.h"

// Passes handles, and other values of their size, in a whole register each.
#define EXTENSION(NAME, PARAMETERS, ARGUMENTS)                                                     \
  __attribute__((visibility("default"))) int mpipp_##NAME PARAMETERS __asm__(#NAME);               \
  int mpipp_##NAME PARAMETERS {                                                                    \
    int(*real) PARAMETERS = (int(*) PARAMETERS)mpipp_abi_extension(#NAME);                         \
    int code = real ? real ARGUMENTS : MPI_ERR_OTHER;                                              \
    return code == MPI_SUCCESS ? note_comm(made_comm) : code;                                      \
  }

static __attribute__((unused)) int note_comm(const MPI_Comm *comm) {
  if (mpipp_abi_is_right_library()) mpipp_recorder_promise_comm(MPIPP_KEY(*comm));
  return MPI_SUCCESS;
}

// A program may look for an extension by its name. So one that the library lacks must not be
// defined here. For the MPI ABI it is unknown which extensions exist.
#if defined(MPIPP_FOR_OPENMPI)
#define HAS_SHRINK (OMPI_MAJOR_VERSION >= 5)
#define HAS_ISHRINK (OMPI_MAJOR_VERSION >= 6)
#define HAS_STREAMS 0
#define HAS_THREADS 0
#elif defined(MPIPP_FOR_MPICH)
#define HAS_SHRINK 1
#define HAS_ISHRINK 0
#define HAS_STREAMS (MPICH_NUMVERSION >= 40100000)
#define HAS_THREADS (MPICH_NUMVERSION >= 40200000)
#else
#define HAS_SHRINK 1
#define HAS_ISHRINK 1
#define HAS_STREAMS 1
#define HAS_THREADS 1
#endif

#if HAS_SHRINK
EXTENSION(MPIX_Comm_shrink, (mpipp_arg comm, MPI_Comm *made_comm), (comm, made_comm))
#endif
#if HAS_ISHRINK
EXTENSION(MPIX_Comm_ishrink, (mpipp_arg comm, MPI_Comm *made_comm, MPI_Request *request),
          (comm, made_comm, request))
#endif
#if HAS_STREAMS
EXTENSION(MPIX_Stream_comm_create, (mpipp_arg comm, mpipp_arg stream, MPI_Comm *made_comm),
          (comm, stream, made_comm))
EXTENSION(MPIX_Stream_comm_create_multiplex,
          (mpipp_arg comm, int count, const void *streams, MPI_Comm *made_comm),
          (comm, count, streams, made_comm))
#endif
#if HAS_THREADS
EXTENSION(MPIX_Threadcomm_init, (mpipp_arg comm, int threads, MPI_Comm *made_comm),
          (comm, threads, made_comm))
#endif
