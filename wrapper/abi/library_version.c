// SPDX-License-Identifier: MIT
#define _GNU_SOURCE
#include "abi/library_version.h"

#include <stdio.h>

#include "abi/mpi_symbols.h"

#ifndef MPIPP_FOR_OPENMPI
enum {
  FIRST_PART = 64, // the version is in the first characters of the text
  INDEX = 0xFF,    // bits of a predefined handle of MPICH with the datatype's number
  OLD = 0x46,      // highest number of a datatype in MPICH 4
};

// The version of MPICH as major * 100 + minor; 0 if it is another library.
static int mpich_version(void) {
  static int known = -1;
  int version = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (version >= 0) return version;
  static char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0, major = 0, minor = 0;
  version = 0;
  if (PMPI(Get_library_version)(text, &length) == MPI_SUCCESS) {
    text[FIRST_PART] = '\0';
    if (sscanf(text, "MPICH Version: %d.%d", &major, &minor) == 2) version = major * 100 + minor;
  }
  __atomic_store_n(&known, version, __ATOMIC_RELAXED);
  return version;
}
#endif

int mpipp_abi_has_datatype(MPI_Datatype datatype) {
#ifdef MPIPP_FOR_MPICH
  return mpich_version() >= 500 || (datatype & INDEX) <= OLD;
#else
  (void)datatype;
  return 1;
#endif
}

int mpipp_abi_keeps_persistent_requests(void) {
#ifdef MPIPP_FOR_OPENMPI
  return 1;
#else
  int version = mpich_version();
  return version && version < 401;
#endif
}

#ifndef MPIPP_FOR_OPENMPI
int mpipp_abi_completes_gets_early(void) {
#ifdef MPIPP_FOR_MPICH
  return mpich_version() < 401;
#else
  return 0;
#endif
}
#endif
