# SPDX-License-Identifier: MIT
"""C text for the generated files."""

from __future__ import annotations

from wrapper.generator import arguments, ordinals, outputs, statements
from wrapper.generator import procedures as known
from wrapper.generator.arguments import declaration, key
from wrapper.generator.buffers import Buffer, buffers_of, roles
from wrapper.generator.mpi_standard import Parameter, Procedure
from wrapper.generator.nesting import ended_handle, inside

SCALARS = {  # parameter name -> field of the call record and its "present" bit
    "dest": ("dest", "DEST"),
    "source": ("source", "SOURCE"),
    "tag": ("tag", "TAG"),
    "sendtag": ("tag", "TAG"),
    "recvtag": ("recvtag", "RECVTAG"),
    "root": ("root", "ROOT"),
    "target_rank": ("target_rank", "TARGET_RANK"),
    "rank": ("target_rank", "TARGET_RANK"),
    "offset": ("offset", "OFFSET"),
    "errorcode": ("errorcode", "ERRORCODE"),
}
SCALAR_KINDS = {"RANK", "RANK_NNI", "TAG", "OFFSET", "ERROR_CODE"}
OWN_HANDLES = {  # kind of a handle passed by value -> field and bit
    "COMMUNICATOR": ("comm", "COMM"),
    "OPERATION": ("op", "OP"),
    "WINDOW": ("win", "WIN"),
    "FILE": ("file", "FILE"),
}
STARTED_LATER = ("persistent", "partitioned")
FIRST = {"COMM", "DEST", "SOURCE", "TAG", "REQUESTS"}  # MPIPP_HAS_FIRST, without ordinals
RESULTS = {"LOGICAL": "flag", "INDEX": "index", "ARRAY_LENGTH": "outcount"}  # fields of a passage


def header(everything: list[Procedure]) -> str:
    lines = ["#ifndef MPIPP_PROCEDURES_H", "#define MPIPP_PROCEDURES_H", "", "enum {"]
    lines += [f"  MPIPP_PROC_{p.name}," for p in everything]
    lines += ["  MPIPP_PROCEDURES", "};", "", "// Names of parameters that are recorded.", "enum {"]
    lines += [f"  MPIPP_ROLE_{role}," for role in roles(everything)]
    lines += ["  MPIPP_ROLES", "};", ""]
    lines.append("// Exported to the wrapper's other libraries, as in abi/seam.h.")
    lines.append("extern const char *const mpipp_procedure_names[MPIPP_PROCEDURES]")
    lines.append('    __attribute__((visibility("default")));')
    lines.append("extern const char *const mpipp_role_names[MPIPP_ROLES];")
    lines += ["", "#endif", ""]
    return "\n".join(lines)


def names(everything: list[Procedure]) -> str:
    lines = ['#include "generated/procedures.h"', ""]
    lines.append("const char *const mpipp_procedure_names[MPIPP_PROCEDURES] = {")
    lines += [f'    "MPI_{p.name}",' for p in everything] + ["};"]
    lines.append("const char *const mpipp_role_names[MPIPP_ROLES] = {")
    lines += [f'    "{role}",' for role in roles(everything)] + ["};", ""]
    return "\n".join(lines)


def rename(wrapped: list[Procedure]) -> str:
    """Macros that rename mpi.h's declarations: the wrappers have other types for handles."""
    return "".join(
        f"#define {prefix}MPI_{p.name} mpih_{prefix}{p.name}\n"
        for p in wrapped
        if not p.removed
        for prefix in ("", "P")
    )


def unrename(wrapped: list[Procedure]) -> str:
    return "".join(
        f"#undef {prefix}MPI_{p.name}\n" for p in wrapped if not p.removed for prefix in ("", "P")
    )


