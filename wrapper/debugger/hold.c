// SPDX-License-Identifier: MIT
// With `mpipp debug`, a process waits here, before main, until the debugger has attached. Its
// output then goes to the debugger, which labels it. If the debugger ends, the process ends.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { FILES = 2, STATUS = 1 }; // FILES: largest number of passed files, for output and input
// A process tries TRIES times to reach the debugger's agent on its node, every STEP nanoseconds.
enum { TRIES = 3000, STEP = 20000000 };

// mpipp/cli/commands/debug/held_ranks.py has the same layouts.
struct mpipp_hold_hello {
  char magic[8];
  int32_t pid, rank, size; // -1: the launcher has not set the variable
};
struct mpipp_hold_reply {
  char magic[8];
  int32_t debugger, files; // debugger: process id. files: bit 0: a file for output, bit 1: a file
                           // for input
};

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static int is_mpi_library(struct dl_phdr_info *library, size_t bytes, void *unused) {
  (void)bytes, (void)unused;
  const char *name = base_name(library->dlpi_name);
  return !strncmp(name, "libmpi", 6) && strncmp(name, "libmpipp", 8);
}

// Returns whether the process is an MPI program, since shells between the launcher and the program
// are not held. Python counts, because it loads MPI later.
static int is_mpi_program(void) {
  static char path[4096]; // too large for a stack frame; the function is called once
  ssize_t bytes = readlink("/proc/self/exe", path, sizeof path - 1);
  path[bytes > 0 ? bytes : 0] = 0;
  return !strncmp(base_name(path), "python", 6) || dl_iterate_phdr(is_mpi_library, NULL);
}

static int32_t read_number(const char *const *names) {
  for (; *names; names++) {
    const char *text = getenv(*names);
    char *end = NULL;
    long found = text ? strtol(text, &end, 10) : -1;
    if (text && end != text && !*end && found >= 0 && found <= INT32_MAX) return (int32_t)found;
  }
  return -1;
}

static int connect_to(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return -1;
  strcpy(address.sun_path, path);
  int made = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  struct ucred peer;
  socklen_t bytes = sizeof peer;
  if (made < 0) return -1;
  if (!connect(made, (struct sockaddr *)&address, sizeof address) &&
      !getsockopt(made, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) && peer.uid == geteuid())
    return made;
  close(made);
  return -1;
}

static int has_directory(const char *path) {
  static char directory[sizeof(struct sockaddr_un)];
  const char *slash = strrchr(path, '/');
  if (!slash || (size_t)(slash - path) >= sizeof directory) return 0;
  memcpy(directory, path, (size_t)(slash - path));
  return !access(directory, X_OK);
}

// Waits for the debugger. On other nodes mpipp/watcher/ipc/launch.py makes the directory. The
// debugger starts an agent on the node, which needs some time.
static int await_debugger(const char *path) {
  const struct timespec step = {0, STEP};
  for (int tries = 0;; tries++) {
    int connection = connect_to(path);
    if (connection >= 0 || tries == TRIES || !has_directory(path)) return connection;
    nanosleep(&step, NULL);
  }
}

static int send_hello(int connection, const char *magic) {
  static const char *const ranks[] = {"PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK",
                                      "SLURM_PROCID", NULL};
  static const char *const sizes[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS", NULL};
  struct mpipp_hold_hello hello = {{0}, (int32_t)getpid(), read_number(ranks), read_number(sizes)};
  memcpy(hello.magic, magic, sizeof hello.magic);
  return send(connection, &hello, sizeof hello, MSG_NOSIGNAL) == (ssize_t)sizeof hello;
}

static void take_files(const int *files, unsigned given) {
  if (given & 1) {
    dup2(*files, STDOUT_FILENO);
    dup2(*files, STDERR_FILENO);
    close(*files++);
  }
  if (given & 2) {
    dup2(*files, STDIN_FILENO);
    close(*files);
  }
}

static ssize_t receive(int connection, void *data, size_t bytes, int *files, size_t most) {
  union {
    char space[CMSG_SPACE(FILES * sizeof(int))];
    struct cmsghdr align;
  } control;
  struct iovec to = {data, bytes};
  struct msghdr message = {.msg_iov = &to,
                           .msg_iovlen = 1,
                           .msg_control = control.space,
                           .msg_controllen = sizeof control.space};
  ssize_t got;
  do got = recvmsg(connection, &message, MSG_CMSG_CLOEXEC);
  while (got < 0 && errno == EINTR);
  struct cmsghdr *rights = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
  if (rights && rights->cmsg_type == SCM_RIGHTS && rights->cmsg_len <= CMSG_LEN(most))
    memcpy(files, CMSG_DATA(rights), rights->cmsg_len - CMSG_LEN(0));
  return got;
}

static void wait_for_debugger(int connection) {
  struct mpipp_hold_reply reply = {{0}, 0, 0};
  int files[FILES] = {-1, -1};
  if (receive(connection, &reply, sizeof reply, files, sizeof files) != (ssize_t)sizeof reply)
    _exit(STATUS);
  take_files(files, (unsigned)reply.files);
  // Under Yama, only this process may attach. The value is -1 (any process) on other nodes, because
  // gdb starts the gdbserver there later.
  prctl(PR_SET_PTRACER, (unsigned long)(long)reply.debugger, 0, 0, 0);
  char released;
  if (receive(connection, &released, 1, files, 0) != 1) _exit(STATUS);
}

// Processes from MPI_Comm_spawn inherit the launcher's environment. Spawned processes report that
// they have started, and do not wait.
static void send_hello_of_child(const char *path) {
  int connection = path && dl_iterate_phdr(is_mpi_library, NULL) ? connect_to(path) : -1;
  if (connection < 0) return;
  send_hello(connection, "MPIPPSPN");
  close(connection);
}

__attribute__((constructor)) static void hold(void) {
  const char *path = getenv("MPIPP_HOLD"), *of_spawned = getenv("MPIPP_HOLD_SPAWNED");
  int saved = errno;
  if (path && is_mpi_program()) {
    int connection = await_debugger(path);
    // Programs that this one starts are not held.
    unsetenv("MPIPP_HOLD");
    unsetenv("MPIPP_HOLD_SPAWNED");
    if (connection < 0) return;
    if (send_hello(connection, "MPIPPDBG")) wait_for_debugger(connection);
    close(connection);
  } else if (!path) {
    send_hello_of_child(of_spawned);
  }
  errno = saved;
}
