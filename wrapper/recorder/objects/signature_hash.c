// SPDX-License-Identifier: MIT
#include "recorder/objects/signature_hash.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "generated/letters.h"
#include "registry/object_store.h"

static const uint64_t points[2] = MPIPP_DIGEST_POINTS;
#define LESS_ONE (MPIPP_DIGEST_PRIME - 1) // add it to subtract one, modulo the prime
static const struct mpipp_fingerprint empty = {.power = {1, 1}};

static uint64_t reduce(uint64_t value) {
  return value >= MPIPP_DIGEST_PRIME ? value - MPIPP_DIGEST_PRIME : value;
}

static uint64_t product(uint64_t one, uint64_t other) {
  unsigned __int128 whole = (unsigned __int128)one * other;
  return reduce((uint64_t)(whole & MPIPP_DIGEST_PRIME) + (uint64_t)(whole >> 61));
}

// Tables of powers of the points: for each place of an exponent in base 16, and each digit there.
// The last table has the inverses of the points minus one.
enum { DIGIT_BITS = 4, DIGITS = 1 << DIGIT_BITS, PLACES = 64 / DIGIT_BITS };
static uint64_t powers[2][PLACES][DIGITS], inverses[2];

static uint64_t power(int point, uint64_t exponent) {
  uint64_t found = powers[point][0][exponent % DIGITS];
  for (int i = 1; exponent >>= DIGIT_BITS; i++)
    found = product(found, powers[point][i][exponent % DIGITS]);
  return found;
}

static void prepare(void) {
  for (int i = 0; i < 2; i++) {
    uint64_t base = points[i];
    for (int k = 0; k < PLACES; k++) {
      powers[i][k][0] = 1;
      for (int d = 1; d < DIGITS; d++) powers[i][k][d] = product(powers[i][k][d - 1], base);
      base = product(powers[i][k][DIGITS - 1], base);
    }
    // The inverse by Fermat's theorem: the power with the exponent prime - 2.
    base = points[i] - 1;
    inverses[i] = 1;
    for (uint64_t left = MPIPP_DIGEST_PRIME - 2; left; left >>= 1, base = product(base, base)) {
      if (left & 1) inverses[i] = product(inverses[i], base);
    }
  }
}

struct mpipp_fingerprint mpipp_recorder_fingerprint_concatenate(struct mpipp_fingerprint first,
                                                                struct mpipp_fingerprint second) {
  for (int i = 0; i < 2; i++) {
    first.hash[i] = reduce(product(first.hash[i], second.power[i]) + second.hash[i]);
    first.power[i] = product(first.power[i], second.power[i]);
  }
  first.elements += second.elements;
  first.bits |= second.bits;
  return first;
}

// The fingerprint of `count` copies of one element. Its hashes are still multiplied by the points
// minus one: a (x^count - 1).
static struct mpipp_fingerprint repeat_element(struct mpipp_fingerprint part, uint64_t count) {
  for (int i = 0; i < 2; i++) {
    part.power[i] = power(i, count);
    part.hash[i] = product(part.hash[i], reduce(part.power[i] + LESS_ONE));
  }
  part.elements = count;
  return part;
}

static void divide(struct mpipp_fingerprint *scaled) {
  for (int i = 0; i < 2; i++) scaled->hash[i] = product(scaled->hash[i], inverses[i]);
}

struct mpipp_fingerprint mpipp_recorder_fingerprint_repeat(struct mpipp_fingerprint part,
                                                           uint64_t count) {
  if (count == 1) return part;
  struct mpipp_fingerprint found = empty;
  if (part.elements == 1 && count) {
    found = repeat_element(part, count);
    divide(&found);
    return found;
  }
  for (; count; count >>= 1) {
    if (count & 1) found = mpipp_recorder_fingerprint_concatenate(found, part);
    if (count > 1) part = mpipp_recorder_fingerprint_concatenate(part, part);
  }
  return found;
}

