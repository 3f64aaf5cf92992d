// SPDX-License-Identifier: MIT
#include "perturb/rma/options.h"

#include <stdlib.h>
#include <string.h>

#include "perturb/random.h"

struct mpipp_rules mpipp_perturb_rules = {
    MPIPP_BY_SEED, MPIPP_BY_SEED, MPIPP_BY_SEED, 0,
    MPIPP_BY_SEED, MPIPP_BY_SEED, MPIPP_NO,      MPIPP_BY_SEED};

static const char *value_of(const char *text, const char *name) {
  const char *found = strstr(text, name);
  return found ? found + strlen(name) : NULL;
}

static int read_choice(const char *text, const char *name) {
  const char *value = value_of(text, name);
  return !value ? MPIPP_BY_SEED : *value == 'y' ? MPIPP_YES : MPIPP_NO;
}

static int read_order(const char *text) {
  static const char *const names[] = {"random", "reverse", "put-first", "get-first", "program"};
  const char *value = value_of(text, ",order=");
  for (int i = 0; value && i < (int)(sizeof names / sizeof *names); i++)
    if (!strncmp(value, names[i], strlen(names[i]))) return i;
  return MPIPP_BY_SEED;
}

void mpipp_perturb_rules_open(const char *text) {
  const char *latency = value_of(text, ",latency="), *parts = value_of(text, ",parts=");
  mpipp_perturb_rules.defer = read_choice(text, ",defer=");
  mpipp_perturb_rules.local = read_choice(text, ",local=");
  mpipp_perturb_rules.split = read_choice(text, ",split=");
  mpipp_perturb_rules.parts = parts ? strtol(parts, NULL, 10) : 0;
  mpipp_perturb_rules.flush = read_choice(text, ",flush=");
  mpipp_perturb_rules.show = read_choice(text, ",show=") == MPIPP_YES;
  mpipp_perturb_rules.order = read_order(text);
  mpipp_perturb_rules.latency = latency ? strtol(latency, NULL, 10) : MPIPP_BY_SEED;
}

int mpipp_perturb_choose(int choice, unsigned in_16) {
  return choice == MPIPP_BY_SEED ? mpipp_perturb_chance(16) < in_16 : choice;
}
