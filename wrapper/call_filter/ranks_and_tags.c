// SPDX-License-Identifier: MIT
#include "call_filter/ranks_and_tags.h"

enum { OF_RANKS = 200, OF_TAGS };

static inline int is_tag(int64_t tag) {
  return tag >= 0 && (tag <= mpipp_registry.tag_ub || !mpipp_registry.tag_ub);
}

int mpipp_filter_has_plain_ranks(const struct mpipp_call *call, const struct mpipp_comm *comm,
                                 struct mpipp_doubt *doubt) {
  const uint32_t present = call->present;
  const int64_t size = comm->inter ? comm->remote_size : comm->size;
  if (present & MPIPP_HAS_DEST && !mpipp_is_rank(call->dest, size))
    return mpipp_doubt_reason(doubt, OF_RANKS, (uint64_t)call->dest);
  if (present & MPIPP_HAS_SOURCE && !mpipp_is_rank(call->source, size) &&
      call->source != MPI_ANY_SOURCE)
    return mpipp_doubt_reason(doubt, OF_RANKS, (uint64_t)call->source);
  if (present & MPIPP_HAS_TAG && !is_tag(call->tag)) {
    int any = present & MPIPP_HAS_SOURCE && !(present & MPIPP_HAS_DEST);
    if (!any || call->tag != MPI_ANY_TAG)
      return mpipp_doubt_reason(doubt, OF_TAGS, (uint64_t)call->tag);
  }
  if (present & MPIPP_HAS_RECVTAG && !is_tag(call->recvtag) && call->recvtag != MPI_ANY_TAG)
    return mpipp_doubt_reason(doubt, OF_TAGS, (uint64_t)call->recvtag);
  int root = !(present & MPIPP_HAS_ROOT) || (uint64_t)call->root < (uint64_t)size;
  if (!root && comm->inter) root = call->root == MPI_ROOT || call->root == MPI_PROC_NULL;
  return root || mpipp_doubt_reason(doubt, OF_RANKS, (uint64_t)call->root);
}
