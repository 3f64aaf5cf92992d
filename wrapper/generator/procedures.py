# SPDX-License-Identifier: MIT
"""The wrapped procedures, and facts on them that the standard's data lacks."""

from __future__ import annotations

import re

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

# Procedures that store the indices of completed requests.
INDICES = {"Waitsome", "Testsome", "Request_get_status_some"}

# Procedures that are so frequent that they have a fast path (intercept/fast_path.h).
PLAIN_MADE = {"Isend", "Irecv"}
PLAIN = {*PLAIN_MADE, "Waitall"}

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

# Named arguments, which are recorded while the call is active, in addition to the members that all
# records have. A number or a handle has only its name. An array has its length, or -1 if that
# follows from other arguments. `text` marks a string; `extent`: the extent of a datatype is
# recorded. The history of collective calls keeps these arguments. An array of results has the
# number of elements that MPI may store, after `>`.
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
    "Cart_coords": "rank coords>mpipp_recorder_dimensions_up_to(call,maxdims)",
    "Cart_get": "dims>mpipp_recorder_dimensions_up_to(call,maxdims) "
    "periods>mpipp_recorder_dimensions_up_to(call,maxdims) "
    "coords>mpipp_recorder_dimensions_up_to(call,maxdims)",
    "Cart_shift": "direction disp",
    "Graph_neighbors": "rank neighbors>maxneighbors",
    "Graph_get": "index>maxindex edges>maxedges",
    "Dist_graph_neighbors": "sources>maxindegree sourceweights>maxindegree "
    "destinations>maxoutdegree destweights>maxoutdegree",
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
    "Group_translate_ranks": "group1 n ranks1:n group2 ranks2>n",
    "Group_range_incl": "group n ranges:3*(int64_t)n",
    "Group_range_excl": "group n ranges:3*(int64_t)n",
    "Win_create": "size disp_unit base",
    "Win_allocate": "size disp_unit",
    "Win_allocate_shared": "size disp_unit",
    "Win_start": "group",
    "Win_post": "group",
}


def argument(text: str) -> tuple[str, str, str]:
    """The name of an argument above, ":" or ">", and its length; "" if it has none."""
    name, *rest = re.split("([:>])", text, maxsplit=1)
    sign, length = rest or ("", "")
    return name, sign, length


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

# Procedures that free or cancel a request. Only few operations allow that, so the filter checks
# them.
GIVING_UP = ("Request_free", "Cancel")
# Procedures that need space in an attached buffer.
BUFFERED = ("Bsend", "Ibsend")
# Procedures that pass memory for a window to MPI; hooks may pass another address.
GIVING_MEMORY = {"Win_create"}
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

# The value that is 0 if a polling call has found nothing: the program may poll forever.
POLLING = {
    **dict.fromkeys(("Test", "Testall", "Testany", "Iprobe", "Improbe"), "flag"),
    **dict.fromkeys(("Request_get_status", "Request_get_status_all"), "flag"),
    **dict.fromkeys(("Request_get_status_any", "Parrived", "Win_test"), "flag"),
    **dict.fromkeys(("Testsome", "Request_get_status_some"), "outcount"),
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

# Procedures that MPI-3.0 removed, but libraries still have. These procedures' blocklengths are int,
# and their displacements MPI_Aint (MPI-1.1, sections 3.12 and 7.2).
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