def prelude() -> str:
    """The text of calls.h, with which each file of wrappers begins."""
    types = sorted({t for t, _ in known.HANDLES.values()})
    lines = ["#ifndef MPIPP_CALLS_H", "#define MPIPP_CALLS_H", ""]
    lines += ['#include "rename.h"', '#include "abi/vendor.h"', '#include "unrename.h"']
    lines += ['#include "call_filter/result_arguments.h"', '#include "intercept/wrapper_body.h"']
    lines += ['#include "intercept/fast_path.h"', ""]
    lines += ["// Handles by value, in a whole register (vendor.h)."]
    lines += [f"typedef mpipp_arg mpipp_{t};" for t in types]
    lines += ["", '#define EXPORT __attribute__((visibility("default")))']
    lines.append("// This library's MPI_X: another tool may define one, too, and come first.")
    lines.append('#define OWN(NAME) __attribute__((alias(#NAME), visibility("hidden")))')
    lines += ["", "#endif", ""]
    return "\n".join(lines)


def wrappers(wrapped: list[Procedure]) -> str:
    return '#include "calls.h"\n\n' + "\n".join(_wrapper(p) for p in wrapped)


def _wrapper(procedure: Procedure) -> str:
    name = procedure.name
    parameters = ", ".join(declaration(p) for p in procedure.parameters)
    lines = [] if procedure.removed else [f"#ifdef MPIPP_HAVE_{name}"]
    lines.append(f"typedef int raw_{name}({parameters or 'void'});")
    if procedure.removed:
        typed = ", ".join(p.declaration for p in procedure.parameters)
        lines.append(f"typedef int typed_{name}({typed});")
    else:
        lines.append(f"typedef __typeof__(mpih_{name}) typed_{name};")
    lines += _hooked(procedure)
    if name in known.PLAIN:
        lines.append(f"static __attribute__((noinline)) int any_{name}({parameters}) {{")
        lines += ["  " + line for line in _body(procedure)] + ["}"]
        lines += _seen(procedure) if name in known.PLAIN_MADE else []
    # mpi.h may declare, or poison, the names of removed procedures
    own = f"MPI1_{name}" if procedure.removed else f"MPI_{name}"
    for prefix in ("", "P"):
        label = f' __asm__("{prefix}MPI_{name}")' if procedure.removed else ""
        lines += [
            f"EXPORT int {prefix}{own}({parameters or 'void'}){label};",
            f"int {prefix}{own}({parameters or 'void'}) {{",
        ]
        if prefix:
            body = _profiling_body(procedure)
        else:
            body = _plain_body(procedure) if name in known.PLAIN else _body(procedure)
        lines += ["  " + line for line in body] + ["}"]
        if not prefix:
            lines.append(f"extern raw_{name} own_{name} OWN(MPI_{name});")
    if not procedure.removed:
        lines.append("#endif")
    return "\n".join(lines) + "\n"


def _profiling_body(procedure: Procedure) -> list[str]:
    """The wrapper PMPI_X: it calls MPI if MPI itself made the call, else jumps to MPI_X."""
    name, plain = procedure.name, ", ".join(p.name for p in procedure.parameters)
    return [
        f"void *real = mpipp_procedure(1, MPIPP_PROC_{name});",
        f"if (mpipp_passes()) return ((raw_{name} *)real)({plain});",
        f"MPIPP_JUMP own_{name}({plain});",
    ]


