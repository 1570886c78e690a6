// Processes of redqueen for the checks: runs of every kind, a viewer of their directories, a coordinator with a worker.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const experiments = join(dirname(fileURLToPath(import.meta.url)), "experiments");

/** Kinds of experiments, each with a small file. */
export const KINDS = ["grid", "coevolution", "tuning", "study", "learning"];

/** Name of a worker that a page must show as it is. */
export const HOSTILE = `</script><img src=x onerror=alert(1)> "w" \u202Egnorw\u202C ${"long".repeat(12)}`;

/** The same as pages show it: marks that turn text are shown by their numbers. */
export const SHOWN_NAME = HOSTILE.replace(/[\u202A-\u202E]/g, (mark) => `\\u{${mark.codePointAt(0).toString(16)}}`);

const started = new Set();

/** Runs the program to its end; gives what it prints. */
export const run = (program, ...args) => execFileSync(program, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/** One run of every kind in `place`; gives their directories by kind. */
export const runs = (program, place) => {
  const made = {};
  for (const kind of KINDS) {
    made[kind] = join(place, "runs", kind);
    run(program, "run", join(experiments, `${kind}.toml`), "--out", made[kind]);
  }
  return made;
};

/** A process that stays until `end`, once it has printed a line that matches; gives the match. */
const stays = (program, args, pattern) =>
  new Promise((ready, failed) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    started.add(child);
    let printed = "";
    const hear = (text) => {
      printed += text;
      const found = printed.match(pattern);
      if (found) ready({ child, found });
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("exit", (code) => {
      started.delete(child);
      failed(new Error(`${args[0]} ended with ${code}:\n${printed}`));
    });
  });

const ADDRESS = /(http:\/\/127\.0\.0\.1:\d+)/;

/** `redqueen view` of directories; gives its address. */
export const view = async (program, directories) => {
  const { found } = await stays(program, ["view", ...directories, "--http", "127.0.0.1:0"], ADDRESS);
  return found[1];
};

/** A port that nobody has at this moment. */
export const freePort = () =>
  new Promise((found) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => found(port));
    });
  });

/** A coordinator with pages on fixed ports, so that it can die and come back. */
export const coordinator = async (program, data, port, http) => {
  mkdirSync(data, { recursive: true });
  const args = ["coordinator", "--data", data, "--listen", `127.0.0.1:${port}`, "--http", `127.0.0.1:${http}`, "--no-token"];
  const { child } = await stays(program, args, /pages at/);
  return child;
};

/** A worker that has joined. */
export const worker = async (program, port) => {
  const args = ["worker", "--coordinator", `http://127.0.0.1:${port}`, "--threads", "1", "--name", HOSTILE];
  const { child } = await stays(program, args, /connected|joined|welcome/i);
  return child;
};

/** Submits an experiment of trials of `micros` microseconds each; gives the run's id. */
export const submit = (program, port, place, trials, micros) => {
  const file = join(place, "slow.toml");
  writeFileSync(
    file,
    `format = 1\nname = "slow"\ntitle = "Trials that take their time"\nkind = "synthetic"\n[synthetic]\ntrials = ${trials}\nsleep-us = ${micros}\n`,
  );
  return JSON.parse(run(program, "--json", "submit", file, "--coordinator", `http://127.0.0.1:${port}`)).run;
};

/** Ends a process at once, as a crash would, and waits for its end. */
export const kill = (child) =>
  new Promise((ended) => {
    child.removeAllListeners("exit");
    child.on("exit", () => {
      started.delete(child);
      ended();
    });
    child.kill("SIGKILL");
  });

/** Ends what was started. */
export const end = () => Promise.all([...started].map(kill));
