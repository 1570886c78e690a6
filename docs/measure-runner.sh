#!/usr/bin/env bash
# Measures the runner: one coordinator, two worker processes of one thread on loopback, synthetic trials.
#   docs/measure-runner.sh [REDQUEEN [TRIALS [COST_US]]]
# Prints trials a second, CPU seconds of coordinator and workers (with the processes in which these run trials), peak memory of
# each process and size of the data directory.
# Linux, with python3 for the arithmetic. Everything it starts ends with it.
set -euo pipefail
program=${1:-target/release/redqueen} trials=${2:-1000000} cost=${3:-0}
data=$(mktemp -d)
pids=()
trap 'kill -TERM "${pids[@]}" 2>/dev/null || true; wait; rm -rf "$data"' EXIT
printf 'format = 1\nname = "runner"\nkind = "synthetic"\n[synthetic]\ntrials = %s\ncost-us = %s\n' "$trials" "$cost" >"$data/runner.toml"
touch "$data/address"
"$program" coordinator --data "$data/runs" --listen 127.0.0.1:0 >"$data/address" 2>/dev/null & pids+=($!)
until grep -q listening "$data/address"; do sleep 0.05; done
url=$(sed 's/listening on //' "$data/address")
for name in a b; do "$program" worker --coordinator "$url" --threads 1 --name $name 2>/dev/null & pids+=($!); done
until [ "$(ls /proc/"${pids[2]}"/task 2>/dev/null | wc -l)" -gt 4 ]; do sleep 0.05; done
# A process and its children. Those that a worker lost meanwhile are in its own count.
family() { echo "$1"; cat /proc/"$1"/task/*/children 2>/dev/null; }
cpu() { for pid in "${pids[@]}"; do for one in $(family "$pid"); do cat "/proc/$one/stat"; done |
  awk -v hz="$(getconf CLK_TCK)" '{sum += $14 + $15 + $16 + $17} END {print sum / hz}'; done | paste -sd' '; }
before=$(cpu) start=$(date +%s.%N)
run=$("$program" submit "$data/runner.toml" --coordinator "$url" --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["run"])')
"$program" watch "$run" --coordinator "$url" --json >"$data/watch" 2>/dev/null
end=$(date +%s.%N) after=$(cpu)
memory=$(for pid in "${pids[@]}"; do for one in $(family "$pid"); do cat "/proc/$one/status"; done; done | awk '/VmHWM/ {print $2 / 1024}' | paste -sd' ')
python3 - "$start" "$end" "$before" "$after" "$memory" "$trials" "$cost" "$(du -sm "$data" | cut -f1)" <<'P'
import sys
start, end = map(float, sys.argv[1:3])
spent = [b - a for a, b in zip(map(float, sys.argv[3].split()), map(float, sys.argv[4].split()))]
trials, cost = int(sys.argv[6]), int(sys.argv[7])
print(f"{trials} trials of {cost} us in {end - start:.2f} s: {trials / (end - start):.0f} a second")
print(f"CPU s of coordinator and workers: {', '.join(f'{s:.2f}' for s in spent)}; efficiency {trials * cost / 1e6 / sum(spent):.3f}")
print(f"peak MB: {sys.argv[5]}; data {sys.argv[8]} MB")
P
