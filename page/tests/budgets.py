#!/usr/bin/env python3
"""What pages of a busy coordinator cost, and how long they take: Python 3.11, Linux, nothing else.

    cargo build --release
    page/tests/budgets.py target/release/redqueen [--games 1000000] [--threads 2]

Prints the milliseconds of pages (median, 95th of 100, greatest) with so many games stored, the seconds from a commit until a
stream tells of it, and the games a second of a run that nobody looks at and that 20 viewers look at, who do what a page does:
one stream each, and every part that it says has changed.
"""

import argparse
import http.client
import json
import os
import pathlib
import socket
import sqlite3
import statistics
import subprocess
import tempfile
import threading
import time

HOST = "127.0.0.1"
VIEWERS = 20
ASKED = 100


def free_port():
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


def get(port, path):
    """The body of an answer and the seconds until its last byte, on a connection of its own."""
    begun = time.perf_counter()
    connection = http.client.HTTPConnection(HOST, port, timeout=60)
    connection.request("GET", path, headers={"Accept-Encoding": "gzip"})
    answer = connection.getresponse()
    body = answer.read()
    taken = time.perf_counter() - begun
    connection.close()
    if answer.status != 200:
        raise SystemExit(f"{path}: {answer.status} {body[:200]!r}")
    return body, taken


def states(port, topic, stop):
    """The states that a stream tells, as dictionaries, until `stop`."""
    connection = http.client.HTTPConnection(HOST, port, timeout=60)
    connection.request("GET", f"/stream?{topic}", headers={"Accept": "text/event-stream"})
    answer = connection.getresponse()
    while not stop.is_set():
        line = answer.readline()
        if not line:
            break
        if line.startswith(b"data: {"):
            yield json.loads(line[6:])
    connection.close()


class Fleet:
    """A coordinator with pages, and a worker."""

    def __init__(self, program, place, threads):
        self.program, self.place = program, pathlib.Path(place)
        self.port, self.http = free_port(), free_port()
        self.url = f"http://{HOST}:{self.port}"
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        listen = ["--listen", f"{HOST}:{self.port}", "--http", f"{HOST}:{self.http}", "--no-token"]
        self.coordinator = subprocess.Popen([program, "coordinator", "--data", place, *listen], **quiet)
        self.until(lambda: socket.create_connection((HOST, self.http), 1).close() or True)
        worker = [program, "worker", "--coordinator", self.url, "--threads", str(threads)]
        self.worker = subprocess.Popen(worker, **quiet)

    def until(self, holds, patience=60):
        end = time.monotonic() + patience
        while True:
            try:
                if found := holds():
                    return found
            except (OSError, sqlite3.Error):
                pass
            if time.monotonic() > end:
                raise SystemExit(f"waited {patience} s in vain; is the program a release build of this version?")
            time.sleep(0.02)

    def submit(self, text):
        file = self.place / "experiment.toml"
        file.write_text(text)
        command = [self.program, "--json", "submit", str(file), "--coordinator", self.url]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["run"][:8]

    def status(self, run):
        command = [self.program, "--json", "status", run, "--coordinator", self.url]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)

    def database(self, run):
        found = self.until(lambda: [path for path in self.place.glob("*/redqueen.sqlite") if run in str(path)] or None)
        return sqlite3.connect(f"file:{found[0]}?mode=ro", uri=True)

    def finish(self, run):
        subprocess.run([self.program, "watch", run, "--coordinator", self.url], check=True, capture_output=True)

    def cpu(self):
        """Seconds of processor time of the coordinator."""
        fields = pathlib.Path(f"/proc/{self.coordinator.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """MB of memory that the coordinator has."""
        lines = pathlib.Path(f"/proc/{self.coordinator.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) / 1000 for line in lines if line.startswith("VmRSS"))

    def end(self):
        for process in (self.worker, self.coordinator):
            process.terminate()
        for process in (self.worker, self.coordinator):
            process.wait()


def grid(name, games, player="random"):
    return (
        f'format = 1\nname = "{name}"\nkind = "match-grid"\ngame = "dodgem:size=3"\naudit = 0.0\n[players]\n'
        f'a = "{player}"\nb = "{player}"\nc = "{player}"\n[match-grid]\npairing = "round-robin"\ngames-per-pair = {games // 6 * 2}\n'
    )


def viewer(fleet, run, stop, told):
    """Does what a page of a run does while one looks: a part that has changed is asked for again, one at a time."""
    newest, changed = {}, threading.Event()

    def fetch():
        have = {}
        while not stop.is_set():
            changed.wait(1)
            changed.clear()
            for part, version in list(newest.items()):
                if have.get(part) != version:
                    have[part] = version
                    get(fleet.http, f"/runs/{run}?part={part}")
                    told[1] += 1

    threading.Thread(target=fetch, daemon=True).start()
    for state in states(fleet.http, f"run={run}", stop):
        told[0] += 1
        newest.update(state["p"])
        changed.set()


def looked_at(fleet, games, viewers, player):
    """Games a second, and the coordinator's seconds of processor time, of a run with so many viewers."""
    run = fleet.submit(grid(f"looked-{viewers}-{time.monotonic_ns()}", games, player))
    stop, told = threading.Event(), [0, 0]
    looking = [threading.Thread(target=viewer, args=(fleet, run, stop, told), daemon=True) for _ in range(viewers)]
    begun, cpu = time.perf_counter(), fleet.cpu()
    for thread in looking:
        thread.start()
    fleet.finish(run)
    taken, cpu = time.perf_counter() - begun, fleet.cpu() - cpu
    stop.set()
    return games // 6 * 6 / taken, cpu, told


def commit_to_screen(fleet):
    """Seconds from when the database has a game until the stream tells so."""
    run = fleet.submit('format = 1\nname = "slow"\nkind = "synthetic"\n[synthetic]\ntrials = 600\nsleep-us = 100000\n')
    database = fleet.database(run)
    table = fleet.until(lambda: database.execute("SELECT name FROM sqlite_master WHERE name LIKE 'results_%'").fetchone())[0]
    stop, committed, late = threading.Event(), {}, []

    def follow():
        for state in states(fleet.http, f"run={run}", stop):
            for key, text in state["n"].items():
                if key.endswith(".stored"):
                    shown, now = int("".join(filter(str.isdigit, text))), time.perf_counter()
                    for count in [count for count in committed if count <= shown]:
                        late.append(max(0.0, now - committed.pop(count)))

    threading.Thread(target=follow, daemon=True).start()
    last = 0
    end = time.monotonic() + 20
    while time.monotonic() < end:
        count = database.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]
        if count > last:
            committed[count] = time.perf_counter()
            last = count
        time.sleep(0.002)
    stop.set()
    subprocess.run([fleet.program, "cancel", run, "--coordinator", fleet.url], check=True, capture_output=True)
    return late


