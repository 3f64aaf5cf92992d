# SPDX-License-Identifier: MIT
"""The wrapped procedures, and facts on them that the standard's data lacks."""

from __future__ import annotations

HANDLES = {
    "DATATYPE": ("MPI_Datatype", "MPIPP_DATATYPE"),
    "REQUEST": ("MPI_Request", "MPIPP_REQUEST"),
    "COMMUNICATOR": ("MPI_Comm", "MPIPP_COMM"),
    "GROUP": ("MPI_Group", "MPIPP_GROUP"),
    "WINDOW": ("MPI_Win", "MPIPP_WIN"),
    "OPERATION": ("MPI_Op", "MPIPP_OP"),
    "FILE": ("MPI_File", "MPIPP_FILE"),
    "INFO": ("MPI_Info", "MPIPP_INFO"),
    "ERRHANDLER": ("MPI_Errhandler", "MPIPP_ERRHANDLER"),
    "SESSION": ("MPI_Session", "MPIPP_SESSION"),
    "MESSAGE": ("MPI_Message", "MPIPP_MESSAGE"),
}

# Procedures that use no communication buffer, and create or free no handle, although their
# parameters look as if they did.
NOT_RECORDED = {
    "Get_address", "Address", "Alloc_mem", "Free_mem", "Grequest_complete",
    "Type_match_size", "Comm_get_parent",
}  # fmt: skip

# Procedures that are recorded although they have no buffer, and create or free no handle: they
# complete, start, wait, synchronize, name, commit or set.
RECORDED = {
    "Init", "Init_thread", "Finalize", "Abort",
    "Wait", "Waitall", "Waitany", "Waitsome", "Test", "Testall", "Testany", "Testsome",
    "Request_get_status", "Request_get_status_all", "Request_get_status_any",
    "Request_get_status_some", "Start", "Startall", "Cancel",
    "Pready", "Pready_range", "Pready_list", "Parrived",
    "Barrier", "Probe", "Iprobe", "Type_commit",
    "Buffer_attach", "Buffer_detach", "Comm_attach_buffer", "Comm_detach_buffer",
    "Session_attach_buffer", "Session_detach_buffer",
    "Comm_set_name", "Type_set_name", "Win_set_name", "Comm_set_errhandler", "Errhandler_set",
    "Session_set_errhandler", "Info_set", "Info_delete", "File_set_view",
    "File_set_size", "File_preallocate", "File_set_atomicity", "File_seek_shared", "File_sync",
    "Win_fence", "Win_start", "Win_complete", "Win_post", "Win_wait", "Win_test", "Win_lock",
    "Win_lock_all", "Win_unlock", "Win_unlock_all", "Win_flush", "Win_flush_all",
    "Win_flush_local", "Win_flush_local_all", "Win_sync", "Win_shared_query", "Win_set_info",
    "Comm_set_info", "File_set_info",
    "Dims_create", "Cart_map", "Cart_rank", "Cart_coords", "Cart_shift", "Graph_map",
    "Graph_neighbors", "Group_translate_ranks", "Comm_remote_size",
    "Cartdim_get", "Cart_get", "Graphdims_get", "Graph_get", "Graph_neighbors_count",
    "Dist_graph_neighbors_count", "Dist_graph_neighbors",
}  # fmt: skip

# Procedures that are not wrapped: they read or set values, and certainly call no other procedure.
# The same holds for conversions of handles (c2f, toint), and procedures that return no error code.
UNWRAPPED = {
    "Initialized", "Finalized", "Is_thread_main", "Query_thread",
    "Get_version", "Get_library_version", "Abi_get_version", "Get_address", "Address",
    "Status_get_source", "Status_get_tag", "Status_get_error",
    "Status_set_source", "Status_set_tag", "Status_set_error",
}  # fmt: skip

# Procedures whose results may be null pointers, or that are called before MPI is initialized.
NULL_OUTPUTS = ("Init", "Initialized", "Finalized", "Session_init", "Pcontrol", "Keyval", "Attr_")

# Procedures that are so frequent that they have a fast path (intercept/fast_path.h).
PLAIN_MADE = {"Isend", "Irecv"}
PLAIN = {*PLAIN_MADE, "Waitall"}

WIN = "MPIPP_KEY((MPI_Win)win)"

COMBINERS = {
    "Type_dup": "DUP",
    "Type_contiguous": "CONTIGUOUS",
    "Type_vector": "VECTOR",
    "Type_create_hvector": "HVECTOR",
    "Type_hvector": "HVECTOR",
    "Type_indexed": "INDEXED",
    "Type_create_hindexed": "HINDEXED",
    "Type_hindexed": "HINDEXED",
    "Type_create_indexed_block": "INDEXED_BLOCK",
    "Type_create_hindexed_block": "HINDEXED_BLOCK",
    "Type_create_struct": "STRUCT",
    "Type_struct": "STRUCT",
    "Type_create_subarray": "SUBARRAY",
    "Type_create_darray": "DARRAY",
    "Type_create_resized": "RESIZED",
    "Type_create_f90_real": "F90_REAL",
    "Type_create_f90_complex": "F90_COMPLEX",
    "Type_create_f90_integer": "F90_INTEGER",
    "Type_get_value_index": "VALUE_INDEX",
}

