// SPDX-License-Identifier: MIT
// System calls with memory of pending operations: correct ones, and errors. One
// process.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, N = 4 * PAGE, SMALL = 64, COUNT = 100 };

// The second buffer begins in the middle of a page.
static struct { char out[N], before[COUNT], in[N], small[SMALL]; } _Alignas(PAGE) memory;
static MPI_Request requests[3];
static int pipes[2], sockets[2];
static FILE *file;
static int queue;
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
  NEED(write(pipes[1], memory.out, N) == N); // a send buffer may be read
  NEED(read(pipes[0], memory.before, COUNT) == COUNT);
  struct iovec parts[] = {{memory.before, COUNT}, {memory.out, PAGE}};
  NEED(writev(pipes[1], parts, 2) == COUNT + PAGE);
  while (code > 0) { // only as many bytes come as fit before the buffer
    code = (int)recv(sockets[1], memory.before, sizeof memory.before + N, MSG_DONTWAIT);
    if (code < 0) NEED(send(sockets[0], "abc", 3, 0) == 3);
  }
  NEED(recv(sockets[1], memory.before, sizeof memory.before + N, 0) == 3);
  NEED(posix_spawn(&child, "/bin/true", NULL, NULL, words, environ) == 0);
  NEED(waitpid(child, &code, 0) == child && code == 0);
  child = vfork();
  if (child == 0) execve("/bin/true", words, environ);
  NEED(waitpid(child, &code, 0) == child && code == 0);
  child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0L);
  if (child == 0) _exit(0);
  NEED(waitpid(child, &code, 0) == child && code == 0);
  NEED(getcwd(memory.before, sizeof memory.before + N) && *memory.before == '/');
  NEED(syscall(SYS_pwrite64, fileno(file), memory.out, N, 0L) == N);
  NEED(pread(fileno(file), memory.before, sizeof memory.before + N, 2 * N - COUNT) == COUNT);
  NEED(pwritev(fileno(file), parts, 2, N) == COUNT + PAGE);
  struct epoll_event *events = (struct epoll_event *)memory.before;
  *events = (struct epoll_event){.events = EPOLLIN};
  NEED((queue = epoll_create1(0)) >= 0 && epoll_ctl(queue, EPOLL_CTL_ADD, pipes[0], events) == 0);
  NEED(epoll_wait(queue, events, N / 16, 0) == 1);
  // The system itself reports these errors.
  NEED(read(pipes[0], NULL, PAGE) == -1 && errno == EFAULT);
  NEED(readv(pipes[0], (struct iovec *)8, 1) == -1 && errno == EFAULT);
  NEED(recvmsg(sockets[1], NULL, 0) == -1 && errno == EFAULT);
  NEED(recvmmsg(sockets[1], (void *)8, 1, MSG_DONTWAIT, NULL) == -1 && errno == EFAULT);
  NEED(syscall(SYS_stat, ".", (void *)8) == -1 && errno == EFAULT);
  NEED(getsockopt(sockets[0], SOL_SOCKET, SO_TYPE, memory.before, NULL) == -1 && errno == EFAULT);
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

static void wrong_in_other_calls(void) {
  char *in = memory.in;
  int fd = fileno(file), self = getpid();
  int type = SO_TYPE, path = AT_EMPTY_PATH;
  socklen_t length = 4, name = 8;
  struct iovec here = {in + 200, 8}, there = {memory.before, 8};
  struct mmsghdr messages[] = {{{.msg_iov = &there, .msg_iovlen = 1}, 0},
                               {{.msg_iov = &here, .msg_iovlen = 1}, 0}};
  struct pollfd *polled = (struct pollfd *)(memory.out + 2 * PAGE);
  *polled = (struct pollfd){pipes[0], POLLIN, 0};             //: stores to buf[8192](CHAR)
  NEED(preadv(fd, &here, 1, 0) == 8);                         //: stores to buf[200](CHAR)
  NEED(preadv2(fd, &here, 1, 0, 0) == 8);                     //: stores to buf[200](CHAR)
  NEED(pwritev(fd, &here, 1, 0) == 8);                        //: loads buf[200](CHAR)
  NEED(pwritev2(fd, &here, 1, 0, 0) == 8);                    //: loads buf[200](CHAR)
  NEED(stat(".", (void *)(in + 304)) == 0);                   //: stores to buf[304](CHAR)
  NEED(fstat(fd, (void *)(in + 312)) == 0);                   //: stores to buf[312](CHAR)
  NEED(fstatat(AT_FDCWD, ".", (void *)(in + 320), 0) == 0);   //: stores to buf[320](CHAR)
  NEED(statx(fd, "", path, 1, (void *)(in + 1024)) == 0);     //: stores to buf[1024](CHAR)
  NEED(getrandom(in + 500, 9, 0) == 9);                       //: stores to buf[500](CHAR)
  NEED(getcwd(in + 501, PAGE) == in + 501);                   //: stores to buf[501](CHAR)
  NEED(readlink("/proc/self/exe", in + 502, 3) == 3);         //: stores to buf[502](CHAR)
  NEED(uname((void *)(in + 503)) == 0);                       //: stores to buf[503](CHAR)
  NEED(sendmmsg(sockets[0], messages, 2, 0) == 2);            //: loads buf[200](CHAR)
  NEED(recvmmsg(sockets[1], messages, 2, 0, NULL) == 2);      //: stores to buf[200](CHAR)
  NEED(process_vm_readv(self, &here, 1, &there, 1, 0) == 8);  //: stores to buf[200](CHAR)
  NEED(process_vm_writev(self, &here, 1, &there, 1, 0) == 8); //: loads buf[200](CHAR)
  NEED(getsockopt(sockets[0], SOL_SOCKET, type, in + 8, &length) == 0); //: stores to buf[8](CHAR)
  NEED(getsockname(sockets[0], (void *)(in + 16), &name) == 0);         //: stores to buf[16](CHAR)
  NEED(poll(polled, 1, 0) == 1);                         //: stores to buf[8192](CHAR)
  NEED(epoll_wait(queue, (void *)(in + 24), 4, 0) == 1); //: stores to buf[24](CHAR)
  NEED(syscall(SYS_pread64, fd, in + 9, 2, 0L) == 2);    //: stores to buf[9](CHAR)
  NEED(syscall(SYS_getrandom, in + 10, 2, 0L) == 2);     //: stores to buf[10](CHAR)
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
  wrong_in_other_calls();
  end();
  MPI_Finalize();
  fputs("done\n", stdout);
  return 0;
}
