// SPDX-License-Identifier: MIT
#include "screens/pending.h"

#include <string.h>

enum {
  FIRST_BOXES = 1024,
  SMALLEST = 6, // a granule of the first level has 2^6 bytes, one of the next 2^4 times as many
  STEP = 4,
  LEVELS = 30,
  MOST_PROBED = 64,
  MOST_SEEN = 8, // of those in a bucket, for one that is over
  MOST_MET = 64,
};

// A box is kept at the first level whose granules are no smaller, by the granule it begins in: it
// reaches into the next one at most. What is read and what is written are levels of their own: many
// may read the same memory, and those are not looked at for one more that does.
struct entry {
  struct mpipp_box box;
  struct mpipp_owner owner;
  uint32_t next; // in its bucket, or of the unused; 0: none
  uint32_t level;
};

static struct entry *entries; // [0] is not used
struct mpipp_recent mpipp_recent;
static uint32_t *buckets, bucket_mask, room, used = 1, unused, counts[LEVELS];
static uint32_t levels; // 1 << those that have boxes
#define WRITTEN 0xAAAAAAAAu

static unsigned level_of(const struct mpipp_box *box) {
  uint64_t bytes = box->high - box->low;
  unsigned bits = bytes <= 1 << SMALLEST ? SMALLEST : 64 - (unsigned)__builtin_clzll(bytes - 1);
  return 2 * ((bits - SMALLEST + STEP - 1) / STEP) + box->writes;
}

static uint32_t *bucket_of(uint64_t granule, unsigned level) {
  return &buckets[((granule * LEVELS + level) * MPIPP_HASH >> 32) & bucket_mask];
}

static uint64_t granule_of(uint64_t address, unsigned level) {
  return address >> (SMALLEST + STEP * (level / 2));
}

static void take_out(uint32_t *link) {
  uint32_t number = *link;
  struct entry *entry = &entries[number];
  *link = entry->next;
  if (--counts[entry->level] == 0) levels &= ~(1u << entry->level);
  entry->next = unused;
  entry->level = LEVELS;
  unused = number;
}

static void put_in(uint32_t number) {
  struct entry *entry = &entries[number];
  uint32_t *bucket = bucket_of(granule_of(entry->box.low, entry->level), entry->level);
  entry->next = *bucket;
  *bucket = number;
  counts[entry->level]++;
  levels |= 1u << entry->level;
}

// Those that are over go, and if more than half are left there is to be room for twice as many.
static int make_room(void) {
  uint32_t kept = 1;
  for (uint32_t i = 1; i < used; i++) {
    if (entries[i].level < LEVELS && mpipp_goes_on(entries[i].owner)) entries[kept++] = entries[i];
  }
  if (!entries || kept > room / 2) {
    uint32_t more = entries ? 2 * room : FIRST_BOXES;
    struct entry *larger = more > room ? mpipp_allocate(more * sizeof *larger) : NULL;
    uint32_t *links = larger ? mpipp_allocate(2 * more * sizeof *links) : NULL;
    if (links) {
      if (entries) memcpy(larger, entries, kept * sizeof *larger);
      mpipp_free(entries);
      mpipp_free(buckets);
      entries = larger;
      buckets = links;
      bucket_mask = 2 * more - 1;
      room = more;
    } else {
      mpipp_free(larger);
    }
  }
  if (!entries) return 0;
  used = kept;
  unused = levels = 0;
  memset(counts, 0, sizeof counts);
  memset(buckets, 0, (bucket_mask + (size_t)1) * sizeof *buckets);
  for (uint32_t i = 1; i < used; i++) put_in(i);
  return used < room;
}

static int add(const struct mpipp_box *box, struct mpipp_owner owner) {
  unsigned level = level_of(box);
  if (level >= LEVELS) return 0;
  if (MPIPP_UNLIKELY(!entries) && !make_room()) return 0;
  // In a loop the one of the round before is there.
  uint32_t *link = bucket_of(granule_of(box->low, level), level);
  for (int seen = 0; *link && seen < MOST_SEEN; seen++) {
    struct entry *entry = &entries[*link];
    int same = entry->box.low == box->low && entry->level == level;
    int own = entry->owner.record == owner.record && entry->box.buffer == box->buffer;
    if (same && (own || !mpipp_goes_on(entry->owner))) {
      entry->box = *box;
      entry->owner = owner;
      return 1;
    }
    if (mpipp_goes_on(entry->owner))
      link = &entry->next;
    else
      take_out(link);
  }
  if (!unused && used == room && !make_room()) return 0;
  uint32_t number = unused;
  if (number)
    unused = entries[number].next;
  else
    number = used++;
  entries[number] = (struct entry){.box = *box, .owner = owner, .level = level};
  put_in(number);
  return 1;
}

