// SPDX-License-Identifier: MIT
#include "call_filter/pending_buffers.h"

#include <string.h>

#include "layout/strided_blocks.h"

enum {
  FIRST_BOXES = 1024,
  SMALLEST = 6, // a granule of the first level has 2^6 bytes, and one of each next level 2^4 times
                // as many
  STEP = 4,
  LEVELS = 30,
  MOST_PROBED = 64,
  MOST_SEEN = 8, // number of entries in a bucket that are tested in order to reuse a completed one
  MOST_MET = 64,
  GROUPS = 8,
};

// The table of boxes. Each level divides the addresses into granules. A box is kept at the first
// level whose granules are at least as large, by the granule in which it begins. So a box extends
// at most into the next granule. Boxes that are read and boxes that are written have separate
// levels. Many boxes may read the same memory, and a further read does not have to visit them.
//
// The columns of a matrix have boxes that all overlap. So equal blocks with one stride are found by
// their start modulo the stride, among the entries with the same stride.
struct mpipp_entry {
  struct mpipp_box box;
  struct mpipp_owner owner;
  uint64_t first, bytes; // the search key: address and bytes of the box, or start modulo the stride
                         // and bytes of each block
  uint32_t next; // index of the next entry in the bucket, or of the next unused one; 0: none
  uint16_t level, group;
};

// A group of entries: those with one stride. The first group has all boxes without a stride.
struct mpipp_pending_group {
  uint64_t stride;    // the stride of the present entries, or of the last ones if it is empty
  uint64_t low, high; // bounds of all boxes in the group
  uint32_t levels;    // bit n is set if level n has boxes
  uint32_t counts[LEVELS];
};

static struct mpipp_entry *entries; // entry 0 is not used
static struct mpipp_pending_group groups[GROUPS];
struct mpipp_recent mpipp_filter_recent;
int mpipp_filter_keeps_boxes = 0;
static uint32_t *buckets, bucket_mask, room, used = 1, unused;
#define WRITTEN 0xAAAAAAAAu

uint32_t mpipp_filter_starting_pass = 0;

uint32_t mpipp_filter_next_pass(void) {
  static uint32_t looks = 0;
  looks = (looks + 1) & ~(1u << 31);
  return looks ? looks : ++looks;
}

const struct mpipp_call *mpipp_filter_call_of(struct mpipp_owner owner) {
  if (owner.record & MPIPP_OF_THREAD) return &mpipp_owner_thread(owner)->call;
  if (owner.record & MPIPP_OF_FILE) return &mpipp_owner_file(owner)->call;
  return &mpipp_owner_request(owner)->call;
}

int mpipp_filter_is_call_active(struct mpipp_owner owner) {
  if (owner.record & MPIPP_OF_FILE) {
    const struct mpipp_file *file = mpipp_owner_file(owner);
    return MPIPP_READ(file->split_pending) && MPIPP_READ(file->split_number) == owner.serial &&
           !(MPIPP_READ(file->object.flags) & MPIPP_FLAG_ENDED);
  }
  const struct mpipp_call *call = &mpipp_owner_thread(owner)->call;
  return MPIPP_READ(call->serial) == owner.serial && MPIPP_READ(call->state) == MPIPP_CALL_ACTIVE;
}

static unsigned level_of(uint64_t bytes, uint32_t writes) {
  unsigned bits = bytes <= 1 << SMALLEST ? SMALLEST : 64 - (unsigned)__builtin_clzll(bytes - 1);
  return 2 * ((bits - SMALLEST + STEP - 1) / STEP) + writes;
}

static uint32_t *bucket_of(uint64_t granule, unsigned level, unsigned group) {
  uint64_t key = (granule * LEVELS + level) * GROUPS + group;
  return &buckets[(key * MPIPP_HASH >> 32) & bucket_mask];
}

static uint64_t granule_of(uint64_t address, unsigned level) {
  return address >> (SMALLEST + STEP * (level / 2));
}

static int keeps_boxes(void) {
  uint32_t levels = 0;
  for (unsigned i = 0; i < GROUPS; i++) levels |= groups[i].levels;
  return levels != 0;
}

// The strided blocks of the buffer with that box. The stride is 0 if the buffer is not made of
// strided blocks. The stride is also 0 if two of these buffers could overlap at more than one
// position modulo the stride.
static struct mpipp_strided_blocks strided_blocks_of(const struct mpipp_buffer *buffer,
                                                     const struct mpipp_box *box) {
  struct mpipp_strided_blocks strided = {0};
  const struct mpipp_datatype *type = (const void *)(uintptr_t)buffer->record;
  // Most datatypes are predefined, and have one block.
  if (!type || type->object.flags & MPIPP_FLAG_PREDEFINED) return strided;
  int is_strided = mpipp_layout_strided_blocks_of(buffer, &strided) && strided.count > 1 &&
                   strided.length <= strided.stride / 2;
  if (!is_strided || strided.start != box->low) strided.stride = 0;
  return strided;
}

