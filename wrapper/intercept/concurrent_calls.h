// SPDX-License-Identifier: MIT
// With MPI_THREAD_MULTIPLE, finds calls of two threads that must not be active at the same time
// (MPI-4.1, section 11.6.2). These are two collective calls on one communicator, window or file,
// and two calls that complete one request. The check costs nothing before a second thread calls
// MPI. Then each of these calls exchanges a word of the object's record.
#ifndef MPIPP_INTERCEPT_CONCURRENT_CALLS_H
#define MPIPP_INTERCEPT_CONCURRENT_CALLS_H

// Begins to check. Called when a second thread is about to call MPI.
void mpipp_intercept_compare_threads(void);

#endif
