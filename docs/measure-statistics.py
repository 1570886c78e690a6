#!/usr/bin/env python3
"""Times `redqueen test` in turn with pandas and SciPy, and with DuckDB, by CPU time of the processes.

    python measure-statistics.py target/release/redqueen DIR [REPETITIONS]

DIR holds pairs.csv (columns agent, problem, score: 7 agents, 9 problems, 100 values each) and results.parquet (ten million rows
of agent, problem, score). Needs pandas, scipy and duckdb. Medians, least and most of the repetitions; one more before them is
left out.
"""
import json
import os
import resource
import statistics
import subprocess
import sys

PROGRAM, DIR = sys.argv[1:3]
REPETITIONS = int(sys.argv[3]) if len(sys.argv) > 3 else 9
ONE = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
COLUMNS = ["--value", "score", "--group", "agent", "--by", "problem"]
PEER = f"""
import pandas as pd, scipy.stats as ss, itertools
t = pd.read_csv({DIR!r} + '/pairs.csv')
S = {{k: v['score'].to_numpy() for k, v in t.groupby(['agent', 'problem'])}}
for p in sorted(t['problem'].unique()):
    for a, b in itertools.combinations(sorted(t['agent'].unique()), 2):
        ss.mannwhitneyu(S[a, p], S[b, p], method='asymptotic'); ss.ttest_ind(S[a, p], S[b, p], equal_var=False)
"""
# The query alone: neither start nor import.
DUCK = f"""
import duckdb, json, resource, sys
c = duckdb.connect(); c.execute('set threads=1')
q = "select agent, problem, avg(score), stddev_samp(score), count(*) from '{DIR}/results.parquet' group by all"
c.execute(q).fetchall()
cpu = lambda: sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
a = cpu(); c.execute(q).fetchall(); print(json.dumps(cpu() - a))
"""


def whole(command):
    """CPU seconds of a process from start to end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=ONE, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compare(what, ours, peer):
    times = {"redqueen": [], "peer": []}
    for i in range(REPETITIONS + 1):
        for name, measure in (("redqueen", ours), ("peer", peer)):
            seconds = measure()
            if i:
                times[name].append(seconds * 1e3)
    text = {name: f"{statistics.median(v):.2f} ms ({min(v):.2f} to {max(v):.2f})" for name, v in times.items()}
    ratio = statistics.median(times["redqueen"]) / statistics.median(times["peer"])
    print(f"{what}: redqueen {text['redqueen']}, peer {text['peer']}, ratio {ratio:.4f} (1/{1 / ratio:.0f}), load {os.getloadavg()[0]:.1f}")


tests = [PROGRAM, "test", f"{DIR}/pairs.csv", *COLUMNS, "--test", "mann-whitney", "--test", "welch"]
compare("189 Mann-Whitney and Welch", lambda: whole(tests), lambda: whole([sys.executable, "-c", PEER]))
describe = [PROGRAM, "test", f"{DIR}/results.parquet", *COLUMNS, "--describe"]
duck = lambda: json.loads(subprocess.run([sys.executable, "-c", DUCK], env=ONE, check=True, capture_output=True).stdout)
compare("size, mean and deviation of 1e7 rows", lambda: whole(describe), duck)
