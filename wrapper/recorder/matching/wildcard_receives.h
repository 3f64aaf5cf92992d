// SPDX-License-Identifier: MIT
// Receives of any message that are told late which one they took: nonblocking ones with
// MPI_ANY_SOURCE or MPI_ANY_TAG.
//
// Until then it is open of which channel such a receive is, and so which ordinals those have that
// were posted after it and may be of the same channel. They wait in the order in which they were
// posted, until all before them are known that may take a message of their channel. Then they are
// counted, and go to the ledger: so its order is that of posting, which MPI matches by (MPI-4.1,
// section 3.5). Meanwhile the communicator's receives are frozen: ordinals are not certain, and
// `certain` of a channel is the number of its receives that are known.
#ifndef MPIPP_RECORDER_MATCHING_WILDCARD_RECEIVES_H
#define MPIPP_RECORDER_MATCHING_WILDCARD_RECEIVES_H

#include "abi/vendor.h"
#include "registry/records.h"

// All with the lock held. Whether some are waiting, and all after them have waited so far.
int mpipp_recorder_is_late(const struct mpipp_comm *comm);
// A receive of any message, the one with that ordinal among those, is posted; blocking: it will say
// so itself. Returns 0 if it is given up.
int mpipp_recorder_late_any(struct mpipp_comm *comm, const struct mpipp_call *noted, uint64_t place,
                            uint64_t ordinal, int blocking);
// Another receive is posted in that channel, and counted by the caller, who then lets settle what
// can be; noted: NULL: it is not known yet what that is.
void mpipp_recorder_late_other(struct mpipp_comm *comm, const struct mpipp_channel *channel,
                               const struct mpipp_call *noted, uint64_t place);
void mpipp_recorder_late_settle(struct mpipp_comm *comm);
// That receive of any message, 0: the blocking one, took one of that source and tag.
void mpipp_recorder_late_matched(struct mpipp_comm *comm, uint64_t ordinal, int source, int tag);
// It will not become known: the communicator's receives are frozen for good.
void mpipp_recorder_late_give_up(struct mpipp_comm *comm);

#endif