# Procedures that change an existing datatype, which the debugger shows.
TYPE_ENDS = {"Type_commit", "Type_free"}

# Named arguments, which are recorded while the call is active, beside the members that all records
# have. A number or a handle has only its name. An array has its length, or -1 if that follows from
# other arguments. `text` marks a string; `extent`: the extent of a datatype is recorded. The
# history of collective calls keeps these arguments.
ARGUMENTS = {
    "Pready": "partition",
    "Pready_range": "partition_low partition_high",
    "Pready_list": "length array_of_partitions:length",
    "Parrived": "partition",
    "Buffer_attach": "size",
    "Comm_attach_buffer": "size",
    "Cart_create": "ndims dims:ndims periods:ndims reorder",
    "Cart_map": "ndims dims:ndims periods:ndims",
    "Dims_create": "nnodes ndims dims:ndims",
    "Cart_rank": "coords:mpipp_recorder_dimensions(call)",
    "Cart_coords": "rank",
    "Cart_shift": "direction disp",
    "Graph_neighbors": "rank",
    "Graph_neighbors_count": "rank",
    "Graph_create": "nnodes index:nnodes edges:-1 reorder",
    "Graph_map": "nnodes index:nnodes edges:-1",
    "Dist_graph_create": "n sources:n degrees:n destinations:-1 weights:-1 reorder",
    "Dist_graph_create_adjacent": "indegree sources:indegree sourceweights:indegree "
    "outdegree destinations:outdegree destweights:outdegree reorder",
    "Comm_split": "color key",
    "Comm_split_type": "split_type",
    "Intercomm_merge": "high",
    "Win_fence": "assert",
    "File_open": "amode",
    "File_set_size": "size",
    "File_preallocate": "size",
    "File_set_view": "etype:extent datarep:text",
    "File_set_atomicity": "flag",
    "File_seek_shared": "offset whence",
    "Comm_set_errhandler": "errhandler",
    "Info_set": "info",
    "Info_delete": "info",
    "Info_dup": "info",
    "Session_set_errhandler": "session errhandler",
    "Session_get_errhandler": "session",
    "Session_get_info": "session",
    "Session_get_pset_info": "session",
    "Group_from_session_pset": "session",
    "Comm_create": "group",
    "Comm_create_group": "group",
    "Comm_create_from_group": "group stringtag:text",
    "Intercomm_create_from_groups": "local_group local_leader remote_group remote_leader "
    "stringtag:text",
    "Intercomm_create": "local_leader peer_comm remote_leader",
    "Group_union": "group1 group2",
    "Group_intersection": "group1 group2",
    "Group_difference": "group1 group2",
    "Group_incl": "group n ranks:n",
    "Group_excl": "group n ranks:n",
    "Group_translate_ranks": "group1 n ranks1:n group2",
    "Group_range_incl": "group n ranges:3*(int64_t)n",
    "Group_range_excl": "group n ranges:3*(int64_t)n",
    "Win_create": "size disp_unit base",
    "Win_allocate": "size disp_unit",
    "Win_allocate_shared": "size disp_unit",
    "Win_start": "group",
    "Win_post": "group",
}

# Datatype arguments other than those of buffers and constructors.
TYPES = {"File_set_view": "etype filetype"}

# Headings of docs/reference/procedures.md -> the generated file of those wrappers. Collectives have
# several, and the others are in calls_handles.c.
FILES = {
    "MPI-IO": "calls_io.c",
    "One-sided communication and windows": "calls_one_sided.c",
    "Point-to-point communication": "calls_point_to_point.c",
    "Datatypes and packing": "calls_datatypes.c",
}

# Procedures that a program calls once.
ONCE = {"Init", "Init_thread", "Finalize"}

# Kinds of objects for which it is recorded that a callback of the program frees them inside another
# call. Groups and error handlers are left out: Open MPI's plug-ins free some with the handle of one
# of the program's.
FREED_BY_CALLBACKS = {
    "DATATYPE", "COMMUNICATOR", "WINDOW", "OPERATION", "FILE", "INFO", "SESSION",
}  # fmt: skip