// The mixing function of splitmix64.
static uint64_t mix(uint64_t word) {
  word += 0x9E3779B97F4A7C15u;
  word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9u;
  word = (word ^ word >> 27) * 0x94D049BB133111EBu;
  return word ^ word >> 31;
}

static struct mpipp_fingerprint make_letter(uint64_t first, uint64_t second) {
  return (struct mpipp_fingerprint){{first, second}, {points[0], points[1]}, 1, 0};
}

// A fingerprint for a name that is not in the table.
static struct mpipp_fingerprint hash_name(const char *name) {
  static const uint64_t seeds[2] = MPIPP_LETTER_SEEDS;
  uint64_t hash = 0xCBF29CE484222325u, found[2];
  for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 0x100000001B3u;
  for (int i = 0; i < 2; i++) {
    found[i] = mix(hash ^ seeds[i]) % MPIPP_DIGEST_PRIME;
    if (!found[i]) found[i] = 1;
  }
  return make_letter(found[0], found[1]);
}

static struct mpipp_fingerprint name_fingerprint(const char *name) {
  static const struct {
    const char *name;
    uint64_t elements, letters[2][2], bits;
  } table[] = {
#define LETTER(NAME, ELEMENTS, FIRST, FIRST2, SECOND, SECOND2, BITS)                               \
  {NAME, ELEMENTS, {{FIRST, FIRST2}, {SECOND, SECOND2}}, BITS},
      MPIPP_LETTERS(LETTER)};
  for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
    if (strcmp(table[i].name, name) != 0) continue;
    struct mpipp_fingerprint found = empty;
    for (unsigned k = 0; k < table[i].elements; k++) {
      const uint64_t *letters = table[i].letters[k];
      found = mpipp_recorder_fingerprint_concatenate(found, make_letter(letters[0], letters[1]));
    }
    found.bits = table[i].bits;
    return found;
  }
  return hash_name(name);
}

// The name has the form "F90_REAL(p 6, r MPI_UNDEFINED)". Each of the two values may be undefined;
// the same goes for INTEGERs of another library.
static struct mpipp_fingerprint parameterised_fingerprint(const struct mpipp_datatype *type) {
  static const char *const names[] = {"F90_REAL", "F90_COMPLEX", "F90_INTEGER"};
  const int64_t *values = (const int64_t *)(uintptr_t)type->arguments;
  unsigned which = type->combiner - MPIPP_COMBINER_F90_REAL;
  int several = type->combiner != MPIPP_COMBINER_F90_INTEGER;
  char given[2][24] = {"", ""}, name[80];
  for (uint64_t i = 0; i < type->argument_count && i < 2; i++) {
    snprintf(given[i], sizeof *given, "%lld", (long long)values[i]);
    if (values[i] < 0) strcpy(given[i], "MPI_UNDEFINED");
  }
  if (several)
    snprintf(name, sizeof name, "%s(p %s, r %s)", names[which], given[0], given[1]);
  else
    snprintf(name, sizeof name, "%s(r %s)", names[which], given[0]);
  return hash_name(name);
}

static struct mpipp_datatype *component(const struct mpipp_datatype *type, uint32_t i) {
  return (void *)(uintptr_t)((const uint64_t *)(uintptr_t)type->components)[i];
}

static const struct mpipp_fingerprint *cached_fingerprint(const struct mpipp_datatype *type) {
  return (const void *)(uintptr_t)MPIPP_READ(type->digest);
}

// The fingerprint of one block of a struct. Its hashes are still multiplied by the points minus
// one.
static struct mpipp_fingerprint block_fingerprint(const struct mpipp_fingerprint *part,
                                                  uint64_t length) {
  if (part->elements == 1) return repeat_element(*part, length);
  struct mpipp_fingerprint found = mpipp_recorder_fingerprint_repeat(*part, length);
  for (int i = 0; i < 2; i++) found.hash[i] = product(found.hash[i], points[i] - 1);
  return found;
}

