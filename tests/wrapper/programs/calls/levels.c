// SPDX-License-Identifier: MIT
// levels LEVEL WAY: threads that call MPI, by turns or at the same time.
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>

#include "probe.h"

static sem_t inside, leave;
static jmp_buf out;
static MPI_Comm comm;
static int key;

static void *make(void *unused) {
  MPI_Info info;
  MPI_Datatype made;
  MPI_Info_create(&info);
  MPI_Info_free(&info);
  MPI_Type_contiguous(2, MPI_INT, &made);
  MPI_Type_free(&made);
  return unused;
}

static void *only_infos(void *unused) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_free(&info);
  return unused;
}

static void in_thread(void *(*run)(void *)) {
  pthread_t thread;
  pthread_create(&thread, NULL, run, NULL);
  pthread_join(thread, NULL);
}

// The thread is in an MPI call, but idle, so that another thread does not disturb the library.
static int wait_inside(MPI_Comm from, int key, void *extra, void *in, void *out, int *flag) {
  (void)from, (void)key, (void)extra, (void)in, (void)out;
  sem_post(&inside);
  sem_wait(&leave);
  *flag = 0;
  return MPI_SUCCESS;
}

static void *duplicate(void *unused) {
  MPI_Comm copy;
  MPI_Comm_dup(comm, &copy);
  sem_post(&inside);
  sem_wait(&leave);
  MPI_Comm_free(&copy);
  return unused;
}

static void at_the_same_time(void) {
  pthread_t thread;
  MPI_Comm_set_attr(comm, key, &key);
  pthread_create(&thread, NULL, duplicate, NULL);
  sem_wait(&inside);
  make(NULL);
  look("inside");
  sem_post(&leave);
  sem_wait(&inside);
  look("returned");
  sem_post(&leave);
  pthread_join(thread, NULL);
}

static void jump(MPI_Comm *failed, int *code, ...) {
  (void)failed, (void)code;
  longjmp(out, 1);
}

static void after_a_jump(void) {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(jump, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  if (!setjmp(out)) MPI_Send(&key, 1, MPI_INT, 99, 1, comm);
  in_thread(make);
  look("jumped");
  make(NULL);
}

int main(int argc, char **argv) {
  int provided, wanted = argc > 1 ? atoi(argv[1]) : 0;
  const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                        MPI_THREAD_MULTIPLE};
  const char *way = argc > 2 ? argv[2] : "";
  MPI_Init_thread(NULL, NULL, levels[wanted], &provided);
  say("as wanted", provided == levels[wanted]);
  sem_init(&inside, 0, 0);
  sem_init(&leave, 0, 0);
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  SAY(comm);
  MPI_Comm_create_keyval(wait_inside, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  if (!strcmp(way, "same time")) at_the_same_time();
  if (!strcmp(way, "jump")) after_a_jump();
  if (!strcmp(way, "turns")) in_thread(make);
  if (!strcmp(way, "infos")) in_thread(only_infos);
  look("end");
  MPI_Finalize();
  return 0;
}
