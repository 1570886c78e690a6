"""Writes rows.tsv, a small study with the figures of a real one, and expected.json, what its tables must say.

    python3 make.py        # numpy 2.4.6, scipy 1.17.1; from this folder

Every expected figure is computed here by numpy and SciPy from the rows and from the papers' files, and by nothing of
redqueen. The rows are drawn from a fixed seed about the means of the thesis' tables 5.5 and 5.8.
"""

import csv
import json
import math
import re
import tomllib
from pathlib import Path

import numpy as np
from scipy import stats

RUNS, BINS = 20, 8
PROBLEMS = ["f2", "f5"]
AGENTS = ["mcts-c05", "mcts-csqrt2", "ea-mcts", "siea-mcts"]
HERE = Path(__file__).parent
PAPERS = HERE / "../../../../papers/siea-mcts"
EVOLVES = {"ea-mcts", "siea-mcts"}
UCB1 = "(+ Q (* (* 2 C:5) (sqrt (/ (* 2 (ln N)) n))))"

COLUMNS = [
    "problem", "agent", "run", "points", "score", "plies", "moves_hash", "decisions", "iterations", "nodes",
    "expansion_rate", "terminals", "leaf_depth", "leaf_depth_sd", "depth_max", "by_visits", "by_reward", "root_share",
    "formula_nodes", "uses_q", "uses_visits", "uses_parent_visits", "uses_c", "fitness", "formulas", "generations",
    "fitness_iterations", "ties", "semantic_choices", "root_visits", "histogram", "formula", "deciding_us",
]  # fmt: skip


def printed(table):
    return tomllib.loads((PAPERS / f"{table}.toml").read_text())["rows"]


def as_named(agent):
    return agent.replace(".", "")


def draw():
    """Rows about the printed means; a seed a problem and agent, so that nothing moves when one is added."""
    means = {(row["function"], as_named(row["agent"])): row for t in ("table-5-5", "table-5-8") for row in printed(t)}
    rows = []
    for p, problem in enumerate(PROBLEMS):
        for a, agent in enumerate(AGENTS):
            rng = np.random.default_rng([5, p, a])
            mean = means[problem, agent]
            for run in range(RUNS):
                rate = float(np.clip(rng.normal(mean["expansion_rate_mean"], mean["expansion_rate_sd"]), 0.05, 1))
                nodes = 1 + round(5000 * rate)
                evolves = agent in EVOLVES
                uses = [int(rng.random() < share) for share in (0.95, 0.6, 0.55, 0.5)] if evolves else [0] * 4
                reward = round(float(np.clip(rng.normal(mean["result_mean"], mean["result_sd"] + 0.004), 0.3, 0.98)), 3)
                thirds = rng.multinomial(nodes - 1, rng.dirichlet(np.ones(3 * BINS))).reshape(3, BINS)
                share = float(rng.uniform(0.5, 0.99))
                size = 1 + 2 * int(rng.integers(3, 10))
                if not evolves:
                    formula = ""
                elif run % 5 == 0:
                    formula, uses, size = UCB1.replace("5", str(run)), [1, 1, 1, 1], 13
                else:
                    formula = f"(+ {'Q' if uses[0] else '2'} (/ {run} {'n' if uses[1] else 'C:2'}))"
                rows.append({
                    "problem": problem,
                    "agent": agent,
                    "run": run,
                    "points": round(float(rng.uniform(0.3, 0.7)), 2),
                    "score": int(rng.integers(-3, 4)),
                    "plies": 1,
                    "moves_hash": int(rng.integers(0, 2)),
                    "decisions": 1,
                    "iterations": 5000,
                    "nodes": float(nodes),
                    "expansion_rate": (nodes - 1) / 5000,
                    "terminals": float(max(0, round(rng.normal(mean["terminals_mean"], mean["terminals_sd"])))),
                    "leaf_depth": float(rng.normal(mean["leaf_depth_mean"], 0.3)),
                    "leaf_depth_sd": float(rng.normal(mean["leaf_depth_sd"], 0.1)),
                    "depth_max": 17.0,
                    "by_visits": reward if not evolves else round(reward - 0.01 * int(rng.integers(0, 3)), 3),
                    "by_reward": reward,
                    "root_share": share,
                    "formula_nodes": float(size if evolves else 0),
                    "uses_q": float(uses[0]),
                    "uses_visits": float(uses[1]),
                    "uses_parent_visits": float(uses[2]),
                    "uses_c": float(uses[3]),
                    "fitness": round(float(rng.uniform(0.5, 1)), 4) if evolves else 0.0,
                    "formulas": 81.0 if evolves else 0.0,
                    "generations": 20.0 if evolves else 0.0,
                    "fitness_iterations": 2430.0 if evolves else 0.0,
                    "ties": float(rng.integers(0, 9)) if evolves else 0.0,
                    "semantic_choices": float(rng.integers(0, 2)) if agent == "siea-mcts" else 0.0,
                    "root_visits": f"0:{round(5000 * share)} 1:{5000 - round(5000 * share)}",
                    "histogram": ";".join(",".join(map(str, third)) for third in thirds.tolist()),
                    "formula": formula,
                    "deciding_us": int(rng.integers(8_000, 12_000)),
                })  # fmt: skip
    return rows


