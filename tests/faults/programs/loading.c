// SPDX-License-Identifier: MIT
// loading PLUGIN OTHER ARGUMENT...: loads the first and calls its main, while another thread loads
// and unloads the second all the time.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static int over = 0;

static void *load(void *other) {
  while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
    void *library = dlopen(other, RTLD_NOW | RTLD_LOCAL);
    if (library) dlclose(library);
  }
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t loader;
  void *plugin = argc > 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!plugin) {
    puts(dlerror());
    return 1;
  }
  int (*work)(int, char **) = (int (*)(int, char **))dlsym(plugin, "work");
  pthread_create(&loader, NULL, load, argv[2]);
  int status = work(argc - 2, argv + 2);
  __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
  pthread_join(loader, NULL);
  return status;
}
