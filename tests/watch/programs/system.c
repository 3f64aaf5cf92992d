// SPDX-License-Identifier: MIT
// System calls that are given memory of pending operations: what is right, and what is not. One
// process.
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, N = 4 * PAGE, SMALL = 64, COUNT = 100 };

// The second begins amid a page.
static struct { char out[N], before[COUNT], in[N], small[SMALL]; } _Alignas(PAGE) memory;
static MPI_Request requests[3];
static int pipes[2], sockets[2];
static FILE *file;
extern char **environ;

static void need(int is_true, int line) {
  if (is_true) return;
  fprintf(stderr, "line %d, errno %d\n", line, errno);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
#define NEED(x) need(x, __LINE__)

static void start(void) {
  MPI_Irecv(memory.in, N, MPI_CHAR, 0, 1, MPI_COMM_SELF, &requests[0]);
  MPI_Irecv(memory.small, SMALL, MPI_CHAR, 0, 2, MPI_COMM_SELF, &requests[1]);
  MPI_Issend(memory.out, N, MPI_CHAR, 0, 3, MPI_COMM_SELF, &requests[2]);
}

static void end(void) {
  static char other[N];
  MPI_Send(other, N, MPI_CHAR, 0, 1, MPI_COMM_SELF);
  MPI_Send(other, SMALL, MPI_CHAR, 0, 2, MPI_COMM_SELF);
  MPI_Recv(other, N, MPI_CHAR, 0, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
}

static void right(void) {
  static char *const words[] = {"true", NULL};
  pid_t child;
  int code = 1;
  NEED(write(pipes[1], memory.out, N) == N); // what is sent may be read
  NEED(read(pipes[0], memory.before, COUNT) == COUNT);
  struct iovec parts[] = {{memory.before, COUNT}, {memory.out, PAGE}};
  NEED(writev(pipes[1], parts, 2) == COUNT + PAGE);
  while (code > 0) { // no more comes than what lies before the buffer has room for
    code = (int)recv(sockets[1], memory.before, sizeof memory.before + N, MSG_DONTWAIT);
    if (code < 0) NEED(send(sockets[0], "abc", 3, 0) == 3);
  }
  NEED(recv(sockets[1], memory.before, sizeof memory.before + N, 0) == 3);
  NEED(posix_spawn(&child, "/bin/true", NULL, NULL, words, environ) == 0);
  NEED(waitpid(child, &code, 0) == child && code == 0);
  child = vfork();
  if (child == 0) execve("/bin/true", words, environ);
  NEED(waitpid(child, &code, 0) == child && code == 0);
  // Errors are the system's to tell.
  NEED(read(pipes[0], NULL, PAGE) == -1 && errno == EFAULT);
  NEED(readv(pipes[0], (struct iovec *)8, 1) == -1 && errno == EFAULT);
  NEED(recvmsg(sockets[1], NULL, 0) == -1 && errno == EFAULT);
}

static void wrong(void) {
  struct iovec parts[] = {{memory.before, COUNT}, {memory.in + COUNT, PAGE}};
  struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
  NEED(read(pipes[0], memory.in + 100, PAGE) == PAGE);         //: stores to buf[100](CHAR)
  NEED(pread(fileno(file), memory.out + PAGE - 1, 2, 0) == 2); //: stores to buf[4095](CHAR)
  NEED(write(pipes[1], memory.in + PAGE, PAGE) == PAGE);       //: loads buf[4096](CHAR)
  NEED(write(pipes[1], memory.small + 8, 4) == 4);             //: loads buf[8](CHAR)
  NEED(sendmsg(sockets[0], &message, 0) == COUNT + PAGE);      //: loads buf[100](CHAR)
  NEED(fread(memory.in, 2, PAGE, file) == PAGE);               //: stores to buf(CHAR)
}

int main(void) {
  static char some[2 * N];
  MPI_Init(NULL, NULL);
  file = tmpfile();
  NEED(pipe(pipes) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
  NEED(file && fwrite(some, 1, sizeof some, file) == sizeof some);
  rewind(file);
  start();
  right();
  wrong();
  end();
  MPI_Finalize();
  puts("done");
  return 0;
}
