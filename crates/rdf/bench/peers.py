"""Converts the message of the throughput example to N-Quads with PyLD and with rdflib, and prints messages per second.

    python -m venv VENV && VENV/bin/pip install -r crates/rdf/bench/requirements.txt
    VENV/bin/python crates/rdf/bench/peers.py [COUNT]

The last line is JSON, like that of the example. The context is given inline and parsed once where the library allows it, so
that neither library fetches anything. The time is that of the processor.
"""

import json
import pathlib
import sys
import time

import rdflib
from pyld import jsonld

CONTEXT = {"@version": 1.1, "@vocab": "http://modelcontextprotocol.io/ontology#"}
MESSAGE = (pathlib.Path(__file__).parent / "../tests/data/call.json").read_text()


def with_pyld(text):
    document = json.loads(text)
    document["@context"] = CONTEXT
    return jsonld.to_rdf(document, {"format": "application/n-quads"})


def with_rdflib(text):
    document = json.loads(text)
    document["@context"] = CONTEXT
    dataset = rdflib.Dataset()
    dataset.parse(data=json.dumps(document), format="json-ld")
    return dataset.serialize(format="nquads")


def per_second(convert, count):
    best = 0.0
    for _ in range(3):
        begin = time.process_time()
        for _ in range(count):
            convert(MESSAGE)
        best = max(best, count / (time.process_time() - begin))
    return best


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    figures = {}
    for name, convert in [("pyld", with_pyld), ("rdflib", with_rdflib)]:
        lines = [line for line in convert(MESSAGE).splitlines() if line.strip()]
        assert len(lines) == 11, f"{name} made {len(lines)} statements instead of 11"
        figures[name] = round(per_second(convert, count))
        print(f"{name:24} {figures[name]:>12} messages/s")
    print(json.dumps(figures))


main()
