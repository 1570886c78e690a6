#!/usr/bin/env bash
# Executes every example of docs/python.md and every notebook of docs/notebooks, and compares what they give with what stands
# there. Needs Python 3.11 or newer and, once, a package index; R, if it is there.
#   analysis/tests/python/run.sh           fails where something differs
#   analysis/tests/python/run.sh --store   writes what they give into docs/
#   analysis/tests/python/run.sh --runs    makes docs/notebooks/runs again: some ten minutes on two cores
set -euo pipefail
cd "$(dirname "$0")/../../.."
# With the features that `cargo test --workspace` has built crates with.
cargo build --quiet --workspace --bin redqueen
environment=target/python
if ! cmp --quiet analysis/tests/python/requirements.txt "$environment/requirements.txt"; then
    rm -rf "$environment"
    python3 -m venv "$environment"
    "$environment/bin/pip" install --quiet --requirement analysis/tests/python/requirements.txt
    cp analysis/tests/python/requirements.txt "$environment/"
fi
exec "$environment/bin/python" analysis/tests/python/check.py target/debug/redqueen "$@"