# Statements before MPI is called, for values that no longer exist afterwards.
SAVE_ALL = "struct mpipp_handles before;\nmpipp_handles_init(&before, {count}, array_of_requests);"
ONE_OF = SAVE_ALL + "\ncall->before = (uintptr_t)before.all;"
SHOWN = "\nmpipp_waits_for(thread, {count}, array_of_requests);"
# Procedures that free or cancel a request. Only few operations allow that, so the filter checks
# them.
GIVING_UP = ("Request_free", "Cancel")
# Procedures that need space in an attached buffer.
BUFFERED = ("Bsend", "Ibsend")
# Procedures that pass memory for a window to MPI; hooks may pass another address.
GIVING_MEMORY = {"Win_create"}
# Unrecorded procedures whose results mpipp replaces by values that fit the program.
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
# Facts on unrecorded procedures that the standard's data lacks. Some accept a null handle (MPI-4.1,
# sections 7.8 and 14.7), beside infos, which are only hints. Some may be called at any time
# (section 11.4.1), or need only their arguments. Some are not checked at all.
NULL_IS_FINE = {
    ("Comm_get_name", "comm"), ("Type_get_name", "datatype"), ("Win_get_name", "win"),
    ("File_set_errhandler", "file"), ("File_call_errhandler", "fh"),
}  # fmt: skip
NEEDS_INFO = "Info_"
ANY_TIME = ("Error_", "Add_error_", "Remove_error_", "Info_", "Session_")
NOT_LOOKED_AT = ("T_", "Abi_")
# Procedures that free an object. The object's serial is read before the call.
FREEING = {
    "Comm_free": "comm",
    "Comm_disconnect": "comm",
    "Group_free": "group",
    "Op_free": "op",
    "Info_free": "info",
    "Errhandler_free": "errhandler",
    "Win_free": "win",
    "File_close": "file",
    "Session_finalize": "session",
}
# Procedures that change the attached buffer. Inside another call they make it unknown.
ATTACHING = {
    "Buffer_attach", "Buffer_detach", "Comm_attach_buffer", "Comm_detach_buffer",
    "Session_attach_buffer", "Session_detach_buffer",
}  # fmt: skip
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

# The value that is 0 if a polling call has found nothing: the program may poll forever.
POLLING = {
    **dict.fromkeys(("Test", "Testall", "Testany", "Iprobe", "Improbe"), "flag"),
    **dict.fromkeys(("Request_get_status", "Request_get_status_all"), "flag"),
    **dict.fromkeys(("Request_get_status_any", "Parrived", "Win_test"), "flag"),
    **dict.fromkeys(("Testsome", "Request_get_status_some"), "outcount"),
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

# For each operation, the buffers whose count applies to each peer of the communicator.
PER_PEER = {
    "Gather": {"recvbuf"},
    "Scatter": {"sendbuf"},
    "Allgather": {"recvbuf"},
    "Alltoall": {"sendbuf", "recvbuf"},
    "Reduce_scatter_block": {"sendbuf"},
    "Neighbor_allgather": {"recvbuf"},
    "Neighbor_alltoall": {"sendbuf", "recvbuf"},
}

# A parameter that the standard's data wrongly marks as significant only at the root.
NOT_ROOT_ONLY = {("Scatterv_init", "recvbuf")}

# Pointer parameters whose type, or `const`, differs between the headers of MPI libraries.
LOOSE = {"Info_create_env", "Pready_list"}

# Procedures that MPI-3.0 removed, but libraries still have. Their blocklengths are int, and their
# displacements MPI_Aint (MPI-1.1, sections 3.12 and 7.2).
REMOVED = [
    "int MPI_Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, "
    "MPI_Datatype* newtype)",
    "int MPI_Type_hindexed(int count, int array_of_blocklengths[], "
    "MPI_Aint array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype)",
    "int MPI_Type_struct(int count, int array_of_blocklengths[], "
    "MPI_Aint array_of_displacements[], MPI_Datatype array_of_types[], MPI_Datatype* newtype)",
    "int MPI_Errhandler_create(void* comm_errhandler_fn, MPI_Errhandler* errhandler)",
    "int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler* errhandler)",
    "int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler)",
    "int MPI_Address(void* location, MPI_Aint* address)",
    "int MPI_Type_extent(MPI_Datatype datatype, MPI_Aint* extent)",
    "int MPI_Type_lb(MPI_Datatype datatype, MPI_Aint* displacement)",
    "int MPI_Type_ub(MPI_Datatype datatype, MPI_Aint* displacement)",
]
REMOVED_LENGTHS = {
    "array_of_blocklengths": "count",
    "array_of_displacements": "count",
    "array_of_types": "count",
}
REMOVED_KINDS = {
    "count": "POLYDTYPE_NUM_ELEM_NNI",
    "blocklength": "POLYDTYPE_NUM_ELEM_NNI",
    "stride": "POLYDTYPE_STRIDE_BYTES",
    "oldtype": "DATATYPE",
    "newtype": "DATATYPE",
    "array_of_blocklengths": "POLYDTYPE_NUM_ELEM_NNI",
    "array_of_displacements": "POLYDISPLACEMENT_AINT_COUNT",
    "array_of_types": "DATATYPE",
    "comm_errhandler_fn": "FUNCTION",
    "errhandler": "ERRHANDLER",
    "comm": "COMMUNICATOR",
    "datatype": "DATATYPE",
    "location": "BUFFER",
    "address": "LOCATION_SMALL",
    "extent": "DISPLACEMENT",
    "displacement": "DISPLACEMENT",
}
