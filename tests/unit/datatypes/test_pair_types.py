# SPDX-License-Identifier: MIT
"""Unnamed pair types from MPI_Type_get_value_index (MPI-4.1, section 6.9.4)."""

from __future__ import annotations

import re
import struct as c

import pytest

from mpipp.common.errors import MpippError
from mpipp.datatypes import alignment, element_address
from mpipp.datatypes.memory import self_overlap
from mpipp.datatypes.signatures import formatting
from mpipp.datatypes.signatures.matching import compare
from mpipp.datatypes.signatures.runlength import signature
from mpipp.datatypes.values.nodes import buffer
from mpipp.model import Constructor, DatatypeRecord
from mpipp.registry.registry import Registry
from mpipp.render.nested_text import Walker
from mpipp.render.type_tree_svg import tree_svg
from mpipp.render.type_tree_text import expanded_tree, meta_tree
from mpipp.render.value_text import values_text
from mpipp.typetree import Datatype, Extents
from tests.unit.registry.registry_image import Image
from tests.unit.samples import CHAR, DOUBLE, DOUBLE_INT, INT, FakeMemory, basic, contiguous

INT8 = basic("MPI_INT8_T", 1)
INT64 = basic("MPI_INT64_T", 8)


def pair(value: Datatype, index: Datatype, reported: Extents | None = None) -> Datatype:
    return Datatype("VALUE_INDEX", {}, (value, index), reported=reported)


@pytest.mark.parametrize(
    ("made", "extents"),
    [
        (pair(DOUBLE, INT64), Extents(16, 0, 16, 0, 16)),
        (pair(DOUBLE, INT8), Extents(9, 0, 16, 0, 9)),
        (pair(INT8, INT64), Extents(9, 0, 16, 0, 16)),
        (pair(INT, INT), Extents(8, 0, 8, 0, 8)),
    ],
)
def test_as_a_c_struct(made: Datatype, extents: Extents) -> None:
    assert made.computed == extents
    assert (made.element_count, made.depth, made.is_leaf) == (2, 1, False)
    assert alignment.misaligned(made, 3) is None
    assert self_overlap(made, 1000) is None


def test_where_the_library_has_the_index() -> None:
    packed = pair(INT8, INT64, Extents(9, 0, 9, 0, 9))
    assert packed.shape.displacement((1,)) == 1


def test_text() -> None:
    made = pair(INT8, INT64)
    assert (
        Walker().text(made)
        == '{kind = VALUE_INDEX, value_type = "MPI_INT8_T", index_type = "MPI_INT64_T"}'
    )
    assert meta_tree(contiguous(2, made)) == [
        "                             size  lb  extent  true lb  true extent",
        "CONTIGUOUS count 2             18   0      32        0           32",
        "  VALUE_INDEX                   9   0      16        0           16",
        "    value at 0, MPI_INT8_T      1   0       1        0            1",
        "    index at 8, MPI_INT64_T     8   0       8        0            8",
    ]
    assert expanded_tree(made) == [
        "                    from  to",
        "(VALUE_INDEX)          0  16",
        "  [0]  1 (INT8_T)      0   1",
        "  [1]  1 (INT64_T)     8  16",
    ]
    assert {"VALUE_INDEX", "MPI_INT8_T", "MPI_INT64_T"} <= set(
        re.findall(r">([^<>]+)<", tree_svg(made))
    )


def test_values() -> None:
    data = c.pack("=b7xqb7xq", 5, 1, -3, 2)
    made = pair(INT8, INT64)
    shown = values_text(buffer(FakeMemory(64, data), 64, 2, made))
    assert shown == "{{value = 5, index = 1}, {value = -3, index = 2}}"


def test_elements() -> None:
    made = pair(INT8, INT64)
    (found,) = element_address.at_displacement(made, 24, 2)
    assert (found.path, found.packed) == ("[1](VALUE_INDEX)[1][0](INT64_T)", 10)
    assert (
        element_address.resolve(made, element_address.parse("(VALUE_INDEX)[1][0]")).displacement
        == 8
    )


def test_signature() -> None:
    assert formatting.text(signature(pair(DOUBLE, INT8))) == "{MPI_DOUBLE, MPI_INT8_T}"
    same = compare(signature(pair(DOUBLE, INT)), signature(DOUBLE_INT))
    assert same.verdict == "match"


def test_components_that_do_not_fit() -> None:
    with pytest.raises(MpippError) as error:
        Datatype("VALUE_INDEX", {}, (INT,))
    assert str(error.value) == (
        "a datatype made by VALUE_INDEX has 1 component datatypes, but 2 were expected"
    )


@pytest.mark.parametrize("order", ["<", ">"])
def test_registry(order: str) -> None:
    image = Image(order)
    value = image.datatype(1, "NAMED", name="MPI_DOUBLE", extents=(8, 0, 8, 0, 8))
    index = image.datatype(2, "NAMED", name="MPI_LONG", extents=(8, 0, 8, 0, 8))
    image.datatype(3, "VALUE_INDEX", (), [value, index], extents=(16, 0, 16, 0, 16))
    image.datatype(4, "VALUE_INDEX", (), [value], extents=(16, 0, 16, 0, 16))
    registry = Registry(image.finish(), image.base)
    found = registry.find("datatype", 3)
    assert isinstance(found, DatatypeRecord)
    assert [component.name for component in found.tree.components] == ["MPI_DOUBLE", "MPI_LONG"]
    assert registry.find("datatype", 4).reason == (
        "a datatype made by VALUE_INDEX has 1 component datatypes, but 2 were expected"
    )


def test_what_its_datatypes_are_arguments_of() -> None:
    types = (None, None)
    assert Constructor("VALUE_INDEX", {}, types).type_names == ["value_type", "index_type"]
    assert Constructor("STRUCT", {}, types).type_names == ["types[0]", "types[1]"]
    assert Constructor("DUP", {}, types[:1]).type_names == ["oldtype"]
    assert Constructor("NAMED", {}, types[:1]).type_names == ["datatype"]


def test_an_address_counts_for_alignment() -> None:
    assert alignment.misaligned(DOUBLE, 2, 16) is None
    found = alignment.misaligned(DOUBLE, 2, 17)
    assert found is not None and found.displacement == 0
    assert alignment.misaligned(CHAR, 2, 17) is None
