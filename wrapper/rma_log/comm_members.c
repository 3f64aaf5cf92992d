// SPDX-License-Identifier: MIT
#include "rma_log/comm_members.h"

#include "abi/vendor.h"
#include "registry/object_store.h"
#include "rma_log/log.h"

static uint64_t count_of(const struct mpipp_comm *comm) {
  uint64_t own = comm->world_ranks ? (uint64_t)comm->size : 0;
  return own + (comm->inter && comm->remote_world_ranks ? (uint64_t)comm->remote_size : 0);
}

static uint64_t *add(uint64_t *at, uint64_t ranks, int32_t count) {
  for (int32_t i = 0; ranks && i < count; i++)
    *at++ = (uint64_t)(int64_t)((const int32_t *)(uintptr_t)ranks)[i];
  return at;
}

void mpipp_rma_log_comm(const struct mpipp_call *call, struct mpipp_comm *comm) {
  if (MPIPP_READ(comm->logged) || !comm->identity || !comm->world_known) return;
  uint64_t *at = mpipp_rma_log_begin(MPIPP_LOGGED_COMM, call, 5 + count_of(comm));
  if (!at) return;
  at[0] = comm->identity;
  at[1] = (comm->inter ? MPIPP_LOG_INTER : 0) | (mpipp_rma_log_finds_races ? MPIPP_LOG_RACES : 0);
  at[2] = (uint64_t)(int64_t)comm->rank;
  at[3] = (uint64_t)comm->size;
  at[4] = comm->inter ? (uint64_t)comm->remote_size : 0;
  at = add(at + 5, comm->world_ranks, comm->size);
  if (comm->inter) add(at, comm->remote_world_ranks, comm->remote_size);
  MPIPP_WRITE(comm->logged, 1);
  mpipp_rma_log_end();
}

uint64_t mpipp_rma_log_group_words(const struct mpipp_group *group) {
  return group->world_known && group->size > 0 ? (uint64_t)group->size : 0;
}

void mpipp_rma_log_group(uint64_t *at, const struct mpipp_group *group) {
  const int32_t *ranks = (const int32_t *)(uintptr_t)group->world_ranks;
  for (uint64_t i = 0; i < mpipp_rma_log_group_words(group); i++)
    at[i] = ranks ? (uint64_t)(int64_t)ranks[i] : i;
}

uint64_t mpipp_rma_log_rank(const struct mpipp_comm *comm, int64_t rank) {
  if (rank == MPI_ANY_SOURCE) return MPIPP_LOG_ANY;
  uint64_t ranks = comm->inter ? comm->remote_world_ranks : comm->world_ranks;
  int32_t size = comm->inter ? comm->remote_size : comm->size;
  if (rank < 0 || rank >= size || !(ranks || comm->world_known)) return MPIPP_LOG_NOT_KNOWN;
  if (!ranks) return comm->inter ? MPIPP_LOG_NOT_KNOWN : (uint64_t)rank;
  return (uint64_t)(int64_t)((const int32_t *)(uintptr_t)ranks)[rank];
}