def _plain_body(procedure: Procedure) -> list[str]:
    """The wrapper MPI_X of a frequent procedure: the fast path, or a jump to the general path."""
    name = procedure.name
    given = ", ".join(p.name for p in procedure.parameters)
    to_mpi = ", ".join(_argument(p, procedure) for p in procedure.parameters)
    if name == "Waitall":
        waited = "count, array_of_requests"
        return [
            "struct mpipp_thread *thread = mpipp_nearby(mpipp_recorder_self);",
            f"if (MPIPP_UNLIKELY(!mpipp_begin_plain_wait(thread, MPIPP_PROC_{name}, {waited})))",
            f"  MPIPP_JUMP any_{name}({given});",
            "MPI_Request before[MPIPP_FEW];",
            f"mpipp_keep_handles(before, {waited});",
            f"typed_{name} *mpi = mpipp_begin_plain(thread, MPIPP_PROC_{name});",
            f"int code = mpi({to_mpi});",
            "thread = mpipp_nearby(thread);",
            "if (MPIPP_LIKELY(code == MPI_SUCCESS)) return mpipp_leave_plain_wait(thread, before);",
            f"mpipp_recorder_fail_all(before, {waited}, mpipp_returned_statuses(thread, "
            "array_of_statuses), "
            "code);",
            f"mpipp_recorder_complete_from(&thread->call, before, 0, {waited}, 0);",
            "return mpipp_intercept_fail(thread, code);",
        ]
    (buffer,) = buffers_of(procedure)
    assert buffer.datatype
    sends = any(p.name == "dest" for p in procedure.parameters)
    peer, sequence = ("dest", "MPIPP_SENDS") if sends else ("source", "MPIPP_RECEIVES")
    return [
        "struct mpipp_thread *thread = mpipp_nearby(mpipp_recorder_self);",
        f"const struct mpipp_plain of = {{MPIPP_PROC_{name}, {_present(procedure)},",
        f"                               {buffer.access(procedure)}, {sequence}}};",
        f"if (MPIPP_UNLIKELY(!mpipp_is_plain(thread, of, buf, count, {key(buffer.datatype)},",
        f"                                   {peer}, tag, MPIPP_KEY((MPI_Comm)comm), request)))",
        f"  MPIPP_JUMP any_{name}({given});",
        f"if (MPIPP_UNLIKELY(mpipp_intercept_hooks != NULL)) MPIPP_JUMP seen_{name}({given});",
        f"typed_{name} *mpi = mpipp_begin_plain(thread, MPIPP_PROC_{name});",
        f"int code = mpi({to_mpi});",
        "thread = mpipp_nearby(thread);",
        "if (MPIPP_LIKELY(code == MPI_SUCCESS)) return mpipp_leave_plain(thread);",
        f"return mpipp_intercept_fail(thread, {ordinals.failing(procedure, '&thread->call')});",
    ]


def _seen(procedure: Procedure) -> list[str]:
    """The rest of the fast path if there are hooks: the call's record is already complete."""
    name = procedure.name
    parameters = ", ".join(declaration(p) for p in procedure.parameters)
    lines = [
        "struct mpipp_thread *thread = mpipp_recorder_self;",
        "struct mpipp_call *call = &thread->call;",
        f"void *real = MPIPP_READ(mpipp_abi_real[0][MPIPP_PROC_{name}]);",
        *_calling(procedure, "mpipp_activate_hooks"),
        *_ending(procedure),
    ]
    head = f"static __attribute__((noinline)) int seen_{name}({parameters}) {{"
    return [head, *("  " + line for line in lines), "}"]


def _body(procedure: Procedure) -> list[str]:
    name, base = procedure.name, procedure.base
    plain = ", ".join(p.name for p in procedure.parameters)
    found = buffers_of(procedure)
    lines = [
        "void *real;",
        f"struct mpipp_thread *thread = mpipp_begin(MPIPP_PROC_{name}, &real);",
        *inside(procedure, f"((raw_{name} *)real)({plain})"),
        f"struct mpipp_call *call = mpipp_begin_record(thread, MPIPP_PROC_{name}, MPIPP_SITE);",
    ]
    lines += _scalars(procedure)
    for index, buffer in enumerate(found):
        lines += buffer.decode(procedure, index)
    lines += ordinals.counting(procedure)
    calling = _calling(procedure)
    requests = _requests(procedure)
    if requests and base in statements.ALWAYS:  # without an array there are none, or MPI reports it
        lines += [f"if (MPIPP_UNLIKELY(!{requests.name})) {{", *("  " + line for line in calling)]
        lines += ["  return mpipp_leave_any(thread, code);", "}"]
    lines += [*outputs.checks(procedure), *_before(procedure), *calling]
    if base in statements.ALWAYS:
        lines += statements.ALWAYS[base].split("\n")
    if procedure.form.startswith("split"):
        lines.append("if (MPIPP_UNLIKELY(code != MPI_SUCCESS)) mpipp_recorder_fail_split(call);")
    return lines + _ending(procedure)


