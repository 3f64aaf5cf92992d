# SPDX-License-Identifier: MIT
"""The fields of each record that mpipp reads, by the names that the registry publishes.

The registry itself has the offset and the size of each field. Nested records are bytes until they
are decoded. All addresses are in the target's memory.

Annotations are types here, and not strings, each of which `NamedTuple` would compile.
"""

from typing import NamedTuple


class RawRoot(NamedTuple):
    handle_size: int
    flavor: int
    status: int
    pid: int
    world_rank: int
    world_size: int
    dropped: int
    started_at: int
    frames: int
    several_threads: int
    several_called: int
    return_slot: int
    job: int
    parent: int
    standard: int
    standard_minor: int
    main_thread: int
    tag_ub: int
    status_size: int
    kind_bits: int
    end_awaited: int
    spawned: int
    calls: int
    ledger_bytes: int
    forgotten: int
    unasked: int
    attached: bytes
    of_sessions: int
    apart: int
    unseen: int
    guard: int
    blind: int
    crowded: int
    untold: int
    hindrances: int
    onesided: int
    onesided_lost: int
    onesided_pages: int
    onesided_closed: int
    onesided_unseen: int
    onesided_looks: int
    library_version: bytes
    built_with: bytes


class RawAttachment(NamedTuple):
    state: int
    address: int
    size: int
    caller: int
    used: int
    messages: int
    since: int
    last: int


class RawChunk(NamedTuple):
    next: int
    used: int
    capacity: int


class RawSlot(NamedTuple):
    handle: int
    record: int


class RawEnumerator(NamedTuple):
    enumeration: bytes
    name: bytes
    value: int


class RawProcedure(NamedTuple):
    name: bytes


class RawConstant(NamedTuple):
    name: bytes
    value: int


class RawObject(NamedTuple):
    handle: int
    serial: int
    kind: int
    flags: int
    references: int
    fint: int
    caller: int
    freed: int
    frames: int
    name: int
    holders: int


class RawDatatype(NamedTuple):
    combiner: int
    component_count: int
    argument_count: int
    arguments: int
    components: int
    size: int
    lb: int
    extent: int
    true_lb: int
    true_extent: int


class RawBuffer(NamedTuple):
    address: int
    count: int  # type: ignore[assignment]  # the published name hides tuple.count
    peers: int
    datatype: int
    record: int
    access: int
    vector: int
    role: int


class RawVector(NamedTuple):
    length: int
    counts: int
    displacements: int
    datatypes: int
    count_size: int
    displacement_size: int
    records: int


class RawCall(NamedTuple):
    state: int
    procedure: int
    present: int
    buffer_count: int
    serial: int
    caller: int
    frame: int
    comm: int
    op: int
    win: int
    file: int
    message: int
    dest: int
    source: int
    tag: int
    recvtag: int
    root: int
    target_rank: int
    offset: int
    errorcode: int
    requests: int
    request_count: int
    ordinal: int
    recv_ordinal: int
    buffers: bytes
    vectors: bytes
    combiner: int
    inputs: int
    input_count: int
    types: int
    type_count: int
    before: int
    statuses: int
    indices: int


class RawTouch(NamedTuple):
    state: int
    stores: int
    serial: int
    address: int
    tid: int
    moved: int
    bytes: int
    instruction: int
    frames: int


class RawCoverage(NamedTuple):
    caller: int
    procedure: int
    pages: int
    compared: int
    skipped: int
    nothing: int
    accesses: int


class RawPerturbation(NamedTuple):
    caller: int
    procedure: int
    way: int
    by_caller: int
    by_procedure: int
    times: int
    least: int
    most: int


class RawReturned(NamedTuple):
    procedure: int
    error_class: int
    caller: int
    times: int
    last: int
    text: bytes


class RawKeyvals(NamedTuple):
    caller: int
    made: int
    freed: int


class RawBreach(NamedTuple):
    state: int
    level: int
    kind: int
    procedure: int
    other_procedure: int
    tid: int
    other_tid: int
    caller: int
    other_caller: int
    other_thread: int
    other_serial: int


class RawInput(NamedTuple):
    values: int
    count: int  # type: ignore[assignment]  # as in RawBuffer
    size: int
    shape: int
    name: int


class RawChannel(NamedTuple):
    next: int
    comm: int
    key: int
    count: int  # type: ignore[assignment]  # as in RawBuffer
    certain: int
    sequence: int
    period: int
    history: int
    shared: int
    gaps: int


class RawHistory(NamedTuple):
    pages: int
    comm: int
    full: int
    noted: int


class RawTimestamp(NamedTuple):
    history: int
    ordinal: int
    time: int


class RawPage(NamedTuple):
    next: int
    used: int
    capacity: int


class RawRequest(NamedTuple):
    state: int
    persistent: int
    special: int
    ready: int
    marks: int
    newer: int
    start: int
    start_procedure: int
    tid: int
    starts: int
    call: bytes


class RawComm(NamedTuple):
    rank: int
    size: int
    inter: int
    remote_size: int
    world_ranks: int
    remote_world_ranks: int
    topology: int
    ndims: int
    dims: int
    periods: int
    coords: int
    indegree: int
    outdegree: int
    sources: int
    destinations: int
    world_known: int
    errhandler: int
    identity: int
    channels: int
    uncertain: int
    uncertain_all: int
    frozen: int
    posted_any: int
    returned_any: int
    abandoned: int
    made_of: int
    made_by: int
    attached: bytes


class RawGroup(NamedTuple):
    size: int
    rank: int
    world_ranks: int
    world_known: int


class RawWin(NamedTuple):
    base: int
    taken_base: int
    size: int
    disp_unit: int
    flavor: int
    model: int
    comm: int
    epochs: int
    access_group: int
    exposure_group: int
    access_serial: int
    exposure_serial: int
    identity: int
    comm_identity: int
    fences: int
    completes: int
    locking: int
    lock_count: int
    known_locks: int
    lock_ranks: bytes
    lock_exclusive: bytes
    rank: int
    reaches: int


class RawOp(NamedTuple):
    function: int
    commute: int


class RawFile(NamedTuple):
    comm: int
    filename: int
    amode: int
    disp: int
    etype: int
    filetype: int
    datarep: int
    channel: int
    split_pending: int
    split_doubted: int
    split_ended: int
    call: bytes


class RawInfo(NamedTuple):
    key_count: int
    entries: int


class RawErrhandler(NamedTuple):
    function: int


class RawSession(NamedTuple):
    errhandler: int


class RawMessage(NamedTuple):
    comm: int
    source: int
    tag: int
    ordinal: int


class RawThread(NamedTuple):
    serial: int
    tid: int
    self: int
    depth: int
    stack_start: int
    stack_end: int
    shown: int
    shown_serial: int
    place: int
    place_serial: int
    polls_from: int
    polls_vary: int
    handle_count: int
    handle: int
    other_handle: int
    past_calls: int
    past_count: int
    polled: int
    call: bytes


class RawStackPlace(NamedTuple):
    caller: int
    frames: int


class RawPastCall(NamedTuple):
    place: int
    serials: bytes
    call: bytes
