// SPDX-License-Identifier: MIT
// Calls of the program inside MPI_Finalize: callbacks of the attributes of MPI_COMM_SELF may free
// objects, and communicate (MPI-4.1, section 11.2.4).
#define _GNU_SOURCE
#include "intercept/finalize.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <string.h>

#include "abi/mpi_symbols.h"
#include "intercept/abandoned_calls.h"
#include "recorder/threads/threads.h"
#include "registry/registry.h"

enum { MAX_FRAMES = 64 };

static struct mpipp_thread callback; // the record for callbacks of the thread inside MPI_Finalize

// A place for breakpoints: from here on the program can free no more objects.
__attribute__((noinline)) void mpipp_finalizing(void) {
  __asm__ volatile("");
}

static int refuse_copy(MPI_Comm comm, int keyval, void *state, void *in, void *out, int *flag) {
  (void)comm, (void)keyval, (void)state, (void)in, (void)out;
  *flag = 0;
  return MPI_SUCCESS;
}

static int note_deletion(MPI_Comm comm, int keyval, void *value, void *state) {
  (void)comm, (void)keyval, (void)value, (void)state;
  __atomic_store_n(&mpipp_registry.end_awaited, 0, __ATOMIC_RELEASE);
  mpipp_finalizing();
  return MPI_SUCCESS;
}

// Sets an attribute on MPI_COMM_SELF. Attributes are deleted in the reverse order in which they
// were set. So this attribute, which is set at the end of MPI_Init, is deleted after the program's.
void mpipp_intercept_await_end(void) {
  int keyval;
  if (PMPI(Comm_create_keyval)(refuse_copy, note_deletion, &keyval, NULL) != MPI_SUCCESS) return;
  int code = PMPI(Comm_set_attr)(MPI_COMM_SELF, keyval, NULL);
  __atomic_store_n(&mpipp_registry.end_awaited, code == MPI_SUCCESS, __ATOMIC_RELEASE);
  PMPI(Comm_free_keyval)(&keyval); // the attribute keeps its key
}

// Returns whether code belongs to the MPI library, or to one of Open MPI's plug-ins.
static int is_mpi(void *address) {
  if (mpipp_abi_in_mpi((uintptr_t)address)) return 1;
  Dl_info info;
  const char *name = dladdr(address, &info) && info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
  return name && strncmp(name, "/mca_", 5) == 0;
}

// Returns whether the program has made the current call. MPI calls its own procedures, too, and
// then the caller may in the end be this library.
static int program_calls(void) {
  void *stack[MAX_FRAMES];
  int saved = errno, depth = backtrace(stack, MAX_FRAMES), i = 0;
  while (i < depth && mpipp_abi_is_own(stack[i])) i++;
  while (i < depth && is_mpi(stack[i])) i++;
  errno = saved;
  return i < depth && !mpipp_abi_is_own(stack[i]);
}

static int is_finalizing(const struct mpipp_call *call) {
  return call->procedure == MPIPP_PROC_Finalize && call->state == MPIPP_CALL_ACTIVE &&
         mpipp_registry.end_awaited;
}

struct mpipp_thread *mpipp_intercept_callback_record(struct mpipp_thread *thread, void *caller,
                                                     void *frame) {
  if (!mpipp_intercept_is_inside(thread, caller, frame)) return thread;
  if (!is_finalizing(&thread->call)) return NULL;
  if (callback.depth && mpipp_intercept_is_inside(&callback, caller, frame)) return NULL;
  if (!program_calls()) return NULL;
  mpipp_recorder_thread_init(
      &callback); // clears old content; the record is not in the table of threads
  callback.tid = thread->tid;
  callback.self = thread->self;
  callback.stack_start = thread->stack_start;
  callback.stack_end = thread->stack_end;
  return &callback;
}
