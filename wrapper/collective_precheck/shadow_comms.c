// SPDX-License-Identifier: MIT
#include "collective_precheck/shadow_comms.h"

#include <stddef.h>
#include <time.h>

#include "abi/mpi_symbols.h"
#include "collective_precheck/fingerprint.h"
#include "generated/facts.h"
#include "registry/object_store.h"
#include "registry/registry.h"
#include "watcher_client/collective_mismatch.h"

// A limit: libraries have only about 2,000 communicators, and the program needs them.
enum { NONE = 0, MOST_LIVING = 256 };
#define FAILED (~(uint64_t)0) // the shadow could not be created, and is not tried again

static int is_decided = 0, all_make_them = 0;
static int living = 0;

int mpipp_precheck_shadows_are_off(void) {
  return is_decided && !all_make_them;
}

// The record of the object on which the call is collective; NULL if it is unknown, or can have no
// shadow.
static struct mpipp_object *collective_object(const struct mpipp_passage *passage) {
  const struct mpipp_call *call = passage->call;
  switch (mpipp_facts[call->procedure].over) {
  case MPIPP_OVER_COMM:
  case MPIPP_OVER_GROUPS: // collective over a group of each process's choice
    if (call->present & MPIPP_HAS_COMM) return mpipp_find_live(MPIPP_COMM, call->comm);
    if (passage->kind != MPIPP_COMM || !passage->handle)
      return NULL; // the call frees the
                   // communicator
    return mpipp_find_live(MPIPP_COMM, MPIPP_KEY(*(MPI_Comm *)passage->handle));
  case MPIPP_OVER_WIN:
    if (call->present & MPIPP_HAS_WIN) return mpipp_find_live(MPIPP_WIN, call->win);
    if (passage->kind != MPIPP_WIN || !passage->handle) return NULL;
    return mpipp_find_live(MPIPP_WIN, MPIPP_KEY(*(MPI_Win *)passage->handle));
  case MPIPP_OVER_FILE:
    if (call->present & MPIPP_HAS_FILE) return mpipp_find_live(MPIPP_FILE, call->file);
    if (passage->kind != MPIPP_FILE || !passage->handle) return NULL;
    return mpipp_find_live(MPIPP_FILE, MPIPP_KEY(*(MPI_File *)passage->handle));
  default:
    return NULL;
  }
}

static uint64_t *field(struct mpipp_object *record) {
  switch (record->kind) {
  case MPIPP_COMM:
    return &((struct mpipp_comm *)record)->shadow;
  case MPIPP_WIN:
    return &((struct mpipp_win *)record)->shadow;
  default:
    return &((struct mpipp_file *)record)->shadow;
  }
}

struct mpipp_shadow mpipp_precheck_shadow_of(const struct mpipp_passage *passage) {
  struct mpipp_shadow found = {.comm = MPI_COMM_NULL};
  struct mpipp_object *record = collective_object(passage);
  uint64_t shadow = record ? MPIPP_READ(*field(record)) : NONE;
  const struct mpipp_comm *comm =
      record && record->kind == MPIPP_COMM ? (const struct mpipp_comm *)record : NULL;
  found.missing = shadow == FAILED && comm && (comm->inter || comm->size > 1);
  if (shadow == NONE || shadow == FAILED) return found;
  found.comm = (MPI_Comm)(uintptr_t)shadow;
  found.identity = comm ? comm->identity : 0;
  found.inter = comm && comm->inter;
  if (comm && !comm->inter) {
    found.rank = comm->rank;
    found.size = comm->size;
  } else {
    PMPI(Comm_rank)(found.comm, &found.rank);
    PMPI(Comm_size)(found.comm, &found.size);
  }
  return found;
}

// Returns whether all processes of a communicator can create another one. On an intercommunicator a
// reduction returns the other group's value, so a second one is needed for the own group's.
static int have_capacity(MPI_Comm comm, int inter) {
  int room = MPIPP_READ(living) < MOST_LIVING, others = 0, all = 1;
  for (int i = 0; i <= inter; i++) {
    if (PMPI(Allreduce)(&room, &others, 1, MPI_INT, MPI_MIN, comm) != MPI_SUCCESS) return 0;
    all = all && others;
    room = others;
  }
  return all;
}

// Creates the shadow of a communicator from its group, because a duplicate would call the copy
// callbacks of attributes. Nothing else uses the new communicator yet. The two groups of an
// intercommunicator are merged, in any order.
static MPI_Comm create_shadow(MPI_Comm comm, int inter) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Errhandler before;
  MPI_Group group;
  if (PMPI(Comm_get_errhandler)(comm, &before) != MPI_SUCCESS) return MPI_COMM_NULL;
  PMPI(Comm_set_errhandler)(comm, MPI_ERRORS_RETURN); // the library may have no more communicators
  if (inter) {
    if (PMPI(Intercomm_merge)(comm, 0, &made) != MPI_SUCCESS) made = MPI_COMM_NULL;
  } else if (PMPI(Comm_group)(comm, &group) == MPI_SUCCESS) {
    if (PMPI(Comm_create)(comm, group, &made) != MPI_SUCCESS) made = MPI_COMM_NULL;
    PMPI(Group_free)(&group);
  }
  PMPI(Comm_set_errhandler)(comm, before);
  if (!mpipp_registry_is_constant(MPIPP_ERRHANDLER, MPIPP_KEY(before)))
    PMPI(Errhandler_free)(&before);
  return made;
}

