# SPDX-License-Identifier: MIT
"""The manual of the shell command, for --help, the reference and the man pages."""

from __future__ import annotations

from typing import NamedTuple

from mpipp.cli.commands import exec
from mpipp.cli.commands.compile_languages import LANGUAGES, description

_ERROR = ("2", "mpipp could not do what you asked; a line on standard error gives the reason")


class Manual(NamedTuple):
    """The manual of a command: a verb phrase, paragraphs, and its exit statuses with their
    meanings."""

    summary: str
    paragraphs: tuple[str, ...]
    statuses: tuple[tuple[str, str], ...] = (("0", "success"), _ERROR)


_COMPILE = (
    "The command calls your MPI compiler, and adds a check to each load and store. Use it in place "
    "of the compiler, to compile and to link.",
    "Run the program with `mpipp run --check=buffers` or `--check=rma`. mpipp then checks every "
    "access to the buffers of pending operations, and to windows.",
)

_OF_COMPILER = (("STATUS", "the exit status of the compiler"), _ERROR)

COMMANDS: dict[str, Manual] = {
    "run": Manual(
        "start an MPI program, record its MPI calls, and check them on request",
        (
            "mpipp finds the MPI library of the program, and starts the program with the launcher "
            "of that MPI. It preloads its *wrapper*, a library that records the MPI calls.",
            "Without `--check` the wrapper only records, so that gdb can show datatypes, handles "
            "and buffers. With `--check` a watcher runs beside the program. It checks every MPI "
            "call of every process, and reports errors on standard error.",
        ),
        (
            ("STATUS", "the exit status of the launcher, except in the following cases"),
            ("N", "with `--error-exit N`: there are errors, or some checks could not run"),
            ("86", "with `--on-hang=abort`: the job hangs"),
            _ERROR,
        ),
    ),
    "report": Manual(
        "show the report of a checked run",
        (
            "`mpipp run --check --report DIR` writes a report. This command shows it as text, as a "
            "page, or in a format for editors and continuous integration.",
        ),
    ),
    "attach": Manual(
        "attach gdb to the processes of a running job",
        (
            "One gdb attaches to all processes of a job on this node, with mpipp loaded. In gdb, "
            "`mpipp rank N` selects the process of a rank.",
            "The job must have been started by `mpipp run` or `mpipp exec`: the wrapper cannot be "
            "added to a running process.",
        ),
        (("STATUS", "the exit status of gdb"), _ERROR),
    ),
    "debug": Manual(
        "debug all ranks of a job in one gdb",
        (
            "The command starts the job and one gdb, in which each rank is an inferior. Each rank "
            "waits before its main program until gdb has attached, and then stops at its first "
            "line. The prompt shows the ranks in the focus.",
            "In gdb, `mpipp focus` chooses ranks, and commands such as `mpipp continue` and "
            "`mpipp next` let them run. These commands wait until the ranks have stopped, and "
            "report equal stops once.",
            "mpipp puts the rank in front of each line that a rank writes. When you leave gdb, the "
            "job ends, except after `mpipp detach`.",
        ),
        (("STATUS", "the exit status of gdb; after `mpipp detach`, of the launcher"), _ERROR),
    ),
    "dap": Manual(
        "serve an editor that speaks the Debug Adapter Protocol",
        (
            "Editors start this command. It reads requests on standard input, and writes responses "
            "and events to standard output. The requests `launch` and `attach` debug all ranks of "
            "a job: each rank is a thread of the session.",
            "docs/howto/debug-in-an-editor.md has the settings of editors, and "
            "docs/reference/dap.md the requests.",
        ),
        (("0", "the editor has ended the session"), _ERROR),
    ),
    "gdb": Manual(
        "start gdb with mpipp, on one process of an MPI program",
        (
            "gdb starts one process of an MPI program, attaches to a process, or opens a core "
            "file. All options except `--mpicc` are options of gdb.",
            "To see records, the process must have been started by mpipp: by this command, by "
            "`mpipp run` or by `mpipp exec`.",
        ),
        (("STATUS", "the exit status of gdb"), _ERROR),
    ),
    "stacks": Manual(
        "show the stacks, waits or variables of a running job without a debugger",
        (
            "mpipp stops each process for some milliseconds, copies its stacks, and continues it. "
            "Equal callers share one line, which shows the number of ranks and their list.",
            "The tree ends at the MPI calls with their peers if `mpipp run` or `mpipp exec` "
            "started the job. For other jobs it ends at functions of the MPI library.",
            "mpipp reads the processes on other nodes through ssh or srun. If it cannot reach "
            "them, run `mpipp stacks --json` on each node, and merge the files with `--merge`.",
            "`--why` and `--print` show waits or variables in place of the stacks. `--why` needs a "
            "job that `mpipp run` or `mpipp exec` started. `--print` needs the debug information "
            "of the program (`-g`).",
        ),
    ),
    "why": Manual(
        "explain a hang from core files",
        (
            "mpipp finds the ranks that wait for each other, and the calls that are missing. Pass "
            "one core file for each process.",
            "For a running job use `mpipp stacks --why`, or `mpipp attach` and `mpipp why` in gdb.",
        ),
    ),
    "check": Manual(
        "check core files for violations of the MPI standard",
        (
            "mpipp checks the calls, requests and objects that the processes had when they died. "
            "Between several core files it compares messages and collective calls.",
        ),
        (
            ("0", "no findings"),
            ("1", "findings"),
            ("2", "some checks could not run"),
        ),
    ),
    "exec": Manual(
        exec.SUMMARY,
        (
            "The launcher starts this command in place of the program, once for each process. The "
            "command preloads mpipp's wrapper, and becomes the program.",
            "Use it if `mpipp run` does not start the launcher, as in a batch script with srun. "
            "The processes of a node share one watcher.",
        ),
        (
            ("STATUS", "the exit status of the program"),
            ("127", "the program cannot be started"),
            _ERROR,
        ),
    ),
    "doctor": Manual(
        "check what this machine has, and what is missing",
        (
            "The command looks for gdb, MPI libraries, the cache and the system's settings for "
            "core files and debuggers. For each missing part it prints what to do.",
            "It also lists the settings files that apply here, and the variables `MPIPP_...` that "
            "are set.",
        ),
        (("0", "`mpipp gdb` would work"), ("2", "something is missing for `mpipp gdb`")),
    ),
    "wrapper": Manual(
        "build the library that mpipp preloads, and print its path",
        (
            "The wrapper is a small library for `LD_PRELOAD`. mpipp builds it with the MPI "
            "compiler, once for each MPI, and keeps it in its cache.",
            "The other commands build it themselves if it is missing. Call this command on the "
            "login node of a cluster, or to preload the wrapper yourself.",
        ),
    ),
    "browse": Manual(
        "show a datatype and its memory as a tree, from a running gdb",
        (
            "In gdb, `mpipp browse TYPE ADDR` offers a datatype and its memory on a socket. This "
            "command shows them as a tree, in a window or a terminal.",
        ),
    ),
    **{name: Manual(description(name), _COMPILE, _OF_COMPILER) for name in LANGUAGES},
}

