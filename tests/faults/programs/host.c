// SPDX-License-Identifier: MIT
// host PLUGIN: loads it, and MPI with it, hiding their symbols from all others; then it works.
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
  void *plugin = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW | RTLD_LOCAL);
  if (!plugin) {
    puts(dlerror());
    return 1;
  }
  int (*work)(void) = (int (*)(void))dlsym(plugin, "work");
  printf("work returned %d\n", work());
  return 0;
}
