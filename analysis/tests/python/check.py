"""Executes docs/python.md and docs/notebooks; called by run.sh."""

import argparse
import base64
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.image
import nbformat
import numpy
import pyarrow.parquet
from nbconvert.preprocessors import ExecutePreprocessor

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs/python.md"
NOTEBOOKS = ROOT / "docs/notebooks"
# A block of code, and the block of its output if one follows.
BLOCK = re.compile(r"^```(python|r)\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)
# What nanoparquet 0.4 reads, by its documentation: flat columns, and of encodings these.
ENCODINGS = {"PLAIN", "RLE", "RLE_DICTIONARY", "PLAIN_DICTIONARY", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"}
CODECS = {"UNCOMPRESSED", "SNAPPY", "GZIP", "ZSTD"}
# How far pictures may be apart, of 1: other processors round letters' edges otherwise.
APART = 0.01


def commands(text):
    """The commands of a page that begin with `redqueen`."""
    return [shlex.split(line)[1:] for line in text.splitlines() if line.startswith("redqueen ")]


def make_runs(program, text, place):
    for name in ["experiments", "docs"]:
        (place / name).symlink_to(ROOT / name)
    for arguments in commands(text):
        subprocess.run([program, *arguments], cwd=place, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def python(code):
    """What a block prints, in an interpreter of its own."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "COLUMNS": "120"})
    if done.returncode:
        sys.exit(f"docs/python.md: a block fails:\n{code}\n{done.stderr}")
    return done.stdout


def r(code):
    """What a block prints; `None` where R or a package of the block is missing. Its code is parsed in any case."""
    if not shutil.which("Rscript"):
        return None
    subprocess.run(["Rscript", "-e", "invisible(parse(file('stdin')))"], input=code, text=True, check=True)
    for package in re.findall(r"library\((\w+)\)", code):
        there = subprocess.run(["Rscript", "-e", f"quit(status = !requireNamespace('{package}', quietly = TRUE))"])
        if there.returncode:
            return None
    done = subprocess.run(["Rscript", "/dev/stdin"], input=code, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"docs/python.md: a block fails:\n{code}\n{done.stderr}")
    return done.stdout


def page(program, store):
    text = PAGE.read_text()
    with tempfile.TemporaryDirectory() as place:
        make_runs(program, text, Path(place))
        os.chdir(place)
        counts = {"executed": 0, "only parsed": 0}

        def block(found):
            language, code, wanted = found.groups()
            printed = (python if language == "python" else r)(code)
            if printed is None:
                counts["only parsed"] += 1
                return found.group(0)
            counts["executed"] += 1
            printed = "\n".join(line.rstrip() for line in printed.rstrip().splitlines()) + "\n"
            if not store and printed != wanted:
                sys.exit(f"docs/python.md: this block\n{code}prints\n{printed}and not\n{wanted}")
            return f"```{language}\n{code}```\n\n```text\n{printed}```\n"

        replaced = BLOCK.sub(block, text)
        files = [*Path(place).glob("runs/*/results/*/*.parquet"), *Path(place).glob("runs/*/tables/*.parquet")]
        for path in files:
            readable_by_nanoparquet(path)
        os.chdir(ROOT)
    if store:
        PAGE.write_text(replaced)
    print(f"docs/python.md: blocks {counts}; {len(files)} files have what nanoparquet reads")


def readable_by_nanoparquet(path):
    file = pyarrow.parquet.ParquetFile(path)
    flat = len(file.schema.names) == len(file.schema_arrow.names)
    groups = (file.metadata.row_group(group) for group in range(file.metadata.num_row_groups))
    columns = [group.column(place) for group in groups for place in range(group.num_columns)]
    if not flat or any(c.compression not in CODECS or not set(c.encodings) <= ENCODINGS for c in columns):
        sys.exit(f"{path}: something that nanoparquet does not read: {file.metadata.row_group(0)}")


def notebook(path, store):
    book = nbformat.read(path, as_version=4)
    wanted = [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]
    # Times of execution would differ each time.
    execute = ExecutePreprocessor(timeout=300, record_timing=False, extra_arguments=["--log-level=ERROR"])
    execute.preprocess(book, {"metadata": {"path": str(path.parent)}})
    found = [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]
    if store:
        book.metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
        nbformat.write(book, path)
    elif len(wanted) != len(found) or not all(map(equal, wanted, found)):
        sys.exit(f"{path}: its outputs are others now; look at them, and store them with --store")
    print(f"{path.relative_to(ROOT)}: {len(found)} outputs, {path.stat().st_size} bytes")


def equal(one, other):
    """Whether outputs are the same: texts to the letter, pictures to the eye."""
    if one.output_type != other.output_type:
        return False
    if one.output_type == "stream":
        return one.text == other.text
    one, other = ({**output.data} for output in (one, other))
    pictures = [data.pop("image/png", None) for data in (one, other)]
    if one != other or (pictures[0] is None) != (pictures[1] is None):
        return False
    if pictures[0] is None:
        return True
    pixels = [matplotlib.image.imread(io.BytesIO(base64.b64decode(picture))) for picture in pictures]
    return pixels[0].shape == pixels[1].shape and numpy.abs(pixels[0] - pixels[1]).mean() < APART


def make_stored_runs(program):
    """The runs of the notebooks, of each what they read."""
    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        make_runs(program, (NOTEBOOKS / "README.md").read_text(), place)
        for path in NOTEBOOKS.glob("*.ipynb"):
            kind = path.stem
            book = nbformat.read(path, as_version=4)
            code = "\n".join(cell.source for cell in book.cells if cell.cell_type == "code")
            shutil.rmtree(NOTEBOOKS / "runs" / kind, ignore_errors=True)
            for glob in set(re.findall(rf'"(runs/{kind}/[^"]+)"', code)):
                for file in place.glob(glob):
                    to = NOTEBOOKS / file.relative_to(place)
                    to.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(file, to)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program", type=Path)
    arguments.add_argument("--store", action="store_true")
    arguments.add_argument("--runs", action="store_true")
    arguments = arguments.parse_args()
    program = arguments.program.resolve()
    if arguments.runs:
        make_stored_runs(program)
    page(program, arguments.store)
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        notebook(path, arguments.store or arguments.runs)


main()
