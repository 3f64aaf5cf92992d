# SPDX-License-Identifier: MIT
"""C statements of the wrappers that the kinds of a procedure's parameters do not imply."""

from __future__ import annotations

WIN = "MPIPP_KEY((MPI_Win)win)"

# Statements before MPI is called, for values that no longer exist afterwards.
SAVE_ALL = "struct mpipp_handles before;\nmpipp_handles_init(&before, {count}, array_of_requests);"
ONE_OF = SAVE_ALL + "\ncall->before = (uintptr_t)before.all;"
SHOWN = "\nmpipp_waits_for(thread, {count}, array_of_requests);"

# Statements after unrecorded calls: they replace results by values that fit the program, or count
# attribute keys.
MARKED_AFTER = {
    "Win_get_attr": "mpipp_recorder_note_attribute(win_keyval, attribute_val, flag)",
    **{
        f"{kind}_create_keyval": f"mpipp_recorder_add_keyval(thread, *{kind.lower()}_keyval)"
        for kind in ("Comm", "Type", "Win")
    },
    "Keyval_create": "mpipp_recorder_add_keyval(thread, *keyval)",
    **dict.fromkeys(
        ("Comm_free_keyval", "Type_free_keyval", "Win_free_keyval", "Keyval_free"),
        "mpipp_recorder_free_keyval(freed)",
    ),
}
# Statements before unrecorded calls, which save data that the call destroys.
MARKED_BEFORE = {
    **{
        f"{kind}_free_keyval": f"int freed = {name} ? *{name} : MPI_KEYVAL_INVALID"
        for kind, name in (
            ("Comm", "comm_keyval"),
            ("Type", "type_keyval"),
            ("Win", "win_keyval"),
        )
    },
    "Keyval_free": "int freed = keyval ? *keyval : MPI_KEYVAL_INVALID",
}

GIVEN = (
    "// the library may change the caller's variable\n"
    "MPI_Datatype given = datatype ? *datatype : MPI_DATATYPE_NULL;\n"
    "mpipp_constructing(call, MPIPP_COMBINER_NAMED, NULL, 0, &given, datatype != NULL);"
)
OF_REQUEST = (
    "MPI_Request given = (MPI_Request)request; // other calls get an array\n"
    "call->requests = (uintptr_t)&given;\n"
    "call->request_count = 1;\n"
    "call->present |= MPIPP_HAS_REQUESTS;"
)
BEFORE = {
    # MPI resets the handle while the watcher may still check the call.
    "Request_free": "MPI_Request given = request ? *request : MPI_REQUEST_NULL;\n"
    "call->before = request ? (uintptr_t)&given : 0;",
    "Intercomm_create": "mpipp_recorder_lead(call, local_leader, "
    "MPIPP_KEY((MPI_Comm)peer_comm), "
    "remote_leader);",
    "Comm_create_group": "mpipp_recorder_gather(call, MPIPP_KEY((MPI_Group)group));",
    "Comm_create_from_group": "mpipp_recorder_gather_groups(call, MPIPP_KEY((MPI_Group)group), "
    "stringtag);",
    "Intercomm_create_from_groups": "mpipp_recorder_gather_groups(call, "
    "MPIPP_KEY((MPI_Group)local_group), stringtag);\n"
    "mpipp_recorder_lead_groups(call, MPIPP_KEY((MPI_Group)local_group), local_leader,\n"
    "                    MPIPP_KEY((MPI_Group)remote_group), remote_leader);",
    "Abort": "mpipp_intercept_before_abort(call);",
    "Pready": OF_REQUEST,
    "Pready_range": OF_REQUEST,
    "Pready_list": OF_REQUEST,
    "Parrived": OF_REQUEST,
    "Request_get_status": OF_REQUEST,
    "Wait": "MPI_Request before = *request;\nmpipp_waits_for(thread, 1, request);",
    "Test": "MPI_Request before = *request;",
    "Waitall": (SAVE_ALL + SHOWN).format(count="count"),
    "Testall": SAVE_ALL.format(count="count"),
    "Waitany": (ONE_OF + SHOWN).format(count="count"),
    "Testany": SAVE_ALL.format(count="count"),
    "Waitsome": (ONE_OF + SHOWN).format(count="incount"),
    "Testsome": SAVE_ALL.format(count="incount"),
    "Type_commit": GIVEN,
    **dict.fromkeys(
        ("Win_create", "Win_allocate", "Win_allocate_shared", "Win_create_dynamic", "Win_set_info"),
        "mpipp_recorder_set_win_hints(MPIPP_KEY((MPI_Info)info));",
    ),
    "Win_free": "mpipp_recorder_before_win_free(win ? MPIPP_KEY(*win) : 0);",
    "Win_fence": f"mpipp_recorder_begin_synchronization({WIN}, MPIPP_FENCING, (uint64_t)assert);",
    "Win_complete": f"mpipp_recorder_begin_synchronization({WIN}, MPIPP_COMPLETING, 0);",
    "Win_start": "mpipp_set_win_assertion(assert);\n"
    f"mpipp_recorder_begin_synchronization({WIN}, MPIPP_STARTING, MPIPP_KEY((MPI_Group)group));",
    "Win_lock": "mpipp_set_win_assertion(assert);\n"
    f"mpipp_recorder_begin_synchronization({WIN}, MPIPP_LOCKING, lock_type == MPI_LOCK_EXCLUSIVE);",
    **dict.fromkeys(("Win_post", "Win_lock_all"), "mpipp_set_win_assertion(assert);"),
    "Type_free": GIVEN
    + "\nuint64_t serial = mpipp_registry_serial_of(MPIPP_DATATYPE, MPIPP_KEY(given));",
}

