// SPDX-License-Identifier: MIT
// The front door: what the library is, and what happens when a program loads it.
//
// libmpipp_wrap is loaded before MPI (LD_PRELOAD). It defines MPI_X and PMPI_X for every procedure
// of the standard, records what each call is passed, and calls MPI. What it has recorded lies in
// the program's own memory: the registry, at the exported symbol `mpipp_registry`, which describes
// its own layout. gdb, the watcher and tests read it there; nobody asks MPI, or this library, to
// run for that.
//
// Built by hand, the recorder alone, in the directory above this one:
//
//   mpicc -shared -fPIC -fvisibility=hidden -std=gnu11 -O1 -g -Iwrapper -o libmpipp_wrap.so
//     wrapper/libmpipp_wrap.c wrapper/{abi,registry,recorder,layout,call_filter}/*.c
//     wrapper/recorder/*/*.c wrapper/{watcher_client,intercept,generated}/*.c -ldl -lpthread
//
// as one line; then
//
//   LD_PRELOAD=$PWD/libmpipp_wrap.so gdb -x mpipp/gdb_printers.py ./program
//
// `mpipp wrapper` builds it with all parts, once for each MPI library (mpipp/toolchain/
// build_wrapper.py). That one refers to no symbol of MPI: it may be loaded into any program.
//
// From load to end:
//
//  1. Constructors run when the library is loaded: parts that the environment asks for hook
//     themselves in (`hook_in` in their hook.c), the process is readied for fork. MPI may not be
//     there yet, nor be the library that this was built for; nothing is asked of it.
//  2. The process's first call of MPI, on any thread, opens all parts: `mpipp_open` below. Each
//     further thread gets a record at its first call (intercept/startup.c).
//  3. Once MPI is initialized, the predefined handles are recorded, and the watcher is told who
//     this process is (`mpipp_intercept_initialized`).
//  4. Each call goes the same way: generated/calls_*.c decode it, intercept/wrapper_body.h records
//     it, the hooks enter, MPI is called, the hooks leave, recorder/ records what it made or ended.
//     Calls as programs make them most often go a shorter way (intercept/fast_path.h).
//  5. MPI_Finalize, MPI_Abort, exit: the watcher is told that this is the end, and how
//     (intercept/finalize.c). The records stay where they are.
//
// The parts, lowest first; a part calls only those before it (docs/design.md, "Layers"):
//
//   abi/                  MPI's procedures, found when the program runs, and how libraries differ
//   registry/             the records, their published layout, the memory that they lie in
//   watcher_client/       the connection to `mpipp run`'s watcher, if there is one
//   recorder/             what becomes known of threads, objects, requests and messages
//   layout/               the bytes that entries of a datatype use, block by block
//   call_filter/          whether a call is certain to be right; else the watcher is asked
//   intercept/            the way of a call, and the hooks
//
// What follows hooks itself in through intercept/hooks.h, as a library of somebody else would
// (docs/extending.md has one), and is left out of the command above:
//
//   collective_precheck/  compares collective calls before they begin (--strict)
//   buffer_guard/         protects the buffers of pending operations (--check=buffers)
//   rma_log/              logs what is done on windows, and what orders it (--check=rma)
//   rma_page_trace/       adds loads and stores to that log (--rma-loads)
//   perturb/              makes legal, unkind schedules (--provoke)
//   instrumentation/      takes what programs of `mpipp cc` find themselves
//   libc_interposer/      a library of its own beside this one: memory that is freed, system calls
#include "abi/mpi_symbols.h"
#include "intercept/filter_hook.h"
#include "intercept/python_frames.h"
#include "intercept/startup.h"
#include "intercept/stop_at.h"
#include "intercept/wildcard_hook.h"
#include "recorder/ledger/ledger.h"
#include "recorder/recorder.h"
#include "recorder/release.h"
#include "registry/object_store.h"
#include "registry/registry.h"
#include "registry/shared_arena.h"
#include "watcher_client/connection.h"

// Where everything is; the first bytes say what they are, "MPIPPREG", and how to read on.
extern struct mpipp_registry mpipp_registry;

static void open_for_watcher(void) {
  mpipp_watcher_connect();
  mpipp_intercept_screens_open();
  mpipp_intercept_stop_at_open();
}

void mpipp_open(void) {
  // In a program of another MPI library everything is passed on, and nothing recorded.
  int right = mpipp_abi_right_library();
  if (right) {
    mpipp_recorder_open_threads();
    mpipp_abi_resolve_all();
  } else {
    mpipp_registry.status = MPIPP_STATUS_INERT;
  }
  mpipp_registry_open();
  mpipp_registry_open_stores(mpipp_recorder_forget);
  mpipp_recorder_any_waits = mpipp_intercept_hear_of_any;
  mpipp_recorder_ledger_open();
  if (right && mpipp_registry_shared) open_for_watcher();
  mpipp_abi_find_mpi_code(); // in either case: readers shall see the status
  if (right) mpipp_intercept_python_open();
}