static MPI_Comm duplicate_comm(const struct mpipp_passage *passage) {
  MPI_Comm parent = mpipp_precheck_shadow_of(passage).comm, made = MPI_COMM_NULL;
  if (parent == MPI_COMM_NULL || !have_capacity(parent, 0) ||
      PMPI(Comm_dup)(parent, &made) != MPI_SUCCESS)
    return MPI_COMM_NULL;
  return made;
}

static void keep(struct mpipp_object *record, MPI_Comm shadow) {
  if (shadow != MPI_COMM_NULL) {
    PMPI(Comm_set_errhandler)(shadow, MPI_ERRORS_RETURN);
    __atomic_add_fetch(&living, 1, __ATOMIC_RELAXED);
  }
  MPIPP_WRITE(*field(record), shadow == MPI_COMM_NULL ? FAILED : (uint64_t)(uintptr_t)shadow);
}

static int are_in_this_world(uint64_t world_ranks, int size) {
  const int32_t *ranks = (const int32_t *)(uintptr_t)world_ranks;
  for (int i = 0; ranks && i < size; i++) {
    if (ranks[i] < 0) return 0;
  }
  return 1;
}

// Returns whether all processes of a communicator compare calls; all get the same result. Processes
// of other worlds may run without --strict, or without a watcher.
static int has_strict_processes(const struct mpipp_comm *comm) {
  if (!comm->inter && comm->size < 2) return 0;
  return comm->world_known && are_in_this_world(comm->world_ranks, comm->size) &&
         (!comm->inter || (comm->remote_world_ranks &&
                           are_in_this_world(comm->remote_world_ranks, comm->remote_size)));
}

static void make_shadow(struct mpipp_comm *record) {
  if (!record || MPIPP_READ(record->shadow) != NONE) return;
  MPI_Comm comm = (MPI_Comm)(uintptr_t)record->object.handle;
  int inter = record->inter != 0;
  int strict = all_make_them && has_strict_processes(record) && have_capacity(comm, inter);
  keep(&record->object, strict ? create_shadow(comm, inter) : MPI_COMM_NULL);
}

static void make_comm_shadow(MPI_Comm comm) {
  if (comm != MPI_COMM_NULL) make_shadow(mpipp_find_live(MPIPP_COMM, MPIPP_KEY(comm)));
}

void mpipp_precheck_shadow_make_in_call(const struct mpipp_passage *passage) {
  struct mpipp_object *record = collective_object(passage);
  if (record && record->kind == MPIPP_COMM) make_shadow((struct mpipp_comm *)record);
}

uint64_t mpipp_precheck_shadows_number = 0;

static void agree_on_number(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  mpipp_precheck_shadows_number =
      mpipp_mix((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec, mpipp_registry.pid);
  PMPI(Bcast)(&mpipp_precheck_shadows_number, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
}

void mpipp_precheck_shadow_make(const struct mpipp_passage *passage) {
  uint32_t procedure = passage->call->procedure;
  const struct mpipp_facts *facts = &mpipp_facts[procedure];
  if (procedure == MPIPP_PROC_Init || procedure == MPIPP_PROC_Init_thread) {
    // Asks the watcher, without communication: other processes may run without --strict, and would
    // not take part.
    all_make_them =
        mpipp_registry.world_size < 2 || mpipp_watcher_all_are_strict(mpipp_registry.pid);
    is_decided = 1;
    if (all_make_them) {
      make_comm_shadow(MPI_COMM_WORLD);
      agree_on_number();
    }
    return;
  }
  if (!all_make_them || !passage->handle || facts->over == MPIPP_OVER_NONE ||
      facts->form != MPIPP_FORM_BLOCKING)
    return;
  if (passage->kind == MPIPP_COMM) return make_comm_shadow(*(MPI_Comm *)passage->handle);
  if (facts->over != MPIPP_OVER_COMM) return;
  struct mpipp_object *record = NULL;
  if (passage->kind == MPIPP_WIN)
    record = mpipp_find_live(MPIPP_WIN, MPIPP_KEY(*(MPI_Win *)passage->handle));
  else if (passage->kind == MPIPP_FILE)
    record = mpipp_find_live(MPIPP_FILE, MPIPP_KEY(*(MPI_File *)passage->handle));
  if (record) keep(record, duplicate_comm(passage));
}

void mpipp_precheck_shadow_free(MPI_Comm shadow) {
  PMPI(Comm_free)(&shadow);
  __atomic_sub_fetch(&living, 1, __ATOMIC_RELAXED);
}
