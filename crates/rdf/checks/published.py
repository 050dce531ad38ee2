"""Prints a digest of each definition of an annotated schema: `python published.py FILE`, `-` for standard input.

FILE is the page of the published building block (Markdown with the schema as YAML), or a schema as YAML. A digest covers the name,
members, types, `required`, alternatives and `x-jsonld-*` of a definition, but not its descriptions.

`tests/data/published.tsv` is what this prints for the published block. To see whether ours is the same:

    jackfield rdf schema --revision 2025-06-18 --profile plain --published --format yaml | python published.py - | diff tests/data/published.tsv -
"""

import json
import pathlib
import re
import sys

import yaml


def without_descriptions(schema, names_are_free=False):
    if isinstance(schema, list):
        return [without_descriptions(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: without_descriptions(value, not names_are_free and key == "properties")
        for key, value in schema.items()
        if names_are_free or key != "description"
    }


def digest(definition):
    """FNV-1a of the definition as JSON with sorted keys."""
    value = 0xCBF29CE484222325
    for byte in json.dumps(definition, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


def main():
    text = sys.stdin.read() if sys.argv[1] == "-" else pathlib.Path(sys.argv[1]).read_text()
    in_page = re.search(r"^## Schema\s+```yaml\n(.*?)\n```$", text, re.DOTALL | re.MULTILINE)
    schema = yaml.safe_load(in_page[1] if in_page else text)
    for name, definition in sorted(schema["definitions"].items()):
        print(f"{name}\t{digest(without_descriptions(definition))}")


main()