// The group for a stride: an existing one, or an empty one; if all are in use, the first group.
static unsigned group_of(uint64_t stride) {
  unsigned found = 0;
  for (unsigned i = 1; stride && i < GROUPS; i++) {
    if (groups[i].levels && groups[i].stride == stride) return i;
    if (!groups[i].levels && !found) found = i;
  }
  return found;
}

static void remove_entry(uint32_t *link) {
  uint32_t number = *link;
  struct mpipp_entry *entry = &entries[number];
  struct mpipp_pending_group *group = &groups[entry->group];
  *link = entry->next;
  if (--group->counts[entry->level] == 0) group->levels &= ~(1u << entry->level);
  entry->next = unused;
  entry->level = LEVELS;
  unused = number;
}

static void insert(uint32_t number) {
  struct mpipp_entry *entry = &entries[number];
  struct mpipp_pending_group *group = &groups[entry->group];
  uint32_t *bucket = bucket_of(granule_of(entry->first, entry->level), entry->level, entry->group);
  entry->next = *bucket;
  *bucket = number;
  if (!group->levels || entry->box.low < group->low) group->low = entry->box.low;
  if (!group->levels || entry->box.high > group->high) group->high = entry->box.high;
  group->counts[entry->level]++;
  group->levels |= 1u << entry->level;
}

// Removes the entries of completed operations. If more than half of the entries remain, doubles the
// capacity.
static int make_room(void) {
  uint32_t kept = 1;
  for (uint32_t i = 1; i < used; i++) {
    if (entries[i].level < LEVELS && mpipp_is_owner_active(entries[i].owner))
      entries[kept++] = entries[i];
  }
  if (!entries || kept > room / 2) {
    uint32_t more = entries ? 2 * room : FIRST_BOXES;
    struct mpipp_entry *larger =
        more > room ? mpipp_registry_allocate(more * sizeof *larger) : NULL;
    uint32_t *links = larger ? mpipp_registry_allocate(2 * more * sizeof *links) : NULL;
    if (links) {
      if (entries) memcpy(larger, entries, kept * sizeof *larger);
      mpipp_registry_free(entries);
      mpipp_registry_free(buckets);
      entries = larger;
      buckets = links;
      bucket_mask = 2 * more - 1;
      room = more;
    } else {
      mpipp_registry_free(larger);
    }
  }
  if (!entries) return 0;
  used = kept;
  unused = 0;
  for (unsigned i = 0; i < GROUPS; i++) {
    groups[i].levels = 0;
    memset(groups[i].counts, 0, sizeof groups[i].counts);
  }
  memset(buckets, 0, (bucket_mask + (size_t)1) * sizeof *buckets);
  for (uint32_t i = 1; i < used; i++) insert(i);
  return used < room;
}

static int add(const struct mpipp_box *box, struct mpipp_owner owner) {
  struct mpipp_entry made = {.box = *box, .owner = owner};
  const struct mpipp_strided_blocks strided =
      strided_blocks_of(&mpipp_filter_call_of(owner)->buffers[box->buffer], box);
  unsigned group = group_of(strided.stride);
  made.group = (uint16_t)group;
  made.first = group ? strided.start % strided.stride : box->low;
  made.bytes = group ? strided.length : box->high - box->low;
  unsigned level = level_of(made.bytes, box->writes);
  if (level >= LEVELS) return 0;
  made.level = (uint16_t)level;
  if (MPIPP_UNLIKELY(!entries) && !make_room()) return 0;
  // In a loop, the box of the previous iteration is in the same bucket, and can be reused.
  uint32_t *link = bucket_of(granule_of(made.first, level), level, group);
  for (int seen = 0; *link && seen < MOST_SEEN; seen++) {
    struct mpipp_entry *entry = &entries[*link];
    int same = entry->box.low == box->low && entry->level == level && entry->group == group;
    int own = entry->owner.record == owner.record && entry->box.buffer == box->buffer;
    if (same && (own || !mpipp_is_owner_active(entry->owner))) {
      made.next = entry->next;
      *entry = made;
      if (box->high > groups[group].high) groups[group].high = box->high;
      return 1;
    }
    if (mpipp_is_owner_active(entry->owner))
      link = &entry->next;
    else
      remove_entry(link);
  }
  if (!unused && used == room && !make_room()) return 0;
  uint32_t number = unused;
  if (number)
    unused = entries[number].next;
  else
    number = used++;
  if (group) groups[group].stride = strided.stride;
  entries[number] = made;
  insert(number);
  return 1;
}

// The table of recent boxes is full. If only a few belong to active operations, the others are
// removed. Otherwise all active ones move to the hash table.
void mpipp_filter_pending_add_slow(const struct mpipp_box *box, struct mpipp_owner owner) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < MPIPP_RECENT_BOXES; i++) {
    if (mpipp_is_owner_active(mpipp_filter_recent.all[i].owner))
      mpipp_filter_recent.all[kept++] = mpipp_filter_recent.all[i];
  }
  for (; kept > MPIPP_RECENT_BOXES / 2; kept--)
    add(&mpipp_filter_recent.all[kept - 1].box, mpipp_filter_recent.all[kept - 1].owner);
  mpipp_filter_recent.all[kept].box = *box;
  mpipp_filter_recent.all[kept].owner = owner;
  mpipp_filter_recent.count = kept + 1;
  mpipp_filter_recent.older = (uint32_t)keeps_boxes();
}