def spread(values, unit, scale):
    ordered = sorted(value * scale for value in values)
    at = lambda share: ordered[min(len(ordered) - 1, int(share * len(ordered)))]
    return f"{at(0.5):.1f} (95 %: {at(0.95):.1f}, greatest {ordered[-1]:.1f}) {unit}"


def main():
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("program")
    asked.add_argument("--games", type=int, default=1_000_000)
    asked.add_argument("--threads", type=int, default=2)
    asked.add_argument("--times", type=int, default=3, help="measurements with and without viewers")
    asked = asked.parse_args()
    program = str(pathlib.Path(asked.program).resolve())
    with tempfile.TemporaryDirectory() as place:
        fleet = Fleet(program, place, asked.threads)
        try:
            print(f"a commit until a stream tells it: {spread(commit_to_screen(fleet), 'ms', 1000)}")
            for name, player, games in [
                ("random players", "random", asked.games * 3 // 2),
                ("MCTS, 100 playouts", "mcts:playouts=100", asked.games // 20),
            ]:
                rates, cpus = {0: [], VIEWERS: []}, {0: [], VIEWERS: []}
                for _ in range(asked.times):
                    for viewers in (0, VIEWERS):
                        rate, cpu, told = looked_at(fleet, games, viewers, player)
                        rates[viewers].append(rate)
                        cpus[viewers].append(cpu)
                alone, looked = (statistics.median(rates[viewers]) for viewers in (0, VIEWERS))
                print(
                    f"{name}, {games} games: {alone:.0f} a second, {looked:.0f} ({100 * looked / alone:.1f} %) with {VIEWERS} viewers "
                    f"({told[0]} states and {told[1]} parts in the last run); processor seconds of the coordinator {statistics.median(cpus[0]):.2f} and "
                    f"{statistics.median(cpus[VIEWERS]):.2f}; its memory {fleet.memory():.0f} MB"
                )
            run = fleet.submit(grid("large", asked.games))
            half = asked.games // 2
            fleet.until(lambda: fleet.status(run)["stored"] >= half, 3600)
            pages(fleet, run, asked.games // 4, "while games come in")
            fleet.finish(run)
            pages(fleet, run, asked.games // 2, f"with {asked.games} games stored")
        finally:
            fleet.end()


def pages(fleet, run, trial, when):
    get(fleet.http, f"/runs/{run}")
    time.sleep(2)
    print(f"pages {when}, {ASKED} times each:")
    for path in [
        "/",
        f"/runs/{run}",
        f"/runs/{run}/trials",
        f"/runs/{run}/trials?stage=0&from={trial}",
        f"/runs/{run}/trials/0/{trial}",
        f"/runs/{run}/pairs/0",
        f"/runs/{run}/events",
        f"/runs/{run}/workers",
        f"/runs/{run}/files",
        "/workers",
        "/events",
        "/compare",
    ]:
        bodies, times = zip(*(get(fleet.http, path) for _ in range(ASKED)))
        print(f"  {path.replace(run, 'RUN'):34} {spread(times, 'ms', 1000)}, {len(bodies[-1]) / 1000:.1f} kB")


if __name__ == "__main__":
    main()