def spread(values):
    return {"mean": float(np.mean(values)), "sd": float(np.std(values, ddof=1))}


def student(values):
    """Of shares."""
    low, high = stats.t.interval(0.95, len(values) - 1, np.mean(values), stats.sem(values))
    return [max(0.0, float(low)), min(1.0, float(high))]


def of_games(values):
    """Of points: Wilson's for as many games as their spread is worth."""
    n, mean = len(values), np.mean(values)
    dispersion = (2 + (n - 1) * np.var(values, ddof=1) / (mean * (1 - mean))) / (n + 1)
    n, t = n / dispersion, stats.t.ppf(0.975, n + 1)
    middle, scale = mean + t * t / (2 * n), 1 + t * t / n
    half = t * math.sqrt(mean * (1 - mean) / n + t * t / (4 * n * n))
    return [float((middle - half) / scale), float((middle + half) / scale)]


def tables(rows, of):
    trees, formulas, points, cost, histograms = [], [], [], [], []
    for problem in PROBLEMS:
        for agent in AGENTS:
            arm = [row for row in rows if (row["problem"], row["agent"]) == (problem, agent)]
            value = lambda name: of[problem, agent, name]
            at = {"problem": problem, "agent": agent}
            trees.append(at | {
                "runs": RUNS,
                "expansion_rate": spread(value("expansion_rate")),
                "terminals": spread(value("terminals")),
                "leaf_depth": {"mean": spread(value("leaf_depth"))["mean"], "sd": spread(value("leaf_depth_sd"))["mean"]},
                "leaf_depth_run_sd": spread(value("leaf_depth"))["sd"],
                "by_visits": spread(value("by_visits")),
                "by_reward": spread(value("by_reward")),
                "by_reward_95": student(value("by_reward")),
                "root_share": spread(value("root_share")),
            })  # fmt: skip
            points.append(at | {
                "points": spread(value("points")),
                "points_95": of_games(value("points")),
                "game_score": spread(value("score")),
                "plies": 1.0,
                "distinct": len({row["moves_hash"] for row in arm}),
            })  # fmt: skip
            us = sum(row["deciding_us"] for row in arm)
            cost.append(at | {
                "decisions": RUNS,
                "iterations": 5000.0,
                "decision_ms": us / RUNS / 1e3,
                "iterations_per_second": 5000 * RUNS / us * 1e6,
            })  # fmt: skip
            counts = [[[int(n) for n in third.split(",")] for third in row["histogram"].split(";")] for row in arm]
            histograms.append(at | {"mean": np.mean(counts, axis=0).tolist()})
            if agent in EVOLVES:
                q, n = value("uses_q") > 0.5, value("uses_visits") > 0.5
                formulas.append(at | {
                    "rate_n": float(np.mean(n)),
                    "rate_big_n": float(np.mean(value("uses_parent_visits"))),
                    "rate_q": float(np.mean(q)),
                    "rate_c": float(np.mean(value("uses_c"))),
                    "nodes": spread(value("formula_nodes")),
                    "fitness": spread(value("fitness")),
                    "ties": spread(value("ties")),
                    "semantic_choices": spread(value("semantic_choices")),
                    "greedy": float(np.mean(q & ~n)),
                    "stuck": float(np.mean(n & ~q)),
                    "random": float(np.mean(~q & ~n)),
                    "unchanged": sum("sqrt" in row["formula"] for row in arm) / RUNS,
                    "distinct": len({re.sub(r"C:\d+", "C", row["formula"]) for row in arm}),
                })  # fmt: skip
    return {"trees": trees, "formulas": formulas, "points": points, "cost": cost, "histograms": histograms}