def _ending(procedure: Procedure) -> list[str]:
    """Statements after MPI has returned `code`."""
    base, lines = procedure.base, list[str]()
    after = ordinals.resolving(procedure) + ordinals.noting_first(procedure)
    after += _after(procedure, buffers_of(procedure)) + ordinals.noting(procedure)
    if base in known.POLLING:
        after.append(f"mpipp_note_poll(call, *{known.POLLING[base]});")
    code = ordinals.failing(procedure) or "code"
    leave = "mpipp_intercept_fail" if after or code != "code" else "mpipp_leave_any"
    if leave == "mpipp_intercept_fail":
        after.append("return mpipp_leave(thread, mpipp_success());")
        lines += ["if (MPIPP_LIKELY(code == MPI_SUCCESS)) {", *("  " + line for line in after), "}"]
    if base in known.POLLING:
        lines.append("mpipp_note_poll(call, 1); // an error ends the polling, too")
    return [*lines, f"return {leave}(thread, {code});"]


def _calling(procedure: Procedure, active: str = "mpipp_activate") -> list[str]:
    """A call of MPI that passes the hooks if there are any."""
    plain = ", ".join(_argument(p, procedure) for p in procedure.parameters)
    given = ", ".join(["thread", "real", *(p.name for p in procedure.parameters)])
    return [
        f"int code = MPIPP_LIKELY(!{active}(thread))",
        f"               ? ((typed_{procedure.name} *)real)({plain})",
        f"               : hooked_{procedure.name}({given});",
    ]


def _hooked(procedure: Procedure) -> list[str]:
    """A function that calls hooks and MPI. The function is out of line to save registers in the
    wrapper."""
    found = buffers_of(procedure)
    given = ", ".join(_hooked_argument(p, found, procedure) for p in procedure.parameters)
    parameters = "".join(f", {declaration(p)}" for p in procedure.parameters)
    results = _results(procedure)
    return [
        f"static MPIPP_COLD int hooked_{procedure.name}(struct mpipp_thread *thread, void *real"
        f"{parameters}) {{",
        *([f"  struct mpipp_passage results = {{{results}}};"] if results else []),
        "  const struct mpipp_passage *passage = mpipp_intercept_enter_hooks(thread, "
        f"{'&results' if results else 'NULL'});",
        f"  return passage->over ? passage->code : ((typed_{procedure.name} *)real)({given});",
        "}",
    ]


def _results(procedure: Procedure) -> str:
    """The argument for a result of the call (intercept/hooks.h); empty if there is none."""
    found: dict[str, str] = {}
    requests = _requests(procedure)
    # Queries of topologies have results of the same kinds, which hooks do not treat as results.
    waits = bool({"REQUEST", "STATUS", "WINDOW"} & {p.kind for p in procedure.parameters})
    for p in procedure.parameters:
        stored = p.indirect and p.direction in ("out", "inout")
        if stored and not p.array and p.kind in known.HANDLES and p.kind != "REQUEST":
            found.setdefault("handle", p.name)
            found.setdefault("kind", known.HANDLES[p.kind][1])
        elif stored and p.kind == "STATUS":
            found["status"] = p.name
            found["statuses"] = requests.length if p.array and requests else "1"
        elif stored and p.kind in RESULTS and waits:
            found[RESULTS[p.kind]] = p.name
    if procedure.base in known.GIVING_MEMORY:
        found["base"] = "base"
    return ", ".join(f".{field} = {value}" for field, value in found.items())


