// SPDX-License-Identifier: MIT
// The messages of a test program to its test (watched.py): the values of its handles and variables.
// At its stops the test reads its registry. One line a message, over a socket.
#ifndef PROBE_H
#define PROBE_H
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "mpipp_have.h" // MPIPP_HAVE_X for every procedure mpi.h declares

static int probe_socket = -1;

static inline void tell(const char *format, ...) {
  char line[512];
  if (probe_socket < 0) return; // nobody is watching
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line - 1, format, arguments);
  va_end(arguments);
  line[length++] = '\n';
  if (write(probe_socket, line, (size_t)length) != length) _exit(71);
}

// Runs before main, so that nothing depends on MPI.
__attribute__((constructor)) static void probe_connect(void) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const char *path = getenv("PROBE_SOCKET");
  if (!path) return;
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  probe_socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(probe_socket, (struct sockaddr *)&address, sizeof address)) _exit(72);
  tell("process %d %#llx", getpid(),
       (unsigned long long)(uintptr_t)dlsym(RTLD_DEFAULT, "mpipp_registry"));
}

// The test reads the registry now, and then lets the program continue.
static inline void look(const char *what) {
  char go;
  if (probe_socket < 0) return;
  tell("look %s", what);
  if (read(probe_socket, &go, 1) != 1) _exit(0); // the test has ended
}

static inline void say(const char *name, long long value) {
  tell("say %s %lld", name, value);
}

#define NUMBER(value) say(#value, (long long)(value))
#define ADDRESS(object) say(#object, (long long)(uintptr_t)(object))
// Prints a handle as the registry stores it.
#define KEY(handle)                                                                                \
  (sizeof(handle) == 4 ? (long long)(uint32_t)(uintptr_t)(handle) : (long long)(uintptr_t)(handle))
#define SAY(handle) say(#handle, KEY(handle))
// Prints the line of this call, under a name.
#define LINE(name) say(name ".line", __LINE__)

#endif
