// SPDX-License-Identifier: MIT
// What becomes known of an object, kind by kind. All are called after the MPI call succeeded, on
// the caller's thread, inside the call (thread depth 1), without the store's lock.
#ifndef MPIPP_RECORDERS_H
#define MPIPP_RECORDERS_H

#include "recorders/attached.h"
#include "recorders/channels.h"
#include "recorders/communicators.h"
#include "recorders/creations.h"
#include "recorders/datatypes.h"
#include "recorders/files.h"
#include "recorders/fortran.h"
#include "recorders/handles.h"
#include "recorders/infos.h"
#include "recorders/moved.h"
#include "recorders/names.h"
#include "recorders/requests.h"
#include "recorders/threads.h"
#include "recorders/windows.h"

#endif