// The arguments of a search: the box, and the function that gets each result.
struct mpipp_search {
  const struct mpipp_box *box;
  struct mpipp_owner own;
  mpipp_meet *meet;
  void *asking;
  unsigned met;
};

static void meet(struct mpipp_search *search, const struct mpipp_entry *entry) {
  search->met++;
  if (search->met <= MOST_MET) search->meet(search->asking, &entry->box, entry->owner);
}

// Returns whether the boxes of an entry and of the search overlap, and have different owners.
static inline int comes_near(const struct mpipp_search *search, const struct mpipp_entry *entry) {
  const struct mpipp_box *box = search->box;
  return entry->box.low < box->high && box->low < entry->box.high &&
         entry->owner.record != search->own.record;
}

// Visits all entries of a group, if the box covers more granules than are worth a lookup.
static void visit_entries(struct mpipp_search *search, unsigned group) {
  const struct mpipp_box *box = search->box;
  for (uint32_t i = 1; i < used && search->met <= MOST_MET; i++) {
    const struct mpipp_entry *entry = &entries[i];
    if (comes_near(search, entry) && entry->level < LEVELS && entry->group == group &&
        entry->box.writes | box->writes && mpipp_is_owner_active(entry->owner))
      meet(search, entry);
  }
}

// Reports the entries in one granule that overlap [first, end).
static void meet_in(struct mpipp_search *search, uint64_t granule, unsigned level, unsigned group,
                    uint64_t first, uint64_t end) {
  uint32_t *link = bucket_of(granule, level, group);
  while (*link && search->met <= MOST_MET) {
    struct mpipp_entry *entry = &entries[*link];
    // Two granules may share a bucket, so the entry's own granule is compared.
    int here = entry->level == level && entry->group == group &&
               granule_of(entry->first, level) == granule;
    if (here && entry->first < end && first < entry->first + entry->bytes &&
        comes_near(search, entry)) {
      if (!mpipp_is_owner_active(entry->owner)) {
        remove_entry(link);
        continue;
      }
      meet(search, entry);
    }
    link = &entry->next;
  }
}

static uint32_t levels_for(const struct mpipp_search *search, unsigned group) {
  return search->box->writes ? groups[group].levels : groups[group].levels & WRITTEN;
}

// Reports the entries of a group that overlap [first, end): addresses, or positions modulo the
// stride. Returns whether all entries of the group were visited.
static int meet_range(struct mpipp_search *search, unsigned group, uint64_t first, uint64_t end) {
  uint32_t looked = levels_for(search, group);
  for (uint32_t left = looked; left; left &= left - 1) {
    unsigned level = (unsigned)__builtin_ctz(left);
    uint64_t granules = granule_of(end - 1, level) - granule_of(first, level);
    if (granules > MOST_PROBED && granules > groups[group].counts[level]) {
      visit_entries(search, group);
      return 1;
    }
  }
  for (uint32_t left = looked; left; left &= left - 1) {
    unsigned level = (unsigned)__builtin_ctz(left);
    uint64_t last = granule_of(end - 1, level), granule = granule_of(first, level);
    for (granule -= granule > 0; granule <= last && search->met <= MOST_MET; granule++)
      meet_in(search, granule, level, group, first, end);
  }
  return 0;
}

// Reports entries with the same stride. A block may straddle a multiple of the stride, so up to
// three residues are probed.
static void meet_between(struct mpipp_search *search, unsigned group,
                         const struct mpipp_strided_blocks *strided) {
  uint64_t stride = strided->stride, first = strided->start % stride, end = first + strided->length;
  if (meet_range(search, group, first, end)) return;
  if (meet_range(search, group, first + stride, end + stride)) return;
  if (end > stride) meet_range(search, group, 0, end - stride);
}

int mpipp_filter_pending_meet(const struct mpipp_box *box, const struct mpipp_buffer *buffer,
                              struct mpipp_owner own, mpipp_meet *told, void *asking) {
  struct mpipp_search search = {box, own, told, asking, 0};
  for (uint32_t i = 0; i < mpipp_filter_recent.count; i++) {
    const struct mpipp_box *other = &mpipp_filter_recent.all[i].box;
    struct mpipp_owner owner = mpipp_filter_recent.all[i].owner;
    if (other->low < box->high && box->low < other->high && (other->writes | box->writes) &&
        owner.record != own.record && mpipp_is_owner_active(owner))
      told(asking, other, owner);
  }
  const struct mpipp_strided_blocks strided = strided_blocks_of(buffer, box);
  for (unsigned i = 0; i < GROUPS; i++) {
    const struct mpipp_pending_group *group = &groups[i];
    if (!levels_for(&search, i) || box->high <= group->low || group->high <= box->low) continue;
    if (!i)
      meet_range(&search, i, box->low, box->high);
    else if (group->stride == strided.stride)
      meet_between(&search, i, &strided);
    else
      visit_entries(&search, i);
  }
  mpipp_filter_recent.older = (uint32_t)keeps_boxes();
  return search.met <= MOST_MET;
}