# The status argument of calls that must learn which message it was, even if the program ignores it.
RECEIVED = "mpipp_status(thread, status == MPI_STATUS_IGNORE ? &received : status)"

# Statements after MPI was called, with any return code. A failed operation is complete, too. If no
# index or flag shows which one it is, MPI has reset its handle.
GONE = "mpipp_complete_all(call, &before, count, array_of_requests, 0);"
ALL = "mpipp_complete_all(call, &before, count, array_of_requests, {all});"
ANY = (
    "if (code != MPI_SUCCESS)\n"
    f"  {GONE}\n"
    "else{flag}\n"
    "  mpipp_recorder_complete_some(call, &before, 1, index, array_of_requests);"
)
SOME = (
    "if (code == MPI_SUCCESS || code == MPI_ERR_IN_STATUS)\n"
    "  mpipp_recorder_complete_some(call, &before, *outcount, array_of_indices, "
    "array_of_requests);"
)
END = "\nmpipp_handles_deinit(&before, {count});"
# Statements that come before those above, and note how collective operations have failed.
FAILED = "if (MPIPP_UNLIKELY(code != MPI_SUCCESS))\n  "
ONE_FAILED = FAILED + "mpipp_recorder_fail_completion(MPIPP_KEY(before), code);\n"
ALL_FAILED = (
    FAILED + "mpipp_recorder_fail_all(before.all, count, array_of_requests, "
    "mpipp_returned_statuses(thread, array_of_statuses), code);\n"
)
ANY_FAILED = FAILED + "mpipp_recorder_fail_all(before.all, count, array_of_requests, NULL, code);\n"
SOME_FAILED = (
    "if (code == MPI_ERR_IN_STATUS)\n"
    "  mpipp_recorder_fail_some(&before, *outcount, array_of_indices, "
    "mpipp_returned_statuses(thread, array_of_statuses));\n"
)
UNKNOWN = f"if (code != MPI_SUCCESS) mpipp_recorder_fail_synchronization({WIN});"
ALWAYS = {
    "Intercomm_create": "if (code != MPI_SUCCESS)\n"
    "  mpipp_recorder_fail_gather(MPIPP_KEY((MPI_Comm)peer_comm), MPIPP_LEADERS);",
    "Comm_create_group": "if (code != MPI_SUCCESS)\n"
    "  mpipp_recorder_fail_gather(call->comm, MPIPP_GROUP_CALLS);",
    **dict.fromkeys(
        ("Comm_create_from_group", "Intercomm_create_from_groups"),
        "if (code != MPI_SUCCESS) mpipp_recorder_fail_gather_groups();",
    ),
    "Wait": ONE_FAILED + "mpipp_recorder_complete(call, before, request);",
    "Test": ONE_FAILED
    + "if (code == MPI_SUCCESS ? *flag : MPIPP_KEY(*request) != MPIPP_KEY(before))\n"
    "  mpipp_recorder_complete(call, before, request);",
    "Waitall": ALL_FAILED + ALL.format(all="code == MPI_SUCCESS") + END.format(count="count"),
    "Testall": ALL_FAILED
    + ALL.format(all="code == MPI_SUCCESS && *flag")
    + END.format(count="count"),
    "Waitany": ANY_FAILED + ANY.format(flag="") + END.format(count="count"),
    "Testany": ANY_FAILED + ANY.format(flag=" if (*flag)") + END.format(count="count"),
    "Waitsome": SOME_FAILED + SOME + END.format(count="incount"),
    "Testsome": SOME_FAILED + SOME + END.format(count="incount"),
    "Win_fence": UNKNOWN,
    "Win_complete": UNKNOWN,
}

