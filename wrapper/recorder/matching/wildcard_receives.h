// SPDX-License-Identifier: MIT
// Nonblocking receives with MPI_ANY_SOURCE or MPI_ANY_TAG, whose messages are known late.
//
// Until the message is known, the receive may belong to several channels. So the ordinals of later
// receives in these channels are unknown, too. All of them wait in the order in which they were
// posted, until every earlier receive is known that may take from their channel. Then they are
// counted, and go to the ledger. So the ledger has the order of posting, by which MPI matches
// (MPI-4.1, section 3.5). Meanwhile the communicator's receives are frozen: ordinals are not
// certain, and `certain` of a channel is the number of its receives that are known.
#ifndef MPIPP_RECORDER_MATCHING_WILDCARD_RECEIVES_H
#define MPIPP_RECORDER_MATCHING_WILDCARD_RECEIVES_H

#include "abi/vendor.h"
#include "registry/records.h"

// All of these with the lock held. Returns whether receives wait, and all later ones have waited so
// far.
int mpipp_recorder_has_wildcards(const struct mpipp_comm *comm);
// A receive of any message is posted, with that ordinal among them. blocking: it will report its
// message itself. Returns 0 if it cannot be tracked.
int mpipp_recorder_wildcards_post(struct mpipp_comm *comm, const struct mpipp_call *noted,
                                  uint64_t place, uint64_t ordinal, int blocking);
// Another receive is posted in that channel. The caller counts it, and then settles the receives
// that can be. noted: NULL if its call is not known yet.
void mpipp_recorder_wildcards_post_receive(struct mpipp_comm *comm,
                                           const struct mpipp_channel *channel,
                                           const struct mpipp_call *noted, uint64_t place);
void mpipp_recorder_wildcards_settle(struct mpipp_comm *comm);
// That receive of any message took one with that source and tag; 0: the blocking one.
void mpipp_recorder_wildcards_match(struct mpipp_comm *comm, uint64_t ordinal, int source, int tag);
// Its message will stay unknown: the communicator's receives are frozen for good.
void mpipp_recorder_wildcards_give_up(struct mpipp_comm *comm);

#endif
