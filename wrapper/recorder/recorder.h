// SPDX-License-Identifier: MIT
// Records facts on objects, for each kind of object. The functions are called when the MPI call has
// succeeded. They run on the caller's thread, which still counts as inside the call (thread depth
// 1), without the store's lock.
#ifndef MPIPP_RECORDER_RECORDER_H
#define MPIPP_RECORDER_RECORDER_H

#include "recorder/matching/channels.h"
#include "recorder/matching/comm_identity.h"
#include "recorder/objects/attached_buffers.h"
#include "recorder/objects/communicators.h"
#include "recorder/objects/datatypes.h"
#include "recorder/objects/files.h"
#include "recorder/objects/fortran_handles.h"
#include "recorder/objects/infos.h"
#include "recorder/objects/names.h"
#include "recorder/objects/plain_handles.h"
#include "recorder/objects/window_aliases.h"
#include "recorder/objects/windows.h"
#include "recorder/requests/requests.h"
#include "recorder/threads/past_calls.h"
#include "recorder/threads/threads.h"

#endif
