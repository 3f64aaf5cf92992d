// SPDX-License-Identifier: MIT
// Nonblocking receives with MPI_ANY_SOURCE or MPI_ANY_TAG (wildcards), whose messages are known
// only later.
//
// Until its message is known, a wildcard receive may belong to several channels. So the ordinals of
// later receives in these channels are unknown, too. All these receives wait in the order in which
// they were posted. When every earlier receive that might take from their channel is known, they
// are counted, and written to the ledger. So the ledger has the order of posting, by which MPI
// matches (MPI-4.1, section 3.5). Meanwhile the communicator's receives are frozen: ordinals are
// not certain, and `certain` of a channel is the number of its receives that are known.
#ifndef MPIPP_RECORDER_MATCHING_WILDCARD_RECEIVES_H
#define MPIPP_RECORDER_MATCHING_WILDCARD_RECEIVES_H

#include "abi/vendor.h"
#include "registry/records.h"

// The caller of all these functions holds the lock. Returns whether the communicator's receives
// wait, and no receive was lost.
int mpipp_recorder_has_wildcards(const struct mpipp_comm *comm);
// Adds a posted wildcard receive, with that ordinal among wildcard receives. blocking: the receive
// call itself will report the message. Returns 0 if it cannot be tracked.
int mpipp_recorder_wildcards_post(struct mpipp_comm *comm, const struct mpipp_call *noted,
                                  uint64_t place, uint64_t ordinal, int blocking);
// Adds another posted receive, of that channel. The caller counts it, and then calls
// mpipp_recorder_wildcards_settle. noted: NULL if the call is not known yet.
void mpipp_recorder_wildcards_post_receive(struct mpipp_comm *comm,
                                           const struct mpipp_channel *channel,
                                           const struct mpipp_call *noted, uint64_t place);
void mpipp_recorder_wildcards_settle(struct mpipp_comm *comm);
// Notes that the wildcard receive with that ordinal (0: the blocking one) has received a message
// with that source and tag.
void mpipp_recorder_wildcards_match(struct mpipp_comm *comm, uint64_t ordinal, int source, int tag);
// Notes that the message of a wildcard receive will stay unknown: the communicator's receives stay
// frozen.
void mpipp_recorder_wildcards_give_up(struct mpipp_comm *comm);

#endif
