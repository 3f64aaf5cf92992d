// SPDX-License-Identifier: MIT
// The entry point: the content of the library, and the steps when a program loads it.
//
// libmpipp_wrap is loaded before MPI (LD_PRELOAD). It defines MPI_X and PMPI_X for every procedure
// of the standard, records the arguments of each call, and calls MPI. The records are in the
// program's own memory: the registry, at the exported symbol `mpipp_registry`, which describes its
// own layout. gdb, the watcher and tests read it there, without running MPI or this library.
//
// Built by hand, the recorder alone, in the directory above this one:
//
//   mpicc -shared -fPIC -fvisibility=hidden -std=gnu11 -O1 -g -Iwrapper -o libmpipp_wrap.so
//     wrapper/libmpipp_wrap.c wrapper/{abi,registry,layout}/*.c
//     wrapper/{recorder,call_filter}/{,*/}*.c
//     wrapper/{watcher_client,intercept,generated}/*.c -ldl -lpthread
//
// as one line; then
//
//   LD_PRELOAD=$PWD/libmpipp_wrap.so gdb -x mpipp/gdb_printers.py ./program
//
// `mpipp wrapper` builds the same recorder for an MPI library, and each other part as a library
// beside it (mpipp/toolchain/build_wrapper.py). None refers to a symbol of MPI: the recorder may be
// loaded into any program. `mpipp run` loads it alone; the other parts come with the options that
// need them. The recorder by itself makes no thread, handles no signal and replaces no function of
// the C library.
//
// From load to end:
//
//  1. Constructors run when the libraries are loaded. The recorder's prepares the process for fork.
//     The constructors of the other loaded parts add their hooks (`hook_in` in their ..._hook.c).
//     MPI may not be loaded yet, or be another library than this was built for; nothing calls it.
//  2. The process's first call of MPI, on any thread, opens all parts: `mpipp_open` below. Each
//     further thread gets a record at its first call (intercept/startup.c).
//  3. Once MPI is initialized, the predefined handles are recorded, and the process introduces
//     itself to the watcher (`mpipp_intercept_after_init`).
//  4. Each call goes the same way: generated/calls_*.c decode it, intercept/wrapper_body.h records
//     it, the hooks enter, MPI is called, the hooks leave. Then recorder/ records the objects that
//     it made or ended. The most frequent forms take a shorter way (intercept/fast_path.h).
//  5. MPI_Finalize, MPI_Abort, exit: the process tells the watcher that this is the end, and how
//     (intercept/finalize.c). The records stay.
//
// The folders, lowest first; each calls only those before it (docs/design.md, "Layers"). The
// recorder's:
//
//   abi/                  MPI's procedures, found at run time; differences between libraries
//   registry/             the records, their published layout, their memory
//   watcher_client/       the connection to `mpipp run`'s watcher, if there is one
//   recorder/             facts on threads, objects, requests and messages
//   layout/               the bytes that entries of a datatype use, block by block
//   call_filter/          clears calls that are certainly valid; the watcher checks the others
//   intercept/            the way of a call, and the hooks
//
// The other parts add their hooks through intercept/hooks.h, like a library of another project
// (docs/reference/hooks.md has one). They refer to the symbols that the recorder exports
// (abi/seam.h). Each library, its folders, and the options that load it:
//
//   check    collective_precheck/  compares collective calls before they begin (--strict)
//   guard    buffer_guard/         protects the buffers of pending operations (--check=buffers)
//            instrumentation/      takes the accesses that programs of `mpipp cc` detect themselves
//   rma      rma_log/              logs operations on windows, and what orders them (--check=rma)
//            rma_page_trace/       adds loads and stores to that log (--rma-loads)
//            thread_order/         logs what orders the threads of a process
//   perturb  perturb/              makes legal, adversarial schedules (--provoke)
//   death    death_signals/        lets the watcher read the stack of a dying process (--check)
//   hold     debugger/             holds each process until gdb is there (mpipp debug)
//   free     libc_interposer/      reports freed memory and system calls to guard and rma
//   screen   rma_screen/           reads RMA logs without findings fast; only the watcher loads it
#include "abi/mpi_symbols.h"
#include "intercept/call_order_hook.h"
#include "intercept/callers_hook.h"
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

// The root of all records. The root's first bytes, "MPIPPREG", identify it, and the next ones say
// how to read the rest.
extern struct mpipp_registry mpipp_registry;

static void open_for_watcher(void) {
  mpipp_watcher_connect();
  mpipp_intercept_filter_open();
  mpipp_intercept_call_order_open();
  mpipp_intercept_callers_open();
  mpipp_intercept_stop_at_open();
}

void mpipp_open(void) {
  // In a program of another MPI library, all calls are passed on to it, and nothing is recorded.
  int right = mpipp_abi_is_right_library();
  if (right) {
    mpipp_recorder_open_threads();
    mpipp_abi_resolve_all();
  } else {
    mpipp_registry.status = MPIPP_STATUS_INERT;
  }
  mpipp_registry_open();
  mpipp_registry_open_stores(mpipp_recorder_forget);
  mpipp_recorder_wildcard_waits = mpipp_intercept_watch_wildcards;
  mpipp_recorder_ledger_open();
  if (right && mpipp_registry_is_shared) open_for_watcher();
  mpipp_abi_find_mpi_code(); // also for another MPI library, where readers must see the status
  if (right) mpipp_intercept_python_open();
}