# Statements after MPI succeeded, in place of those that the kinds of the parameters imply.
KEY = "MPIPP_KEY(({type}){name})"
COMM = KEY.format(type="MPI_Comm", name="comm")
INFO = KEY.format(type="MPI_Info", name="info")
FUNCTION = "(uintptr_t){}"
AFTER = {
    "Init": "mpipp_intercept_after_init();",
    "Init_thread": "mpipp_intercept_after_init();",
    "Finalize": "mpipp_intercept_after_finalize();",
    "Session_init": "mpipp_intercept_after_init();\n"
    "mpipp_recorder_add_session(call, *session, MPIPP_KEY((MPI_Errhandler)errhandler));\n"
    "mpipp_intercept_begin_session(MPIPP_KEY(*session), MPIPP_KEY((MPI_Info)info));",
    "Buffer_attach": "mpipp_recorder_attach(call, buffer, size);",
    "Buffer_detach": "mpipp_recorder_detach(call);",
    "Comm_attach_buffer": "mpipp_recorder_attach(call, buffer, size);",
    "Comm_detach_buffer": "mpipp_recorder_detach(call);",
    "Session_attach_buffer": "mpipp_recorder_attach_to_session();",
    "Session_detach_buffer": "mpipp_recorder_attach_to_session();",
    "Start": "mpipp_recorder_end_start(call, request, 1);",
    "Startall": "mpipp_recorder_end_start(call, array_of_requests, count);",
    # These keep the handles, but show that the program may use the buffers again.
    "Request_get_status": "if (*flag) "
    "mpipp_recorder_note_completion(MPIPP_KEY((MPI_Request)request), 0);",
    "Request_get_status_all": "for (int i = 0; *flag && i < count; i++)\n"
    "  mpipp_recorder_note_completion(MPIPP_KEY(array_of_requests[i]), i);",
    "Request_get_status_any": "if (*flag && *index != MPI_UNDEFINED)\n"
    "  mpipp_recorder_note_completion(MPIPP_KEY(array_of_requests[*index]), 0);",
    "Request_get_status_some": "for (int i = 0; *outcount != MPI_UNDEFINED && i < *outcount; i++)\n"
    "  mpipp_recorder_note_completion(MPIPP_KEY(array_of_requests[array_of_indices[i]]), i);",
    "Pready": "mpipp_recorder_mark_partitions(call, partition, 1, NULL);",
    "Pready_range": "mpipp_recorder_mark_partitions(call, partition_low,\n"
    "                        (int64_t)partition_high - partition_low + 1, NULL);",
    "Pready_list": "mpipp_recorder_mark_partitions(call, 0, length, array_of_partitions);",
    "Parrived": "if (*flag) mpipp_recorder_mark_partitions(call, partition, 1, NULL);",
    "Bsend": "mpipp_recorder_note_buffered_send(call);",
    "Ibsend": "mpipp_recorder_note_buffered_send(call);",
    "Type_commit": "mpipp_recorder_commit_datatype(handle);",
    # No error: this very call has freed the object.
    "Type_free": "call->present &= ~(uint32_t)MPIPP_HAS_CONSTRUCTOR;\n"
    "mpipp_registry_note_free(MPIPP_DATATYPE, handle, serial, call->caller);",
    "Type_get_contents": "mpipp_recorder_import_contents(call, (MPI_Datatype)datatype, "
    "array_of_datatypes);",
    "Comm_set_name": f"mpipp_recorder_set_name(MPIPP_COMM, {COMM}, comm_name);",
    "Type_set_name": "mpipp_recorder_set_name(MPIPP_DATATYPE, MPIPP_KEY((MPI_Datatype)datatype), "
    "type_name);",
    "Win_set_name": f"mpipp_recorder_set_name(MPIPP_WIN, {WIN}, win_name);",
    "Comm_set_errhandler": f"mpipp_recorder_set_errhandler(MPIPP_COMM, {COMM},\n"
    "                     MPIPP_KEY((MPI_Errhandler)errhandler));",
    "Errhandler_set": f"mpipp_recorder_set_errhandler(MPIPP_COMM, {COMM},\n"
    "                     MPIPP_KEY((MPI_Errhandler)errhandler));",
    "Session_set_errhandler": "mpipp_recorder_set_errhandler(MPIPP_SESSION, "
    "MPIPP_KEY((MPI_Session)session),\n"
    "                     MPIPP_KEY((MPI_Errhandler)errhandler));",
    "Info_set": f"mpipp_recorder_set_info_entry({INFO}, key, value);",
    "Info_delete": f"mpipp_recorder_set_info_entry({INFO}, key, NULL);",
    "File_open": "mpipp_recorder_add_file(call, *fh, call->comm, filename, amode);",
    "File_set_view": "mpipp_recorder_file_view(call->file, disp, MPIPP_KEY((MPI_Datatype)etype),\n"
    "                MPIPP_KEY((MPI_Datatype)filetype), datarep);",
    "File_get_view": "mpipp_recorder_import_view(call, *etype, *filetype);",
    "Op_create": "mpipp_recorder_add_op(call, *op, (uintptr_t)user_fn, commute);",
    "Comm_create_errhandler": "mpipp_recorder_add_errhandler(call, *errhandler, "
    "(uintptr_t)comm_errhandler_fn);",
    "File_create_errhandler": "mpipp_recorder_add_errhandler(call, *errhandler, "
    "(uintptr_t)file_errhandler_fn);",
    "Win_create_errhandler": "mpipp_recorder_add_errhandler(call, *errhandler, "
    "(uintptr_t)win_errhandler_fn);",
    "Session_create_errhandler": "mpipp_recorder_add_errhandler(call, *errhandler, "
    "(uintptr_t)session_errhandler_fn);",
    "Errhandler_create": "mpipp_recorder_add_errhandler(call, *errhandler, "
    "(uintptr_t)comm_errhandler_fn);",
    "Comm_idup": "mpipp_recorder_set_request_output(MPIPP_KEY(*request), newcomm);",
    "Comm_idup_with_info": "mpipp_recorder_set_request_output(MPIPP_KEY(*request), newcomm);",
    "Mprobe": f"mpipp_recorder_add_message(call, *message, {RECEIVED});",
    "Improbe": f"if (*flag) mpipp_recorder_add_message(call, *message, {RECEIVED});",
    "Cancel": "mpipp_recorder_cancel(MPIPP_KEY(*request));",
    "Request_free": "mpipp_recorder_free_request(call, handle);",
    "Win_attach": "mpipp_recorder_attach_memory((uintptr_t)base, size);",
    "Win_detach": "mpipp_recorder_detach_memory((uintptr_t)base);",
    "Win_shared_query": "mpipp_recorder_note_window_memory(baseptr);",
    "Win_fence": f"mpipp_recorder_fence({WIN}, assert);",
    "Win_start": f"mpipp_recorder_open_epoch({WIN}, MPIPP_EPOCH_START, "
    "MPIPP_KEY((MPI_Group)group));",
    "Win_post": f"mpipp_recorder_open_epoch({WIN}, MPIPP_EPOCH_POST, MPIPP_KEY((MPI_Group)group));",
    "Win_complete": f"mpipp_recorder_close_epoch({WIN}, MPIPP_EPOCH_START);",
    "Win_wait": f"mpipp_recorder_close_epoch({WIN}, MPIPP_EPOCH_POST);",
    "Win_test": f"if (*flag) mpipp_recorder_close_epoch({WIN}, MPIPP_EPOCH_POST);",
    "Win_lock": f"mpipp_recorder_lock_window({WIN}, rank, lock_type == MPI_LOCK_EXCLUSIVE);",
    "Win_unlock": f"mpipp_recorder_unlock_window({WIN}, rank);",
    "Win_lock_all": f"mpipp_recorder_open_epoch({WIN}, MPIPP_EPOCH_LOCK_ALL, 0);",
    "Win_unlock_all": f"mpipp_recorder_close_epoch({WIN}, MPIPP_EPOCH_LOCK_ALL);",
}

# The call that records a new object *{name}, for each kind of parameter.
MADE = {
    "REQUEST": "mpipp_add_request(call, *{name}, {persistent}, MPIPP_COPY_{copy});",
    "COMMUNICATOR": "mpipp_recorder_add_comm(call, *{name});",
    "GROUP": "mpipp_recorder_add_group(call, *{name});",
    "WINDOW": "mpipp_recorder_add_win(call, *{name}, (MPI_Comm)comm, {memory});",
    "INFO": "mpipp_recorder_add_info(call, *{name});",
    "ERRHANDLER": "mpipp_recorder_add_errhandler(call, *{name}, 0);",
}