def _recorded(procedure: Procedure) -> dict[str, tuple[str, str]]:
    """Map each field of the call record to its bit in "present", and its value in C."""
    found: dict[str, tuple[str, str]] = {}
    if procedure.base in known.COMBINERS:
        return found  # the constructor's arguments contain everything
    for p in procedure.parameters:
        if p.by_value_handle and p.kind in OWN_HANDLES:
            field, bit = OWN_HANDLES[p.kind]
            found.setdefault(field, (bit, key(p)))
        elif p.kind in SCALAR_KINDS and not p.indirect and p.name in _kept(procedure):
            field, bit = SCALARS[p.name]
            found.setdefault(field, (bit, p.name))
        elif p.kind == "MESSAGE" and p.direction == "inout":
            found.setdefault("message", ("MESSAGE", f"{p.name} ? MPIPP_KEY(*{p.name}) : 0"))
        elif p.kind == "REQUEST" and p.indirect:
            found.setdefault("requests", ("REQUESTS", f"(uintptr_t){p.name}"))
    return found


def _kept(procedure: Procedure) -> set[str]:
    # A rank in a topology is not the peer of a message : it is a named argument.
    return set(SCALARS) - ({"rank"} & set(known.ARGUMENTS.get(procedure.base, "").split()))


def scalars(procedure: Procedure) -> list[str]:
    """Statements that set the fields of the call record other than buffers."""
    return sorted(set(_recorded(procedure)) - {"requests"})


def _requests(procedure: Procedure) -> Parameter | None:
    """Statements that record the address and number of the call's requests."""
    return next((p for p in procedure.parameters if p.kind == "REQUEST" and p.indirect), None)


def _bits(procedure: Procedure) -> set[str]:
    return {bit for bit, _ in _recorded(procedure).values()}


def _scalars(procedure: Procedure) -> list[str]:
    lines = [f"call->present = {_present(procedure)};"]
    lines += [f"call->{field} = {value};" for field, (_, value) in _recorded(procedure).items()]
    requests = _requests(procedure)
    if requests:
        lines.append(f"call->request_count = {requests.length if requests.array else '1'};")
    stored = statuses(procedure)
    if stored:
        lines.append(f"call->statuses = (uintptr_t){stored.name};")
    if procedure.base in known.INDICES:
        lines.append("call->indices = (uintptr_t)array_of_indices;")
    return lines


def statuses(procedure: Procedure) -> Parameter | None:
    """Statements that record the address of the call's status or statuses."""
    found = (p for p in procedure.parameters if p.kind == "STATUS" and p.direction == "out")
    return next(found, None)


def _present(procedure: Procedure) -> str:
    """The bits of the call's fields, in C."""
    bits = [f"MPIPP_HAS_{bit}" for bit, _ in _recorded(procedure).values()]
    bits += ordinals.bits(procedure)
    if procedure.form in STARTED_LATER:
        bits.append("MPIPP_HAS_STARTS")
    if procedure.base in known.COMBINERS or procedure.base in known.TYPE_ENDS:
        bits.append("MPIPP_HAS_CONSTRUCTOR")
    if procedure.base in known.ARGUMENTS or procedure.base in known.FREEING:
        bits.append("MPIPP_HAS_ARGUMENTS")
    if procedure.base in known.TYPES:
        bits.append("MPIPP_HAS_TYPES")
    if procedure.base in known.GIVING_UP:
        bits.append("MPIPP_HAS_GIVEN_UP")
    if procedure.base in known.BUFFERED:
        bits.append("MPIPP_HAS_BUFFERED")
    return " | ".join(bits) or "0"


