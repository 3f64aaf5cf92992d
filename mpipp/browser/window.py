# SPDX-License-Identifier: MIT
"""The browser as a window."""

from __future__ import annotations

import tkinter
from collections.abc import Callable
from pathlib import Path
from tkinter import font, ttk
from typing import Literal

from mpipp.browser.client import Client
from mpipp.browser.tree import Node, Tree, details

_POLL = 20  # milliseconds
_COLUMNS: tuple[tuple[str, str, int, Literal["w", "e"]], ...] = (
    ("value", "Value", 50, "w"),
    ("type", "Type", 18, "w"),
    ("displacement", "Displacement", 15, "e"),
    ("size", "Size", 11, "e"),
)


class Window:
    """A window with the tree. With `close_with_gdb`, it closes when gdb ends."""

    def __init__(self, find: Callable[[], Path | None], close_with_gdb: bool = False) -> None:
        """Raises tkinter.TclError if there is no display."""
        self.top = tkinter.Tk(className="mpipp")
        self.top.title("mpipp browse")
        self.top.protocol("WM_DELETE_WINDOW", self.close)
        self._close_with_gdb = close_with_gdb
        self._nodes: dict[str, Node] = {}
        self._status = tkinter.StringVar(self.top, "waiting for gdb")
        self._details = tkinter.StringVar(self.top)
        self.tree = self._widgets()
        self._client = Client(find, lambda message: self.model.event(message))
        self.model = Tree(self._client, self)
        self.model.root.widget = ""
        self._poll()

    def run(self) -> None:
        """Run until the user closes the window."""
        self.top.mainloop()

    def close(self) -> None:
        """Close the window and the connection."""
        self.top.after_cancel(self._timer)
        self.top.destroy()
        self._client.close()

    # The methods of `tree.View` follow.

    def replace(self, node: Node) -> None:
        """Show new children of `node`."""
        for item in self.tree.get_children(node.widget):
            self._delete(item)
        for child in node.children or ():
            self._insert(node, child)
        if node.children is None:
            self._placeholder(node)

    def change(self, node: Node, gone: list[Node], more: list[Node]) -> None:
        """Replace the last children of `node`: remove `gone`, append `more`."""
        for child in gone:
            self._delete(child.widget)
        for child in more:
            self._insert(node, child)

    def update(self, node: Node) -> None:
        """Show new texts of `node`."""
        name, *values = node.text
        self.tree.item(node.widget, text=name, values=values)
        self._selected()

    def show_status(self, status: str) -> None:
        """Show the state of gdb and the process."""
        self._status.set(status)

    def end(self) -> None:
        """Close the window if wanted, because gdb ends."""
        if self._close_with_gdb:
            self.close()

    def _widgets(self) -> ttk.Treeview:
        cell = font.nametofont("TkFixedFont", self.top)
        width = cell.measure("0")
        style = ttk.Style(self.top)
        style.theme_use("clam")
        style.configure("Treeview", font=cell, rowheight=cell.metrics("linespace") + 6)
        frame = ttk.Frame(self.top)
        tree = ttk.Treeview(frame, columns=[name for name, *_ in _COLUMNS], selectmode="browse")
        tree.heading("#0", text="Name", anchor="w")
        tree.column("#0", width=28 * width, minwidth=10 * width)
        for name, title, characters, anchor in _COLUMNS:
            tree.heading(name, text=title, anchor=anchor)
            stretch = name == "value"
            tree.column(name, width=characters * width, anchor=anchor, stretch=stretch)
        scrollbar = ttk.Scrollbar(frame, command=tree.yview)
        tree.configure(yscrollcommand=scrollbar.set)
        tree.grid(row=0, column=0, sticky="nsew")
        scrollbar.grid(row=0, column=1, sticky="ns")
        frame.rowconfigure(0, weight=1)
        frame.columnconfigure(0, weight=1)
        for text in (self._status, self._details):
            label = ttk.Label(self.top, textvariable=text, padding=(6, 3), relief="sunken")
            label.pack(side="bottom", fill="x")
        frame.pack(fill="both", expand=True)
        tree.bind("<<TreeviewOpen>>", lambda _: self._opened())
        tree.bind("<<TreeviewClose>>", lambda _: self._closed())
        tree.bind("<<TreeviewSelect>>", lambda _: self._selected())
        self.top.bind("<F5>", lambda _: self.model.refresh())
        self.top.geometry(f"{126 * width}x{28 * (cell.metrics('linespace') + 6)}")
        tree.focus_set()
        return tree

    def _poll(self) -> None:
        self._timer = self.top.after(_POLL, self._poll)
        self.model.poll()

    def _insert(self, above: Node, node: Node) -> None:
        name, *values = node.text
        node.widget = self.tree.insert(above.widget, "end", text=name, values=values)
        self._nodes[node.widget] = node
        self._placeholder(node)

    def _placeholder(self, node: Node) -> None:
        # Tk draws the sign for opening a node only if the node has children: add an empty child.
        if node.can_open and node.widget:
            self.tree.insert(node.widget, "end", text="...")

    def _delete(self, item: str) -> None:
        for below in self.tree.get_children(item):
            self._delete(below)
        self._nodes.pop(item, None)
        self.tree.delete(item)

    def _opened(self) -> None:
        node = self._nodes.get(self.tree.focus())
        if node is not None:
            self.model.open(node)

    def _closed(self) -> None:
        node = self._nodes.get(self.tree.focus())
        if node is not None:
            self.model.close(node)

    def _selected(self) -> None:
        chosen = self.tree.selection()
        node = self._nodes.get(chosen[0]) if chosen else None
        self._details.set("" if node is None else details(node))