// The fingerprint of all blocks of a struct, with one division for all. The powers follow from the
// number of elements.
static struct mpipp_fingerprint struct_fingerprint(const struct mpipp_datatype *type) {
  const int64_t *lengths = (const int64_t *)(uintptr_t)type->arguments + 1;
  struct mpipp_fingerprint found = empty;
  for (uint32_t i = 0; i < type->component_count; i++) {
    const struct mpipp_fingerprint *part = cached_fingerprint(component(type, i));
    if (!part->elements || lengths[i] <= 0) continue;
    const struct mpipp_fingerprint block = block_fingerprint(part, (uint64_t)lengths[i]);
    for (int k = 0; k < 2; k++)
      found.hash[k] = reduce(product(found.hash[k], block.power[k]) + block.hash[k]);
    found.elements += block.elements;
    found.bits |= block.bits;
  }
  divide(&found);
  for (int k = 0; k < 2; k++) found.power[k] = power(k, found.elements);
  return found;
}

// The fingerprint of a datatype, from those of its components. Every constructor except the struct
// repeats one component.
static struct mpipp_fingerprint compute(const struct mpipp_datatype *type) {
  struct mpipp_fingerprint found = empty;
  if (type->combiner == MPIPP_COMBINER_NAMED)
    return name_fingerprint(type->object.name ? (const char *)(uintptr_t)type->object.name : "");
  if (type->combiner >= MPIPP_COMBINER_F90_REAL && type->combiner <= MPIPP_COMBINER_F90_INTEGER)
    return parameterised_fingerprint(type);
  if (type->combiner == MPIPP_COMBINER_STRUCT) return struct_fingerprint(type);
  if (type->component_count == 1) {
    const struct mpipp_datatype *part = component(type, 0);
    if (part->size <= 0) return empty;
    return mpipp_recorder_fingerprint_repeat(*cached_fingerprint(part),
                                             (uint64_t)(type->size / part->size));
  }
  for (uint32_t i = 0; i < type->component_count; i++)
    found = mpipp_recorder_fingerprint_concatenate(found, *cached_fingerprint(component(type, i)));
  return found;
}

static int is_whole(const struct mpipp_datatype *type) {
  if (type->size < 0) return 0; // the size is larger than the library can report
  if (type->combiner == MPIPP_COMBINER_STRUCT)
    return type->argument_count >= 1 + (uint64_t)type->component_count;
  int leaf =
      type->combiner == MPIPP_COMBINER_NAMED ||
      (type->combiner >= MPIPP_COMBINER_F90_REAL && type->combiner <= MPIPP_COMBINER_F90_INTEGER);
  return leaf || type->component_count > 0;
}

// The first component that has no fingerprint yet; NULL if all have one.
static struct mpipp_datatype *unknown_component(const struct mpipp_datatype *type) {
  for (uint32_t i = 0; i < type->component_count; i++) {
    if (component(type, i) && !cached_fingerprint(component(type, i))) return component(type, i);
  }
  return NULL;
}

static const struct mpipp_fingerprint *keep(struct mpipp_datatype *type) {
  if (!is_whole(type)) return NULL;
  for (uint32_t i = 0; i < type->component_count; i++) {
    if (!component(type, i)) return NULL;
  }
  struct mpipp_fingerprint *made = mpipp_registry_allocate(sizeof *made);
  if (!made) return NULL;
  *made = compute(type);
  uint64_t none = 0;
  if (!__atomic_compare_exchange_n(&type->digest, &none, (uint64_t)(uintptr_t)made, 0,
                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    mpipp_registry_free(made); // another thread was faster
  return cached_fingerprint(type);
}

const struct mpipp_fingerprint *mpipp_recorder_fingerprint_of(struct mpipp_datatype *type) {
  static pthread_once_t prepared = PTHREAD_ONCE_INIT;
  if (type && !cached_fingerprint(type)) pthread_once(&prepared, prepare);
  while (type && !cached_fingerprint(type)) { // from the innermost component outwards
    struct mpipp_datatype *inner = type;
    for (struct mpipp_datatype *next = inner; next; next = unknown_component(inner)) inner = next;
    if (!keep(inner)) return NULL;
  }
  return type ? cached_fingerprint(type) : NULL;
}