// There are too many that are looked at one by one: what goes on of them is put with the others, if
// it is more than a few.
void mpipp_pending_add_further(const struct mpipp_box *box, struct mpipp_owner owner) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < MPIPP_RECENT_BOXES; i++) {
    if (mpipp_goes_on(mpipp_recent.all[i].owner)) mpipp_recent.all[kept++] = mpipp_recent.all[i];
  }
  for (; kept > MPIPP_RECENT_BOXES / 2; kept--)
    add(&mpipp_recent.all[kept - 1].box, mpipp_recent.all[kept - 1].owner);
  mpipp_recent.all[kept].box = *box;
  mpipp_recent.all[kept].owner = owner;
  mpipp_recent.count = kept + 1;
  mpipp_recent.older = levels;
}

static inline int meets(const struct entry *entry, const struct mpipp_box *box) {
  return entry->box.low < box->high && box->low < entry->box.high;
}

// Where the box has more granules than are worth looking up, all boxes are looked at.
static void meet_all(const struct mpipp_box *box, struct mpipp_owner own, mpipp_meet *meet,
                     void *asking) {
  for (uint32_t i = 1, met = 0; i < used && met < MOST_MET; i++) {
    const struct entry *entry = &entries[i];
    if (!meets(entry, box) || entry->level >= LEVELS || !(entry->box.writes | box->writes) ||
        entry->owner.record == own.record || !mpipp_goes_on(entry->owner))
      continue;
    meet(asking, &entry->box, entry->owner);
    met++;
  }
}

// Those in one granule; returns how many were met.
static unsigned meet_in(uint64_t granule, unsigned level, const struct mpipp_box *box,
                        struct mpipp_owner own, mpipp_meet *meet, void *asking) {
  uint32_t *link = bucket_of(granule, level);
  unsigned met = 0;
  while (*link && met < MOST_MET) {
    struct entry *entry = &entries[*link];
    // Two granules may share a bucket.
    int here = entry->level == level && granule_of(entry->box.low, level) == granule;
    if (here && meets(entry, box) && entry->owner.record != own.record) {
      if (!mpipp_goes_on(entry->owner)) {
        take_out(link);
        continue;
      }
      meet(asking, &entry->box, entry->owner);
      met++;
    }
    link = &entry->next;
  }
  return met;
}

void mpipp_pending_meet(const struct mpipp_box *box, struct mpipp_owner own, mpipp_meet *meet,
                        void *asking) {
  for (uint32_t i = 0; i < mpipp_recent.count; i++) {
    const struct mpipp_box *other = &mpipp_recent.all[i].box;
    struct mpipp_owner owner = mpipp_recent.all[i].owner;
    if (other->low < box->high && box->low < other->high && (other->writes | box->writes) &&
        owner.record != own.record && mpipp_goes_on(owner))
      meet(asking, other, owner);
  }
  uint32_t looked = box->writes ? levels : levels & WRITTEN;
  for (uint32_t left = looked; left; left &= left - 1) {
    unsigned level = (unsigned)__builtin_ctz(left);
    uint64_t first = granule_of(box->low, level), last = granule_of(box->high - 1, level);
    if (last - first > MOST_PROBED && last - first > counts[level]) {
      meet_all(box, own, meet, asking);
      return;
    }
  }
  unsigned met = 0;
  for (uint32_t left = looked; left; left &= left - 1) {
    unsigned level = (unsigned)__builtin_ctz(left);
    uint64_t last = granule_of(box->high - 1, level), granule = granule_of(box->low, level);
    for (granule -= granule > 0; granule <= last && met < MOST_MET; granule++)
      met += meet_in(granule, level, box, own, meet, asking);
  }
  mpipp_recent.older = levels;
}
