// SPDX-License-Identifier: MIT
#include "recorder/release.h"

#include "recorder/matching/channels.h"
#include "recorder/requests/call_copy.h"
#include "registry/object_store.h"

static void forget_datatype(struct mpipp_datatype *record) {
  uint64_t *components = (uint64_t *)(uintptr_t)record->components;
  for (uint32_t i = 0; i < record->component_count; i++)
    mpipp_registry_unrefer_locked(components[i]);
  record->component_count = 0;
  if (components != &record->inline_component) mpipp_registry_release(&record->components);
  if (record->arguments != (uint64_t)(uintptr_t)record->inline_arguments)
    mpipp_registry_release(&record->arguments);
  mpipp_registry_release(&record->digest);
}

void mpipp_recorder_forget(struct mpipp_object *object) {
  void *record = object;
  mpipp_registry_release(&object->name);
  mpipp_registry_release(&object->frames);
  switch (object->kind) {
  case MPIPP_DATATYPE:
    forget_datatype(record);
    break;
  case MPIPP_REQUEST:
    mpipp_recorder_drop_call(record);
    break;
  case MPIPP_COMM:
    mpipp_recorder_forget_channels(record);
    mpipp_registry_release(&((struct mpipp_comm *)record)->world_ranks);
    mpipp_registry_release(&((struct mpipp_comm *)record)->remote_world_ranks);
    mpipp_registry_release(&((struct mpipp_comm *)record)->dims);
    // The destinations are in the same block of memory.
    mpipp_registry_release(&((struct mpipp_comm *)record)->sources);
    break;
  case MPIPP_WIN:
    mpipp_registry_release(&((struct mpipp_win *)record)->reaches);
    break;
  case MPIPP_GROUP:
    mpipp_registry_release(&((struct mpipp_group *)record)->world_ranks);
    break;
  case MPIPP_FILE:
    mpipp_registry_release(&((struct mpipp_file *)record)->filename);
    mpipp_registry_release(&((struct mpipp_file *)record)->datarep);
    break;
  case MPIPP_INFO:
    mpipp_registry_release(&((struct mpipp_info *)record)->entries);
    break;
  default:
    break;
  }
}