Z = float(stats.norm.ppf(0.975))


def cell(at, metric, ours, paper, sd, paper_sd, paper_runs, half):
    """One verdict: `sd` of our runs, `paper_sd` what stands for the paper's."""
    error = math.sqrt(sd**2 / RUNS + paper_sd**2 / paper_runs)
    difference = ours - paper
    allowed = Z * error + half
    return at | {
        "metric": metric,
        "paper": paper,
        "difference": difference,
        "allowed": allowed,
        "verdict": "inside" if abs(difference) <= allowed else "outside",
    }


def beside_trees(table, of):
    cells = []
    for row in printed(table):
        problem, agent = row["function"], as_named(row["agent"])
        if agent not in AGENTS or problem not in PROBLEMS:
            continue
        at = {"problem": problem, "agent": agent}
        for metric, key, half in [
            ("expansion_rate", "expansion_rate", 0.005),
            ("terminals", "terminals", 0.005),
            ("leaf_depth", "leaf_depth_mean", 0.005),
            ("leaf_depth_sd", "leaf_depth_sd", 0.005),
            ("by_reward", "result", 0.0005),
        ]:
            ours = spread(of[problem, agent, metric])
            if metric.startswith("leaf"):
                paper, paper_sd = row[key], ours["sd"]
            else:
                paper, paper_sd = row[f"{key}_mean"], row[f"{key}_sd"]
                # Rounded to nothing: ours, as far as rounding would hide it.
                paper_sd = paper_sd or min(ours["sd"], 0.005)
            cells.append(cell(at, metric, ours["mean"], paper, ours["sd"], paper_sd, 100, half))
    return cells


def beside_formulas(of):
    cells = []
    for row in printed("table-5-11"):
        if row["problem"] not in PROBLEMS:
            continue
        for short in ("ea", "siea"):
            agent = f"{short}-mcts"
            at = {"problem": row["problem"], "agent": agent}
            for metric, key in [("uses_visits", "rate_n"), ("uses_parent_visits", "rate_big_n"), ("uses_q", "rate_q")]:
                ours, paper = spread(of[row["problem"], agent, metric]), row[f"{key}_{short}"]
                paper_sd = math.sqrt(paper * (1 - paper))
                cells.append(cell(at, metric, ours["mean"], paper, ours["sd"], paper_sd, 100, 0.005))
            ours = spread(of[row["problem"], agent, "formula_nodes"])
            paper, paper_sd = row[f"nodes_{short}_mean"], row[f"nodes_{short}_sd"]
            cells.append(cell(at, "formula_nodes", ours["mean"], paper, ours["sd"], paper_sd, 100, 0.005))
    return cells


