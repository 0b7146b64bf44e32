"""Reads an `index.scip` file: symbols at positions, with the protobuf package of PyPI.

The messages are declared here with the field numbers of the SCIP schema, for the fields used only, so that
neither a compiler of schemas nor a copy of the schema is needed."""

FIELDS = {
    "Index": [("documents", 2, "repeated", "Document")],
    "Document": [("relative_path", 1, "optional", "string"), ("occurrences", 2, "repeated", "Occurrence")],
    "Occurrence": [
        ("range", 1, "repeated", "int32"),
        ("symbol", 2, "optional", "string"),
        ("symbol_roles", 3, "optional", "int32"),
    ],
}
DEFINITION = 1


def schema():
    """The message class `Index`."""
    # Imported here, so that `--help` works without the package.
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    proto = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="scip_part.proto", package="scip_part", syntax="proto3")
    for name, fields in FIELDS.items():
        message = file.message_type.add(name=name)
        for field, number, label, kind in fields:
            entry = message.field.add(name=field, number=number)
            entry.label = proto.LABEL_REPEATED if label == "repeated" else proto.LABEL_OPTIONAL
            if kind in FIELDS:
                entry.type, entry.type_name = proto.TYPE_MESSAGE, f".scip_part.{kind}"
            else:
                entry.type = proto.TYPE_STRING if kind == "string" else proto.TYPE_INT32
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("scip_part.Index"))


def read(path):
    """`(files, at, definitions)`: the indexed paths; the symbols by (path, line, column), with the line
    1-based and the column 0-based in UTF-16 units; and the places of definition by symbol."""
    index = schema()()
    index.ParseFromString(path.read_bytes())
    files, at, definitions = set(), {}, {}
    for document in index.documents:
        file = document.relative_path
        files.add(file)
        for occurrence in document.occurrences:
            symbol = occurrence.symbol
            # A local symbol is unique in its document only.
            if symbol.startswith("local "):
                symbol = f"{file} {symbol}"
            # scip-typescript gives a constructor no place of definition: the class counts.
            symbol = symbol.removesuffix("`<constructor>`().")
            place = (file, occurrence.range[0] + 1, occurrence.range[1])
            symbols = at.setdefault(place, [])
            if symbol not in symbols:
                symbols.append(symbol)
            if occurrence.symbol_roles & DEFINITION:
                definitions.setdefault(symbol, set()).add(place)
    return files, at, definitions