def _before(procedure: Procedure) -> list[str]:
    lines = statements.BEFORE.get(procedure.base, "").split("\n")
    if procedure.base in known.COMBINERS:
        lines += arguments.of_constructor(procedure)
    if procedure.base in known.ONCE:
        lines.append(
            "if (mpipp_intercept_is_repeated_init(call->procedure)) "
            "call->present |= MPIPP_HAS_AGAIN;"
        )
    if procedure.base in known.ARGUMENTS:
        lines += arguments.of_procedure(procedure)
    if any(p.name == "recvcounts" for p in procedure.parameters) and "educe" in procedure.base:
        lines.append("mpipp_intercept_counts(call, recvcounts, sizeof *recvcounts);")
    ended = ended_handle(procedure)
    if ended:
        lines.append(f"uint64_t handle = {ended.name} ? MPIPP_KEY(*{ended.name}) : 0;")
        if procedure.base not in statements.AFTER:
            kind = known.HANDLES[ended.kind][1]
            lines.append(f"uint64_t serial = mpipp_serial_before({kind}, handle);")
        if procedure.base in known.FREEING:
            lines += arguments.of_freed(known.FREEING[procedure.base])
    return [line for line in lines if line]


def _hooked_argument(parameter: Parameter, buffers: list[Buffer], procedure: Procedure) -> str:
    """The argument for MPI like `_argument`, but as hooks have changed it."""
    if parameter.kind == "STATUS":
        return f"mpipp_intercept_passed_status(passage, {parameter.name})"
    if any(b.pointer is parameter for b in buffers):
        return f"MPIPP_PASSED_ADDRESS(passage, MPIPP_ROLE_{parameter.name}, {parameter.name})"
    if procedure.base in known.GIVING_MEMORY and parameter.name == "base":
        return "passage->base"
    return _argument(parameter, procedure)


def _argument(parameter: Parameter, procedure: Procedure) -> str:
    if parameter.by_value_handle:
        return f"({known.HANDLES[parameter.kind][0]}){parameter.name}"
    learned = ordinals.status(procedure, parameter)
    if learned:
        return learned
    if procedure.base in known.LOOSE and parameter.indirect:
        return f"(void *){parameter.name}"
    return parameter.name


def _memory(procedure: Procedure) -> str:
    # The memory of a window that the program passes, or receives.
    names = {p.name for p in procedure.parameters}
    return "base" if "base" in names else "*(void **)baseptr" if "baseptr" in names else "NULL"


def _after(procedure: Procedure, buffers: list[Buffer]) -> list[str]:
    base, lines = procedure.base, []
    made = {p.kind for p in procedure.parameters if p.direction == "out" and p.indirect}
    imports = bool(buffers) and "REQUEST" not in made  # else mpipp_add_request does it
    if imports:
        lines.append("mpipp_import_unknown(call);")
    if base in known.COMBINERS:
        return [*lines, *arguments.constructed(procedure)]
    special = statements.AFTER.get(base)
    if procedure.form == "split begin":
        special = "mpipp_recorder_begin_split(call);"
    elif procedure.form == "split end":
        special = "mpipp_recorder_end_split(call);"
    lines += (special or "").split("\n") if special else []
    for p in procedure.parameters:
        makes = p.direction == "out" and p.indirect and not p.array and p.kind in statements.MADE
        if makes and (p.kind == "REQUEST" or not special):
            persistent = int(procedure.form in STARTED_LATER)
            first = len(buffers) == 1 and _bits(procedure) <= FIRST
            # first, because the special statement may refer to the new request
            lines.insert(
                int(imports),
                statements.MADE[p.kind].format(
                    name=p.name,
                    persistent=persistent,
                    copy="FIRST" if first else "ALL",
                    memory=_memory(procedure),
                ),
            )
    ended = ended_handle(procedure)
    if ended and not special:
        # clears the record's message, so that a reader does not see it received twice
        if ended.kind == "MESSAGE":
            lines.append(
                "MPIPP_WRITE(call->present, call->present & ~(uint32_t)MPIPP_HAS_MESSAGE);"
            )
        if base in known.FREEING:  # no error: this very call has freed the object
            lines.append("call->present &= ~(uint32_t)MPIPP_HAS_ARGUMENTS;")
        kind = known.HANDLES[ended.kind][1]
        lines.append(f"mpipp_registry_note_free({kind}, handle, serial, call->caller);")
        if ended.kind == "COMMUNICATOR":
            lines.append("mpipp_recorder_orphan_requests(handle);")
    return lines
