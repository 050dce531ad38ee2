"""Checks the building blocks, the shapes and the ontology with libraries of others.

    python linked_data.py BLOCKS COMMAND [WORD ...]

BLOCKS is the folder that `jackfield rdf block --out` wrote; COMMAND is how to run `jackfield rdf`, or the example `rdf`. Checked are:

- every schema, as JSON and as YAML (PyYAML), is one that jsonschema accepts, and every example is valid by it;
- every example is the same graph as JSON-LD by PyLD, as JSON-LD by rdflib, and as Turtle by rdflib;
- every example conforms to the shapes by pyshacl; broken ones are found by pyshacl and by `jackfield rdf validate` alike, with the
  same shapes;
- the ontology is consistent by the OWL 2 RL rules of owlrl, and a reasoner finds the class of a node by the domain of its property.

The last line says how many of each were checked. Nothing is fetched: contexts and schemas are those of the folder.
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile

import jsonschema
import owlrl
import pyld.jsonld
import pyshacl
import rdflib
import referencing
import yaml
from owlrl.Namespaces import ERRNS
from rdflib.compare import isomorphic

MCP = rdflib.Namespace("http://modelcontextprotocol.io/ontology#")
SH = rdflib.Namespace("http://www.w3.org/ns/shacl#")
REGISTER = "https://ogcincubator.github.io/modelcontextprotocol/build/annotated/"
CONTEXT = REGISTER + "mcp/context.jsonld"
BROKEN_PER_REVISION = 40
counts = {"schemas": 0, "examples": 0, "broken": 0, "refused": 0, "results": 0}


def block_folders(blocks):
    return sorted(folder for folder in (blocks / "_sources").iterdir() if folder.is_dir())


def registry(blocks):
    """The schemas of all blocks by the addresses that they are published at."""
    resources = []
    for folder in block_folders(blocks):
        schema = yaml.safe_load((folder / "schema.yaml").read_text())
        resources.append((f"{REGISTER}{folder.name}/schema.yaml", referencing.Resource.from_contents(schema)))
    return referencing.Registry().with_resources(resources)


def check_schema(blocks, folder, schemas):
    annotated = blocks / "build/annotated" / folder.name
    schema = json.loads((annotated / "schema.json").read_text())
    for place in (folder, annotated):
        assert yaml.safe_load((place / "schema.yaml").read_text()) == schema, f"{folder.name}: YAML and JSON differ"
    validator = jsonschema.validators.validator_for(schema)
    validator.check_schema(schema)
    key = "$defs" if "$defs" in schema else "definitions"
    # Each definition by itself: a reference that leads nowhere fails.
    for name in schema[key]:
        root = dict(schema, **{"$ref": f"#/{key}/{name}"})
        list(validator(root, registry=schemas).iter_errors({}))
    counts["schemas"] += 1
    return schema, key, validator


def definition_of(message, schema, key):
    """The definition that describes a message: by its method, or in general."""
    for name, definition in schema[key].items():
        method = definition.get("properties", {}).get("method", {}).get("const")
        if method is not None and method == message.get("method") and not name.startswith("Client"):
            return name
    if "result" in message:
        return "JSONRPCResponse"
    if "error" in message:
        return "JSONRPCErrorResponse" if "JSONRPCErrorResponse" in schema[key] else "JSONRPCError"
    return "JSONRPCRequest" if "id" in message else "JSONRPCNotification"


def with_context(document):
    context = json.loads(CONTEXT_FILE.read_text())["@context"]
    assert document["@context"] == CONTEXT, document["@context"]
    return dict(document, **{"@context": context})


def graphs_of(folder, name):
    """The graph of an example by three readers."""
    document = with_context(json.loads((folder / f"examples/{name}.jsonld").read_text()))
    by_pyld = rdflib.Graph().parse(
        data=pyld.jsonld.to_rdf(document, {"format": "application/n-quads"}), format="nt"
    )
    by_rdflib = rdflib.Graph().parse(data=json.dumps(document), format="json-ld")
    turtle = rdflib.Graph().parse(folder / f"examples/{name}.ttl", format="turtle")
    return by_pyld, by_rdflib, turtle


def check_examples(folder, schema, key, validator, schemas, shapes):
    graphs = []
    for path in sorted((folder / "examples").glob("*.json")):
        message = json.loads(path.read_text())
        name = definition_of(message, schema, key)
        root = dict(schema, **{"$ref": f"#/{key}/{name}"})
        validator(root, registry=schemas).validate(message)
        by_pyld, by_rdflib, turtle = graphs_of(folder, path.stem)
        assert isomorphic(by_pyld, turtle), f"{path}: PyLD reads another graph"
        assert isomorphic(by_rdflib, turtle), f"{path}: rdflib reads another graph"
        conforms, _, text = pyshacl.validate(turtle, shacl_graph=shapes)
        assert conforms, f"{path}: {text}"
        counts["examples"] += 1
        graphs.append(turtle)
    return graphs


def broken(graph, dice):
    """A copy of a graph, changed in one or two places."""
    copy = rdflib.Graph()
    for triple in graph:
        copy.add(triple)
    for _ in range(dice.choice([1, 1, 2])):
        subject, predicate, value = dice.choice(sorted(copy, key=lambda triple: [term.n3() for term in triple]))
        change = dice.randrange(4)
        if change != 1:
            copy.remove((subject, predicate, value))
        if change == 1:
            copy.add((subject, predicate, rdflib.Literal("another")))
        elif change == 2:
            copy.add((subject, predicate, rdflib.Literal(dice.choice([7, True, 0.5, "text"]))))
        elif change == 3:
            copy.add((subject, predicate, rdflib.BNode()))
    return copy


def by_pyshacl(graph, shapes):
    conforms, report, _ = pyshacl.validate(graph, shacl_graph=shapes)
    return conforms, sorted(str(shape) for shape in report.objects(None, SH.sourceShape))


def by_jackfield(command, graph, shapes, folder):
    path = folder / "broken.nt"
    path.write_text(graph.serialize(format="nt"))
    words = [*command, "validate", "--json", "--from", "ntriples", "--shapes", str(shapes), str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert (done.returncode == 0) == (not found), done.stderr
    return not found, sorted(violation["shape"] for violation in found)


def check_broken(command, folder, graphs, shapes):
    dice = random.Random(folder.name)
    with tempfile.TemporaryDirectory() as scratch:
        for _ in range(BROKEN_PER_REVISION):
            graph = broken(dice.choice(graphs), dice)
            theirs = by_pyshacl(graph, shapes)
            ours = by_jackfield(command, graph, folder / "shapes.ttl", pathlib.Path(scratch))
            if ours != theirs:
                raise AssertionError(f"{folder.name}: ours {ours}, pyshacl {theirs}\n{graph.serialize(format='turtle')}")
            counts["broken"] += 1
            counts["refused"] += not theirs[0]
            counts["results"] += len(theirs[1])


def check_ontology(blocks):
    ontology = rdflib.Graph().parse(blocks / "_sources/mcp/ontology.ttl", format="turtle")
    size = len(ontology)
    version = list(ontology.objects(None, rdflib.OWL.versionInfo))
    assert len(version) == 1, version
    # A message, so that domains and ranges are applied to something.
    for example in sorted((blocks / "_sources/mcp/examples").glob("*.ttl")):
        ontology.parse(example, format="turtle")
    server = rdflib.URIRef("urn:example:server")
    ontology.add((server, MCP.offersTool, rdflib.BNode()))
    owlrl.DeductiveClosure(owlrl.OWLRL_Semantics).expand(ontology)
    errors = list(ontology.objects(None, ERRNS.error))
    assert not errors, errors
    assert not list(ontology.subjects(rdflib.RDF.type, rdflib.OWL.Nothing))
    assert (server, rdflib.RDF.type, MCP.Server) in ontology, "the domain of mcp:offersTool says nothing"
    assert (MCP.CallToolRequest, rdflib.RDFS.subClassOf, MCP.Request) in ontology
    return size, len(ontology)


def main():
    global CONTEXT_FILE
    blocks, command = pathlib.Path(sys.argv[1]), sys.argv[2:]
    CONTEXT_FILE = blocks / "_sources/mcp/context.jsonld"
    schemas = registry(blocks)
    for folder in block_folders(blocks):
        schema, key, validator = check_schema(blocks, folder, schemas)
        shapes = rdflib.Graph().parse(folder / "shapes.ttl", format="turtle")
        graphs = check_examples(folder, schema, key, validator, schemas, shapes)
        check_broken(command, folder, graphs, shapes)
        print(f"{folder.name}: {len(graphs)} examples")
    size, closure = check_ontology(blocks)
    assert counts["refused"] > counts["broken"] // 4, counts
    print(
        f"{counts['schemas']} schemas, {counts['examples']} examples, {counts['broken']} broken graphs "
        f"({counts['refused']} refused by both, {counts['results']} results), ontology of {size} statements, {closure} with what follows"
    )


main()
