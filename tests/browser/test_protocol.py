# SPDX-License-Identifier: MIT
"""The messages of gdb to a browser over the socket, from a real gdb."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import support
from tests.browser.browsed_gdb import WAIT, Gdb, Peer, until

ROOTS = (
    "mpipp browse --terminal s_type data 2",
    "mpipp browse --terminal big numbers",
    "mpipp browse --terminal",
)
TYPE, DATA, BIG, NUMBERS, PROCESS = range(5)


@pytest.fixture(scope="module")
def still() -> Iterator[Gdb]:
    """A gdb for tests that change nothing."""
    with Gdb(*ROOTS) as session:
        yield session


@pytest.fixture
def gdb() -> Iterator[Gdb]:
    with Gdb(*ROOTS, arguments=("spin",)) as session:
        yield session


def test_command_names_the_front_end(still: Gdb) -> None:
    assert "To browse, type in another terminal:\n" in still.output
    assert "mpipp.cli browse" in still.output or "mpipp browse" in still.output


def test_only_the_owner_can_open_it(still: Gdb) -> None:
    state = os.stat(still.path.parent)
    assert (stat.S_IMODE(state.st_mode), state.st_uid) == (0o700, os.getuid())


def test_type_and_buffer(still: Gdb) -> None:
    peer = Peer(still.path)
    assert peer.events == [{"event": "hello", "protocol": 1}]
    assert peer.lines() == [
        ("s_type", "STRUCT[3]", "", None, 43, 8),
        ("s_type data 2", '{{{1, 2, 3, 4, 5}, "abcdefg", ...}, ...}', "2 STRUCT", 0, 86, 2),
        ("big", "VECTOR[1000000, 1, 2]", "", None, 8000000, 10),
        ("big numbers", "{{0}, {1}, {2}, {3}, {4}, {5}, ...}", "VECTOR", 0, 8000000, 1000000),
        ("process", "rank 0 of 1", "", None, None, 3),
    ]
    assert peer.lines(DATA, 0) == [
        ("[0]", "{1, 2, 3, 4, 5}", "5 MPI_INT", 0, 20, 5),
        ("[1]", '"abcdefg"', "7 MPI_CHAR", 20, 7, 7),
        ("[2]", "{1.5, 2.5}", "2 MPI_DOUBLE", 32, 16, 2),
    ]
    assert peer.lines(DATA, 1, 2) == [
        ("[0]", "3.5", "MPI_DOUBLE", 80, 8, 0),
        ("[1]", "4.5", "MPI_DOUBLE", 88, 8, 0),
    ]
    members = {name: value for name, value, *_ in peer.lines(TYPE)}
    assert members["kind"] == "STRUCT"
    assert (members["size"], members["extent"]) == ("43", "48")
    entries = peer.lines(TYPE, 2)
    assert entries[1][:2] == ("[1]", '{blocklength = 7, offset = 20, type = "MPI_CHAR"}')


def test_a_page_in_the_middle_of_many(still: Gdb) -> None:
    peer = Peer(still.path)
    page = peer.lines(NUMBERS, start=500_000, stop=501_000)
    assert len(page) == 1000
    assert page[0] == ("[500000]", "{500000}", "1 MPI_DOUBLE", 8_000_000, 8, 1)
    assert page[-1][:2] == ("[500999]", "{500999}")
    # A reply has at most this many lines, for any request.
    assert len(peer.lines(NUMBERS, start=0, stop=1_000_000)) == 1000


def test_the_process(still: Gdb) -> None:
    peer = Peer(still.path)
    assert [line[:2] for line in peer.lines(PROCESS)] == [
        ("datatypes", "2"),
        ("requests", "1"),
        ("comms", "2"),
    ]
    members = peer.lines(PROCESS, 1, 0)
    assert [line[:2] for line in members[:4]] == [
        ("state", "active"),
        ("call", "MPI_Irecv"),
        ("called_at", "browse.c:39 in main"),
        ("source", "0"),
    ]
    address, count, _, data = peer.lines(PROCESS, 1, 0, len(members) - 1)
    assert address[1].startswith("0x")
    assert (count[1], data[2:]) == ("2", ("2 STRUCT", 0, 86, 2))


def test_the_call_a_thread_is_in() -> None:
    stop = ("delete", "break PMPI_Gatherv", "continue")
    with Gdb(*stop, "mpipp browse --terminal") as gdb:
        peer = Peer(gdb.path)
        assert peer.ask(do="status")["place"] == "main at browse.c:46"
        assert peer.lines(0)[0][:2] == ("calls", "1")
        (thread,) = peer.lines(0, 0)
        assert thread[0] == "thread 1"
        members = peer.lines(0, 0, 0)
        assert [line[:2] for line in members[:4]] == [
            ("call", "MPI_Gatherv"),
            ("called_at", "browse.c:46 in main"),
            ("root", "0"),
            ("comm", '"MPI_COMM_SELF"'),
        ]
        assert [line[0] for line in members[4:]] == ["sendbuf", "recvbuf"]
        sent = peer.lines(0, 0, 0, 4)
        assert sent[-1][:5] == ("data", '{{1, 2, 3, 4, 5}, "abcdefg", ...}', "STRUCT", 0, 43)
        received = peer.lines(0, 0, 0, 5)
        assert received[-1] == ("data", "", "1 peer", None, None, 1)
        (part,) = peer.lines(0, 0, 0, 5, len(received) - 1)
        assert part[0] == "r0"
        assert part[1].startswith("{{0, 0, 0, 0, 0}, ")
        assert part[2:] == ("STRUCT", 0, 43, 3)


def test_it_follows_stops_and_reads_a_running_process(gdb: Gdb) -> None:
    peer = Peer(gdb.path)
    status = peer.ask(do="status")
    assert (status["state"], status["place"]) == ("stopped", "mark at mark.h:8")
    assert status["process"].startswith("rank 0 of 1, pid ")
    gdb.say("continue", "up")
    assert peer.lines(NUMBERS, 0) == [("[0]", "-1", "MPI_DOUBLE", 0, 8, 0)]
    assert {"event": "changed"} in peer.events
    gdb.say("set var numbers[0] = 5")
    assert peer.lines(NUMBERS, 0)[0][1] == "5"
    gdb.send("delete", "continue")
    until(lambda: peer.ask(do="status").get("state") == "running")
    first = float(peer.lines(NUMBERS, 0)[0][1])
    until(lambda: float(peer.lines(NUMBERS, 0)[0][1]) > first)
    gdb.interrupt()
    until(lambda: peer.ask(do="status").get("state") == "stopped")
    gdb.say("kill")
    until(lambda: peer.ask(do="status").get("state") == "none")
    assert "there is no process" in peer.lines()[NUMBERS][1]
    assert "there is no process" in peer.ask(do="children", path=[NUMBERS])["error"]


def test_a_busy_gdb_is_not_waited_for(gdb: Gdb, tmp_path: Path) -> None:
    path, gate = gdb.path, tmp_path / "gate"
    os.mkfifo(gate)
    gdb.send(f"python open('{gate}').read()")
    peer = Peer(path)
    until(
        lambda: (
            peer.ask(do="status")
            == {
                "error": "gdb is busy with another command: try again when it is done",
                "busy": True,
            }
        )
    )
    gate.write_text("")
    until(lambda: "state" in peer.ask(do="status"))


def test_wrong_requests(still: Gdb) -> None:
    peer = Peer(still.path)
    requests: tuple[tuple[dict[str, object], str], ...] = (
        ({"do": "children", "path": [99]}, "nothing browsed has the number 99"),
        ({"do": "children", "path": [-1]}, "nothing browsed has the number -1"),
        ({"do": "children", "path": [0, 99]}, "there is no part 99 any more"),
        ({"do": "children", "path": "x"}, "children needs path, a list of numbers"),
        ({"do": "children", "path": [0], "start": None}, "children needs path"),
        ({"do": "quit"}, "a browser cannot ask for 'quit': ask for status or children"),
        ({}, "a browser cannot ask for None"),
    )
    for request, error in requests:
        assert error in peer.ask(**request)["error"]
    peer.send("junk")
    assert peer.receive() == {"error": "a request is a JSON object on a line of its own"}
    assert peer.ask(do="status")["state"] == "stopped"


def test_several_browsers_come_and_go(gdb: Gdb) -> None:
    path = gdb.path
    peers = [Peer(path) for _ in range(5)]
    peers.pop().close()
    assert len({str(peer.lines()) for peer in peers}) == 1
    assert "The open browser shows it" in gdb.say("mpipp browse big")
    for peer in peers:
        peer.lines()
        assert peer.events.pop() == {"event": "changed"}
        peer.lines()
    # After any number of steps, a browser without a new request gets only one message.
    gdb.say(*["stepi"] * 20)
    for peer in peers:
        peer.lines()
        assert peer.events == [{"event": "hello", "protocol": 1}, {"event": "changed"}]


@pytest.mark.thorough
def test_the_socket_goes_with_gdb(gdb: Gdb) -> None:
    path = gdb.path
    peer = Peer(path)
    gdb.send("kill", "quit")
    assert gdb.process.wait(WAIT) == 0
    messages = [peer.receive() for _ in range(3)]
    assert {"event": "bye"} in messages
    assert not path.parent.exists()


@pytest.mark.thorough
def test_a_second_source_serves_afresh(gdb: Gdb) -> None:
    path = gdb.path
    output = gdb.say(f"source {support.PRINTERS}", "mpipp browse --terminal big")
    assert "To browse" in output
    assert not path.exists()
    assert [line[0] for line in Peer(gdb.path).lines()] == ["big"]


def test_errors_are_one_sentence() -> None:
    with Gdb() as gdb:
        for typed, error in (
            ("nosuch", 'No symbol "nosuch" in current context.'),
            ("--window s_type", "There is no option --window: write --terminal."),
            ("request", "request cannot be browsed: write mpipp browse TYPE [ADDR [COUNT]]."),
            ("s_type[1]", "s_type[1] cannot be browsed: write mpipp browse TYPE [ADDR [COUNT]]."),
            ("big nosuch", 'No symbol "nosuch" in current context.'),
        ):
            assert gdb.say(f"mpipp browse {typed}") == f"{error}\n"


def test_no_place_for_a_socket(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 120)
    deep.mkdir()
    with Gdb("mpipp browse", env={"TMPDIR": str(deep)}) as gdb:
        assert gdb.output[2:] == (
            f" directory for the socket ({deep} is too long a name for a socket): "
            "set TMPDIR to another directory.\n"
        )
