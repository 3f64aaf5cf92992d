# SPDX-License-Identifier: MIT
"""The browser in a terminal, with Textual."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from rich.style import Style
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Footer, Static
from textual.widgets import Tree as TreeWidget
from textual.widgets.tree import TreeNode

from mpipp.browser.client import Client
from mpipp.browser.tree import Node, Tree, details

_POLL = 0.02  # seconds
_TYPE, _DISPLACEMENT, _SIZE = 18, 14, 11  # columns of text
_LEAST = 40  # columns for name and value at least


class Terminal(App[None]):
    """A tree that fills the terminal."""

    ENABLE_COMMAND_PALETTE = False
    TITLE = "mpipp browse"
    CSS = """
    #heading { height: 1; background: $panel; color: $text-muted; }
    #details, #status { height: 1; padding: 0 1; }
    #details { background: $boost; }
    #status { background: $panel; }
    Parts { background: $background; scrollbar-gutter: stable; scrollbar-size-vertical: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "refresh", "read again"),
        Binding("q", "quit", "quit"),
    ]

    def __init__(self, find: Callable[[], Path | None], close_with_gdb: bool = False) -> None:
        super().__init__()
        self._close_with_gdb = close_with_gdb
        self.client = Client(find, lambda message: self.model.event(message))
        self.model = Tree(self.client, self)
        self.tree_widget = Parts(self.model.root)
        self.model.root.widget = self.tree_widget.root
        self.details = Static("", id="details", markup=False)
        self.status = Static("waiting for gdb", id="status", markup=False)

    def compose(self) -> ComposeResult:
        """The parts of the screen, from the top."""
        yield Heading(id="heading")
        yield self.tree_widget
        yield self.details
        yield self.status
        yield Footer()

    def on_mount(self) -> None:
        """Begin to read from gdb."""
        self.tree_widget.focus()
        self.set_interval(_POLL, self.model.poll)

    def action_refresh(self) -> None:
        """Read all open nodes again."""
        self.model.refresh()

    def on_tree_node_expanded(self, event: TreeWidget.NodeExpanded[Node]) -> None:
        """The user opened a node."""
        if event.node.data is not None:
            self.model.open(event.node.data)

    def on_tree_node_collapsed(self, event: TreeWidget.NodeCollapsed[Node]) -> None:
        """The user closed a node."""
        if event.node.data is not None:
            self.model.close(event.node.data)

    def on_tree_node_highlighted(self, event: TreeWidget.NodeHighlighted[Node]) -> None:
        """Show the details of the node at the cursor."""
        self.details.update(details(event.node.data) if event.node.data else "")

    # The methods of `tree.View` follow; `update` has another meaning in Textual.

    def replace(self, node: Node) -> None:
        """Show new children of `node`."""
        widget: TreeNode[Node] = node.widget
        widget.remove_children()
        widget.allow_expand = node.can_open
        self.change(node, [], node.children or [])
        if node.above is None and self.tree_widget.cursor_line < 0:
            self.call_after_refresh(self.tree_widget.begin)

    def change(self, node: Node, gone: list[Node], more: list[Node]) -> None:
        """Replace the last children of `node`: remove `gone`, append `more`."""
        for child in gone:
            child.widget.remove()
        for child in more:
            child.widget = node.widget.add("", data=child, allow_expand=child.can_open)

    def update(self, node: Node) -> None:
        """Show new texts of `node`."""
        node.widget.refresh()

    def show_status(self, status: str) -> None:
        """Show the state of gdb and the process."""
        self.status.update(status)

    def end(self) -> None:
        """Close the browser, because gdb ends."""
        if self._close_with_gdb:
            self.exit()


class Heading(Static):
    """The names of the columns."""

    def render(self) -> Text:
        """One line, as wide as the tree without its scroll bar."""
        return _row("Name", "  ", "Value", ("Type", "Displacement", "Size"), self.size.width - 1)


class Parts(TreeWidget[Node]):
    """The tree with its texts in columns. The right columns are aligned across all levels."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select_cursor", "open or close"),
        Binding("right", "open", "open"),
        Binding("left", "close", "close, or go up"),
    ]

    def __init__(self, root: Node) -> None:
        super().__init__("", data=root)
        self.show_root = False
        self.guide_depth = 2
        self.auto_expand = True

    def begin(self) -> None:
        """Put the cursor on the first line, unless the user has moved it."""
        if self.cursor_line < 0:
            self.cursor_line = 0

    def action_open(self) -> None:
        """Open the node at the cursor."""
        if self.cursor_node is not None and self.cursor_node.allow_expand:
            self.cursor_node.expand()

    def action_close(self) -> None:
        """Close the node at the cursor, or go to its parent."""
        if self.cursor_node is not None and self.cursor_node.is_expanded:
            self.cursor_node.collapse()
        else:
            self.action_cursor_parent()

    def get_label_width(self, node: TreeNode[Node]) -> int:
        """The available width: the tree never scrolls sideways."""
        return self._width(node)

    def render_label(self, node: TreeNode[Node], base_style: Style, style: Style) -> Text:
        """The texts of a node in columns."""
        assert node.data is not None
        name, value, *right = node.data.text
        if node.allow_expand:
            icon = self.ICON_NODE_EXPANDED if node.is_expanded else self.ICON_NODE
        else:
            icon = "  "
        text = _row(name, icon, value, tuple(right), self._width(node))
        text.stylize_before(style)
        return text

    def _width(self, node: TreeNode[Node]) -> int:
        level = 0
        above = node.parent
        while above is not None and above.parent is not None:
            level, above = level + 1, above.parent
        return max(10, self.scrollable_content_region.width - level * self.guide_depth)


def _row(name: str, icon: str, value: str, right: tuple[str, ...], width: int) -> Text:
    # Name and value get the width that the other columns leave. On a narrow screen those columns
    # are dropped, from the right.
    widths = (_TYPE, _DISPLACEMENT, _SIZE)
    kept = 3
    while kept and width - sum(widths[:kept]) < _LEAST:
        kept -= 1
    left = Text.assemble(icon, (name, "bold"), "  " if value else "", (value, "green"))
    left.truncate(width - sum(widths[:kept]) - 1, overflow="ellipsis", pad=True)
    type_name, *numbers = right
    if kept:
        column = Text(" " + type_name, "cyan")
        column.truncate(_TYPE, overflow="ellipsis", pad=True)
        left.append_text(column)
    for number, size in list(zip(numbers, widths[1:]))[: max(0, kept - 1)]:
        left.append(number.rjust(size), "dim")
    return left
