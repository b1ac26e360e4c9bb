"""TypeScript's types of the wire, generated from the structs, with what a reader checks them by.

`python -m jupyterlab_tir.viewing.typescript` prints the file `labextension/src/view/wire.ts`; a
test compares the two. Interfaces are for the compiler; the table `SHAPES` says the same to a reader
of data that nobody vouches for.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import msgspec
from msgspec import inspect

from . import wire

ROOTS = (wire.Snapshot, wire.Batch)

_HEADER = """\
/**
 * What a page sees of a run: generated from `jupyterlab_tir/viewing/wire.py`, never edited.
 *
 * To write it again: `python -m jupyterlab_tir.viewing.typescript > labextension/src/view/wire.ts`
 */
"""


def _structs() -> dict[str, inspect.StructType]:
    """All structs that the roots reach, in an order in which each follows what it needs."""
    found: dict[str, inspect.StructType] = {}

    def visit(kind: inspect.Type) -> None:
        for each in _parts(kind):
            visit(each)
        if isinstance(kind, inspect.StructType):
            found.setdefault(kind.cls.__name__, kind)

    for root in ROOTS:
        visit(inspect.type_info(root))
    return found


def _parts(kind: inspect.Type) -> list[inspect.Type]:
    if isinstance(kind, inspect.StructType):
        return [field.type for field in kind.fields]
    if isinstance(kind, inspect.UnionType):
        return list(kind.types)
    if isinstance(kind, inspect.VarTupleType):
        return [kind.item_type]
    if isinstance(kind, inspect.TupleType):
        return list(kind.item_types)
    return [kind.value_type] if isinstance(kind, inspect.DictType) else []


def _type(kind: inspect.Type) -> str:  # noqa: PLR0911 - one line a kind
    if isinstance(kind, inspect.StructType):
        return f"I{kind.cls.__name__}"
    if isinstance(kind, inspect.UnionType):
        return " | ".join(_type(each) for each in _ordered(kind))
    if isinstance(kind, inspect.VarTupleType):
        inner = _type(kind.item_type)
        return f"readonly {inner}[]" if inner.isidentifier() else f"readonly ({inner})[]"
    if isinstance(kind, inspect.TupleType):
        return f"readonly [{', '.join(_type(each) for each in kind.item_types)}]"
    if isinstance(kind, inspect.DictType):
        return f"Readonly<Record<string, {_type(kind.value_type)}>>"
    if isinstance(kind, inspect.LiteralType):
        # As msgspec holds them: sorted, so that the file is the same each time.
        return " | ".join(_quoted(str(each)) for each in sorted(map(str, kind.values)))
    simple: dict[type[inspect.Type], str] = {
        inspect.StrType: "string",
        inspect.IntType: "number",
        inspect.FloatType: "number",
        inspect.BoolType: "boolean",
        inspect.NoneType: "null",
        inspect.AnyType: "unknown",
    }
    return simple[type(kind)]


def _ordered(kind: inspect.UnionType) -> list[inspect.Type]:
    return sorted(kind.types, key=lambda each: isinstance(each, inspect.NoneType))


def _shape(kind: inspect.Type) -> object:
    """A type as data: a name, or a list whose first word says what it is."""
    if isinstance(kind, inspect.UnionType):
        first, *others = _ordered(kind)
        if len(others) != 1 or not isinstance(others[0], inspect.NoneType):
            raise TypeError(f"only a union with None has a shape, not {kind}")
        return ["nullable", _shape(first)]
    if isinstance(kind, inspect.VarTupleType):
        return ["list", _shape(kind.item_type)]
    if isinstance(kind, inspect.TupleType):
        return ["tuple", *map(_shape, kind.item_types)]
    if isinstance(kind, inspect.DictType):
        return ["record", _shape(kind.value_type)]
    if isinstance(kind, inspect.LiteralType):
        return ["literal", *sorted(map(str, kind.values))]
    name = _type(kind)
    return ["struct", kind.cls.__name__] if isinstance(kind, inspect.StructType) else name


def _default(field: inspect.Field) -> object:
    if field.default is not msgspec.NODEFAULT:
        return msgspec.to_builtins(field.default)
    return msgspec.to_builtins(field.default_factory())


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _literal(value: object) -> str:
    """JSON as Prettier writes it is not needed: the file is passed over by it."""
    return json.dumps(value, ensure_ascii=True)


def generated() -> str:
    """The whole file.

    >>> "export interface IViewSample {" in generated()
    True
    """
    parts = [_HEADER, f"export const VIEW_SCHEMA = {wire.VIEW_SCHEMA};\n"]
    parts.append(f"export const BATCH_SCHEMA = {wire.BATCH_SCHEMA};\n")
    parts.append(
        "/** By name of a struct and of its field. */\n"
        "export type Shapes = Readonly<\n"
        "  Record<string, Readonly<Record<string, readonly unknown[]>>>\n"
        ">;\n"
    )
    parts.append(f"export const RUN_MIME_TYPE = {_quoted(wire.MIME)};\n")
    shapes: dict[str, Any] = {}
    for name, kind in _structs().items():
        lines = [
            f"/** {(kind.cls.__doc__ or '').splitlines()[0]} */",
            f"export interface I{name} {{",
        ]
        shape: dict[str, Any] = {}
        for field in kind.fields:
            lines.append(f"  readonly {field.encode_name}: {_type(field.type)};")
            shape[field.encode_name] = (
                [_shape(field.type)] if field.required else [_shape(field.type), _default(field)]
            )
        shapes[name] = shape
        parts.append("\n".join([*lines, "}\n"]))
    rows = [f"  {name}: {_literal(shape)}" for name, shape in shapes.items()]
    parts.append(
        "/** Each struct's fields: the type, and the default where the field may be missing. */\n"
        "export const SHAPES: Shapes = {\n" + ",\n".join(rows) + "\n};\n"
    )
    return "\n".join(parts)


if __name__ == "__main__":
    sys.stdout.write(generated())
