// SPDX-License-Identifier: MIT
#include "watcher_client/error_policy.h"

#include <stdlib.h>
#include <string.h>

#include "abi/vendor.h"

enum mpipp_on_error mpipp_watcher_on_error = MPIPP_REPORT;

__attribute__((constructor)) static void read_setting(void) {
  const char *wanted = getenv("MPIPP_STRICT");
  if (!wanted) return;
  if (strcmp(wanted, "handler") == 0) mpipp_watcher_on_error = MPIPP_HANDLER;
  if (strcmp(wanted, "abort") == 0) mpipp_watcher_on_error = MPIPP_ABORT;
}

// The error classes that rules have (mpipp/analysis/rules/), except MPI_ERR_OTHER.
#define CLASS(NAME)                                                                                \
  { #NAME, NAME }
static const struct {
  const char *name;
  int value;
} classes[] = {
    CLASS(MPI_ERR_ARG),     CLASS(MPI_ERR_BUFFER),   CLASS(MPI_ERR_COMM),      CLASS(MPI_ERR_COUNT),
    CLASS(MPI_ERR_DIMS),    CLASS(MPI_ERR_DISP),     CLASS(MPI_ERR_FILE),      CLASS(MPI_ERR_GROUP),
    CLASS(MPI_ERR_INFO),    CLASS(MPI_ERR_IO),       CLASS(MPI_ERR_OP),        CLASS(MPI_ERR_RANK),
    CLASS(MPI_ERR_REQUEST), CLASS(MPI_ERR_ROOT),     CLASS(MPI_ERR_RMA_RANGE), CLASS(MPI_ERR_SIZE),
    CLASS(MPI_ERR_TAG),     CLASS(MPI_ERR_TOPOLOGY), CLASS(MPI_ERR_TYPE),      CLASS(MPI_ERR_WIN),
#ifdef MPIPP_HAVE_Session_init
    CLASS(MPI_ERR_SESSION),
#endif
};

int mpipp_watcher_class_of_name(const char *name) {
  for (unsigned i = 0; i < sizeof classes / sizeof *classes; i++) {
    if (strcmp(classes[i].name, name) == 0) return classes[i].value;
  }
  return *name ? MPI_ERR_OTHER : MPI_SUCCESS;
}