# The full description of each option, by its first word.
OPTIONS: dict[str, str] = {
    "-n": "Starts N MPI processes.",
    "--mpiexec": "Starts the program with this launcher, which may have options of its own: "
    '`--mpiexec "mpiexec --oversubscribe"`. By default mpipp takes the launcher that belongs to '
    "the program's MPI library.",
    "--mpicc": "Builds the wrapper with this MPI compiler. It must belong to the MPI library that "
    "the program loads.",
    "-v": "Prints the command that mpipp starts: the launcher, the start of the wrapper, and the "
    "program. Without it mpipp prints only findings and its last lines.",
    "--frames": "Records N stack frames wherever the program creates an MPI object or calls MPI. "
    "Findings then show the callers.",
    "--check": "Checks the program. LIST names the checks to run, or groups of them. By default "
    "all run except `portability` and `races`. In LIST, `all` means this default. `fast` leaves "
    "out `buffers`, `rma`, the checks that read debug information, and the replay of calls at the "
    "end.",
    "--strict": "Compares blocking collective calls before they start.",
    "--hang-after": "Explains a hang after S seconds without an MPI call. The default is 30; 0 "
    "means never.",
    "--budget": "Limits the time that guards of buffers and `--rma-loads` may take, in percent of "
    "the program's time. The default is 5 with `--check` alone, and 10 with `--check=buffers`. To "
    "stay below it, mpipp checks only some calls or pages at a time.",
    "--rma-model": "With `separate`, `--check=rma` assumes the separate memory model for all "
    "windows, as a portable program must. By default each window has the model that MPI reports.",
    "--rma-loads": "Also checks loads and stores in windows, in programs that `mpipp cc` did not "
    "compile.",
    "--valgrind": "With `--check=buffers`: runs the program under valgrind, which reports each use "
    "of a byte of a pending receive. OPTIONS are passed to valgrind.",
    "--on-error": "`report` (the default) lets a wrong call continue. `handler` calls the error "
    "handler in its place, and `abort` ends the job. These two imply `--strict`.",
    "--on-hang": "`report` (the default) only explains a hang. `abort` also reports the stacks of "
    "all processes, ends the job, and exits with status 86; `abort:STATUS` exits with that status.",
    "--stop": "Stops a process in a wrong call, before MPI sees it.",
    "--gdb": "Stops a process in a wrong call, and opens gdb on it in this terminal.",
    "--gdb=all": "Stops a process in a wrong call, and opens gdb on all processes of this node.",
    "--stop-at": "Stops in the calls of finding N in the report DIR of an earlier run.",
    "--error-exit": "Exits with status N if there are errors, or if mpipp could not complete its "
    "checks, because it lost a process or the watcher.",
    "--report": "Writes a report for `mpipp report DIR`. All nodes must share DIR.",
    "--suppress": "Suppresses the findings listed in FILE.",
    "--no-backtrace": "Does not read the stack of a process that a signal kills, or that exits "
    "without MPI_Finalize. Then mpipp adds no signal handler to the program.",
    "-q": "Prints nothing if there are no findings.",
    "--provoke": "Perturbs timing within the rules of MPI. A SEED repeats a run; "
    "`--provoke=rma[,SEED][,RULE=...]` perturbs one-sided operations. "
    "`--provoke=match:RANK.NUMBER.SOURCE` lets one receive take another message, as a finding of "
    "`--check=races` proposes.",
    "--provoke-sweep": "Runs the program twice unperturbed and N times perturbed, and lists the "
    "seeds whose exit status or output differs from the unperturbed runs.",
}