def beside_pairs(of):
    found = []
    for row in printed("fop-significance"):
        a, b = as_named(row["a"]), as_named(row["b"])
        if row["function"] not in PROBLEMS or a not in AGENTS or b not in AGENTS:
            continue
        metric = {"result": "by_reward", "leaf_depth": "leaf_depth"}[row["metric"]]
        x, y = of[row["function"], a, metric], of[row["function"], b, metric]
        if metric == "by_reward":
            p = stats.mannwhitneyu(x, y, alternative="two-sided").pvalue
        else:
            p = stats.ttest_ind(x, y, equal_var=False).pvalue
        found.append({
            "problem": row["function"], "a": a, "b": b, "metric": metric, "p": float(p),
            "verdict": "agree" if (p < 0.05) == row["significant"] else "differ",
        })  # fmt: skip
    return found


def holm(p):
    order = np.argsort(p, kind="stable")
    adjusted, highest = [0.0] * len(p), 0.0
    for step, i in enumerate(order):
        highest = max(highest, min(1.0, p[i] * (len(p) - step)))
        adjusted[i] = highest
    return adjusted


def questions(of):
    """p of every pair, agent or problem, and adjusted within each problem."""
    pairs = [(a, b) for i, a in enumerate(AGENTS) for b in AGENTS[i + 1 :]]
    tests = {
        "mann-whitney": lambda x, y: stats.mannwhitneyu(x, y, alternative="two-sided").pvalue,
        "welch": lambda x, y: stats.ttest_ind(x, y, equal_var=False).pvalue,
        "student": lambda x, y: stats.ttest_ind(x, y).pvalue,
        "wilcoxon": lambda x, y: stats.wilcoxon(x, y).pvalue,
    }
    found = {}
    for test, metric in [
        ("mann-whitney", "by_reward"), ("welch", "leaf_depth"), ("student", "root_share"), ("wilcoxon", "leaf_depth"),
    ]:  # fmt: skip
        rows = []
        for problem in PROBLEMS:
            p = [float(tests[test](of[problem, a, metric], of[problem, b, metric])) for a, b in pairs]
            adjusted = zip(p, holm(p), stats.false_discovery_control(p).tolist())
            for (a, b), (plain, by_holm, by_bh) in zip(pairs, adjusted):
                at = {"problem": problem, "a": a, "b": b}
                rows.append(at | {"p": plain, "holm": by_holm, "benjamini-hochberg": by_bh})
        found[test] = rows
    together = {
        "kruskal-wallis": ("root_share", stats.kruskal),
        "friedman": ("leaf_depth", stats.friedmanchisquare),
    }
    for test, (metric, function) in together.items():
        results = {problem: function(*(of[problem, agent, metric] for agent in AGENTS)) for problem in PROBLEMS}
        found[test] = [
            {"problem": problem, "statistic": float(result.statistic), "p": float(result.pvalue)}
            for problem, result in results.items()
        ]
    found["normality"] = [
        {"problem": problem, "agent": agent, "p": float(stats.normaltest(of[problem, agent, "by_reward"]).pvalue)}
        for problem in PROBLEMS
        for agent in AGENTS
    ]
    return found


def main():
    rows = draw()
    with (HERE / "rows.tsv").open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, dialect="excel-tab", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    numbers = [c for c in COLUMNS if c not in ("problem", "agent", "root_visits", "histogram", "formula")]
    of = {
        (problem, agent, name): np.array([r[name] for r in rows if (r["problem"], r["agent"]) == (problem, agent)], float)
        for problem in PROBLEMS
        for agent in AGENTS
        for name in numbers
    }
    expected = tables(rows, of)
    expected["compare"] = {
        "table-5-5": beside_trees("table-5-5", of),
        "table-5-8": beside_trees("table-5-8", of),
        "table-5-11": beside_formulas(of),
        "fop-significance": beside_pairs(of),
    }
    expected["questions"] = questions(of)
    (HERE / "expected.json").write_text(json.dumps(expected, indent=1) + "\n")


main()
