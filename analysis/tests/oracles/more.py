#!/usr/bin/env python3
"""Writes more.json and the rows of tails.tsv that statistics.json lacks: tests of pairs and of several samples, effect
sizes, tails.

    python3 -m venv venv && venv/bin/pip install scipy==1.17.1 statsmodels==0.15.0 mpmath && venv/bin/python more.py

SciPy tests, statsmodels and brute force check them, mpmath computes tails at 60 digits.
"""
import json
import math
import pathlib

import mpmath
import numpy as np
import scipy
import statsmodels
import statsmodels.api as sm
from scipy import stats
from statsmodels.stats.weightstats import DescrStatsW

HERE = pathlib.Path(__file__).parent


def samples(seed, sizes, decimals, shifts, spread=1.0):
    rng = np.random.default_rng(seed)
    return [[float(v) for v in np.round(rng.normal(shift, spread, size), decimals)] for size, shift in zip(sizes, shifts)]


def paired():
    cases = []
    for name, x, y in [
        ("7 pairs", *samples(1, [7, 7], 4, [0.4, 0])),
        ("25 pairs, no ties", *samples(2, [25, 25], 6, [0.3, 0])),
        ("50 pairs, no ties", *samples(3, [50, 50], 6, [0.5, 0])),
        ("51 pairs, no ties", *samples(4, [51, 51], 6, [0.5, 0])),
        ("13 pairs with ties and zeros", *samples(5, [13, 13], 0, [0.8, 0], 2)),
        ("14 pairs with ties and zeros", *samples(6, [14, 14], 0, [0.8, 0], 2)),
        ("40 pairs of small integers", *samples(7, [40, 40], 0, [1, 0], 3)),
        ("200 pairs far apart", *samples(8, [200, 200], 3, [30, 0])),
        ("20 pairs, y above", *samples(9, [20, 20], 5, [-1, 0])),
        ("Darwin's maize (1876), heights in inches",
         [23.5, 12, 21, 22, 19.125, 21.5, 22.125, 20.375, 18.25, 21.625, 23.25, 21, 22.125, 23, 12],
         [17.375, 20.375, 20, 20, 18.375, 18.625, 18.625, 15.25, 16.5, 18, 16.25, 18, 12.75, 15.5, 18]),
        ("two pairs", [1.0, 3.0], [0.0, 1.0]),
    ]:
        d = np.array(x) - np.array(y)
        want = {}
        for side in ["two-sided", "less", "greater"]:
            found = stats.wilcoxon(x, y, alternative=side)
            want[side] = float(found.pvalue)
            if side == "two-sided":
                want["w"] = float(found.statistic)
            else:
                want["w_plus"] = float(found.statistic)
        ranks = stats.rankdata(np.abs(d[d != 0]))
        want["rank_biserial"] = float((ranks[d[d != 0] > 0].sum() - ranks[d[d != 0] < 0].sum()) / ranks.sum())
        t = stats.ttest_rel(x, y)
        ci = t.confidence_interval(0.95)
        other = DescrStatsW(d).ttest_mean(0)
        assert abs(other[0] - t.statistic) < 1e-9 * abs(t.statistic), name
        want["t"] = {
            "t": float(t.statistic), "df": float(t.df), "two-sided": float(t.pvalue),
            "less": float(stats.ttest_rel(x, y, alternative="less").pvalue),
            "greater": float(stats.ttest_rel(x, y, alternative="greater").pvalue),
            "ci95": [float(ci.low), float(ci.high)], "d": float(d.mean() / d.std(ddof=1)),
        }
        cases.append({"name": name, "x": x, "y": y, "want": want})
    return cases


def decimals():
    """Pairs of decimals: differences are those of the decimals, so SciPy gets them as whole numbers."""
    shares = [(79, 82), (46, 43), (81, 74), (52, 52), (30, 23), (66, 60), (97, 91), (12, 9), (58, 55), (71, 75), (35, 28)]
    rng = np.random.default_rng(61)
    many = [tuple(map(int, pair)) for pair in zip(rng.integers(0, 60, 40), rng.integers(10, 70, 40))]
    cases = []
    for name, pairs, digits in [
        ("shares of two decimals", shares, 2), ("the same as percentages", shares, 0), ("40 of one decimal", many, 1),
        ("far from 0", [(10**8 + a, 10**8 + b) for a, b in shares], 6),
    ]:
        d = [a - b for a, b in pairs]
        want = {side: float(stats.wilcoxon(d, alternative=side).pvalue) for side in ["two-sided", "less", "greater"]}
        want["w"] = float(stats.wilcoxon(d).statistic)
        cases.append({"name": name, "x": [a / 10**digits for a, _ in pairs], "y": [b / 10**digits for _, b in pairs], "want": want})
    return cases


def dealt():
    """Mann-Whitney's U of small samples with ties: every way to deal the values, by SciPy."""
    cases = []
    of = lambda x, y: ((x > y) + 0.5 * (x == y)).sum(axis=(-2, -1))
    u = lambda x, y, axis: of(np.moveaxis(x, axis, -1)[..., :, None], np.moveaxis(y, axis, -1)[..., None, :])
    for name, x, y in [
        ("four above five", [115, 114, 115, 115], [78.8] * 5),
        ("one tie only", [1.0, 4.0, 5.5, 7.0, 9.0], [2.0, 4.0, 6.0, 8.0]),
        ("two-valued 6 v 7", [0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 0, 1, 1]),
        ("three sizes 8 v 9", [1, 1, 2, 2, 3, 3, 3, 3], [1, 1, 1, 1, 2, 2, 2, 3, 3]),
        ("two v eight", [3.0, 5.0], [1, 1, 2, 3, 3, 4, 5, 5]),
        ("all equal", [2.0, 2.0, 2.0], [2.0, 2.0]),
        ("small integers 9 v 10", [4, 5, 5, 6, 7, 7, 8, 9, 9], [1, 2, 3, 3, 4, 5, 5, 6, 6, 7]),
        ("without ties 10 v 9", [1.5, 2.5, 3.5, 5.5, 8.5, 9.5, 11.5, 12.5, 13.5, 15.5], [0.5, 4.5, 6.5, 7.5, 10.5, 14.5, 16.5, 17.5, 18.5]),
    ]:
        want = {side: float(stats.permutation_test((x, y), u, alternative=side, n_resamples=np.inf, batch=5000).pvalue)
                for side in ["two-sided", "less", "greater"]}
        cases.append({"name": name, "x": list(map(float, x)), "y": list(map(float, y)), "want": want})
    return cases


def normal(values):
    """D'Agostino and Pearson's test in 60 digits, by the formulas of SciPy's skewtest and kurtosistest."""
    mpmath.mp.dps = 60
    v = [mpmath.mpf(x) for x in values]
    n = mpmath.mpf(len(v))
    mean = sum(v) / n
    m2, m3, m4 = (sum((x - mean) ** k for x in v) / n for k in (2, 3, 4))
    y = m3 / m2 ** mpmath.mpf(1.5) * mpmath.sqrt((n + 1) * (n + 3) / (6 * (n - 2)))
    beta2 = 3 * (n * n + 27 * n - 70) * (n + 1) * (n + 3) / ((n - 2) * (n + 5) * (n + 7) * (n + 9))
    w2 = -1 + mpmath.sqrt(2 * (beta2 - 1))
    z1 = mpmath.asinh(y / mpmath.sqrt(2 / (w2 - 1))) / mpmath.sqrt(mpmath.log(w2) / 2)
    e = 3 * (n - 1) / (n + 1)
    var = 24 * n * (n - 2) * (n - 3) / ((n + 1) ** 2 * (n + 3) * (n + 5))
    x = (m4 / m2**2 - e) / mpmath.sqrt(var)
    b1 = 6 * (n * n - 5 * n + 2) / ((n + 7) * (n + 9)) * mpmath.sqrt(6 * (n + 3) * (n + 5) / (n * (n - 2) * (n - 3)))
    a = 6 + 8 / b1 * (2 / b1 + mpmath.sqrt(1 + 4 / b1**2))
    q = (1 - 2 / a) / (1 + x * mpmath.sqrt(2 / (a - 4)))
    z2 = (1 - 2 / (9 * a) - mpmath.sign(q) * mpmath.cbrt(abs(q))) / mpmath.sqrt(2 / (9 * a))
    k2 = z1 * z1 + z2 * z2
    return float(k2), float(mpmath.exp(-k2 / 2))


def magnitudes():
    """Tests of values far from 0 and of any size, in 60 digits."""
    mpmath.mp.dps = 60
    whole = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8]
    other = [2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5]
    cases = []
    for name, change in [
        ("as they are", lambda v: float(v)), ("plus 1e15", lambda v: v + 1e15), ("minus 9e15", lambda v: v - 9e15),
        ("times 1e-90", lambda v: v * 1e-90), ("times 1e180", lambda v: v * 1e180), ("times 1e-300", lambda v: v * 1e-300),
        ("times 1e307", lambda v: v * 1e307),
    ]:
        x, y = [change(v) for v in whole], [change(v) for v in other]
        k2, p = normal(x)
        assert abs(normal([float(v) for v in whole])[1] - float(stats.normaltest(whole).pvalue)) < 1e-12
        a, b = [mpmath.mpf(v) for v in x], [mpmath.mpf(v) for v in y]
        n = len(a)
        mean = lambda v: sum(v) / n
        square = lambda v: sum((u - mean(v)) ** 2 for u in v) / (n - 1)
        va, vb = square(a) / n, square(b) / n
        t = (mean(a) - mean(b)) / mpmath.sqrt(va + vb)
        df = (va + vb) ** 2 / (va**2 / (n - 1) + vb**2 / (n - 1))
        pairs = [u - v for u, v in zip(a, b)]
        tail = mpmath.betainc(df / 2, mpmath.mpf(1) / 2, 0, df / (df + t * t), regularized=True)
        cases.append({"name": name, "x": x, "y": y, "want": {
            "t_pairs": float(mean(pairs) / mpmath.sqrt(square(pairs) / n)), "k2": k2, "p_normal": p, "t": float(t), "df": float(df), "p": float(tail), "mean": float(mean(a)),
            "sd": float(mpmath.sqrt(square(a))), "d": float((mean(a) - mean(b)) / mpmath.sqrt((square(a) + square(b)) / 2)),
        }})
    return cases


def several():
    cases = []
    for name, groups in [
        ("three of 10", samples(11, [10, 10, 10], 5, [0, 0.5, 1])),
        ("two of 6", samples(12, [6, 6], 5, [0, 1])),
        ("four of different sizes, ties", samples(13, [5, 12, 9, 20], 0, [0, 1, 0, 2], 2)),
        ("seven of 100", samples(14, [100] * 7, 2, [0, 0, 0.1, 0.2, 0.4, 0.8, 1])),
        ("two-valued", [[0, 0, 1, 1, 1], [0, 0, 0, 0, 1], [1, 1, 1, 1, 0]]),
        ("far apart", samples(15, [300, 300, 300], 4, [0, 20, 40])),
        ("one value a group", [[1.0], [2.0], [2.0], [5.0]]),
    ]:
        found = stats.kruskal(*groups)
        n = sum(map(len, groups))
        cases.append({"name": name, "groups": groups, "want": {
            "h": float(found.statistic), "p": float(found.pvalue), "df": len(groups) - 1,
            "epsilon_squared": float(found.statistic / ((n * n - 1) / (n + 1))),
        }})
    return cases


def blocks():
    cases = []
    for name, treatments in [
        ("3 in 10", samples(21, [10] * 3, 5, [0, 0.5, 1])),
        ("4 in 12, ties", samples(22, [12] * 4, 0, [0, 1, 0, 2], 1)),
        ("7 in 100", samples(23, [100] * 7, 3, [0, 0, 0.1, 0.2, 0.4, 0.8, 1])),
        ("3 in 2", [[1.0, 3.0], [2.0, 1.0], [3.0, 2.0]]),
        ("5 in 1000, near order", samples(24, [1000] * 5, 4, [0, 3, 6, 9, 12])),
        ("equal treatments", [[1.0, 1.0, 2.0], [1.0, 2.0, 1.0], [2.0, 1.0, 1.0]]),
    ]:
        found = stats.friedmanchisquare(*treatments)
        n, k = len(treatments[0]), len(treatments)
        w = float(found.statistic) / (n * (k - 1))
        f = (n - 1) * w / (1 - w)
        cases.append({"name": name, "treatments": treatments, "want": {
            "chi_squared": float(found.statistic), "p": float(found.pvalue), "kendalls_w": w,
            "f": f, "df": [k - 1, (k - 1) * (n - 1)], "p_f": float(stats.f.sf(f, k - 1, (k - 1) * (n - 1))),
        }})
    return cases


def effects():
    cases = []
    for name, (x, y) in [
        ("small integers", samples(31, [9, 7], 0, [1, 0], 2)),
        ("30 v 40", samples(32, [30, 40], 4, [0.3, 0])),
        ("2 v 1", [[1.0, 2.0], [0.5]]),
        ("apart", [[5.0, 6.0, 7.5], [1.0, 2.0]]),
    ]:
        above = sum(a > b for a in x for b in y)
        below = sum(a < b for a in x for b in y)
        pairs = len(x) * len(y)
        m = len(x) + len(y) - 2
        pooled = (np.var(x) * len(x) + np.var(y) * len(y)) / m
        d = (np.mean(x) - np.mean(y)) / math.sqrt(pooled)
        # Hedges' exact factor; it is 0 of a single degree of freedom.
        factor = math.exp(math.lgamma(m / 2) - math.lgamma((m - 1) / 2)) / math.sqrt(m / 2) if m > 1 else 0.0
        cases.append({"name": name, "x": x, "y": y, "want": {
            "a12": (above + 0.5 * (pairs - above - below)) / pairs, "cliffs_delta": (above - below) / pairs,
            "d": float(d), "g": float(d * factor),
        }})
    return cases


def regressions():
    cases = []
    rng = np.random.default_rng(51)
    grid = [[math.log(n), math.log(w)] for n in (5000, 10000, 15000, 20000) for w in (0.25, 0.5, 1, 2, 4)]
    for name, x, slopes, noise in [
        ("a line", [[float(v)] for v in range(12)], [0.7], 2.0),
        ("two crossed factors", grid, [1.0, 0.0], 0.05),
        ("three that go together", [[v, v * v, math.sin(v)] for v in np.linspace(0, 3, 25)], [1.0, -0.5, 2.0], 0.1),
        ("far from 0", [[1e6 + v] for v in range(8)], [3.0], 0.5),
    ]:
        y = [float(np.dot(row, slopes) + 5 + noise * rng.normal()) for row in x]
        # About its mean, so that a column far from 0 costs the oracle no digits either.
        centred = np.array(x) - np.mean(x, axis=0)
        found = sm.OLS(y, sm.add_constant(centred)).fit()
        low, high = found.conf_int(0.05).T
        cases.append({"name": name, "y": y, "x": [list(map(float, column)) for column in zip(*x)], "want": {
            "slopes": [float(v) for v in found.params[1:]], "errors": [float(v) for v in found.bse[1:]],
            "low": [float(v) for v in low[1:]], "high": [float(v) for v in high[1:]],
            "p": [float(v) for v in found.pvalues[1:]],
        }})
    return cases


def shares():
    cases = []
    for found, of in [
        ([6, 0], [320, 320]), ([6, 16], [320, 320]), ([313, 290], [320, 320]), ([3, 1], [5, 9]), ([50, 48], [100, 100]),
        ([0, 5], [10, 10]), ([700, 640], [1000, 1000]), ([5120, 5000], [10000, 10000]), ([1, 30], [4, 2000]),
        ([90000, 88000], [100000, 100000]),
    ]:
        table = [found, [n - k for k, n in zip(found, of)]]
        cases.append({"successes": found, "trials": of, "p": float(stats.fisher_exact(table).pvalue)})
    return cases


def tails():
    mpmath.mp.dps = 60
    mpf = mpmath.mpf
    rows = []
    half = lambda v: mpf(v) / 2
    for x, k in [(1, 1), (3.84, 1), (10, 2), (60, 2), (100, 10), (1400, 2), (1400, 40), (1000, 1000), (1200, 1000),
                 (3000, 1000), (0.5, 3), (250, 3), (1200, 9), (30, 41), (1e-9, 5), (1290, 1), (2e5, 2e5), (7.5, 2.5)]:
        rows.append(("chi2", float(x), float(k), 0.0, mpmath.gammainc(half(k), half(x), regularized=True)))
    for x, shape in [(0.1, 0.3), (5, 0.3), (650, 0.3), (2, 7.7), (40, 7.7), (700, 7.7), (110, 100.25), (1000, 100.25)]:
        rows.append(("gamma", float(x), float(shape), 0.0, mpmath.gammainc(mpf(shape), mpf(x), regularized=True)))
    for f, d1, d2 in [(1, 1, 1), (4.1, 2, 9), (0.2, 3, 7), (25, 6, 594), (300, 6, 594), (1e4, 4, 40), (1e30, 4, 20),
                      (3, 1, 1e5), (1.2, 1000, 1000), (2.5, 1000, 1000), (12, 3.5, 80.25), (700, 2, 2e5), (1e-8, 5, 5)]:
        x = mpf(d2) / (mpf(d2) + mpf(d1) * mpf(f))
        rows.append(("f", float(f), float(d1), float(d2), mpmath.betainc(half(d2), half(d1), 0, x, regularized=True)))
    for t, df in [(1.73, 1e5), (1.72, 1e4), (1.7, 300), (0.01, 1e6), (1.75, 1e9), (37, 1e12)]:
        x = mpf(df) / (mpf(df) + mpf(t) ** 2)
        rows.append(("student", float(t), float(df), 0.0, mpmath.betainc(half(df), mpf(1) / 2, 0, x, regularized=True) / 2))
    for x, a, b in [(0.5, 2, 3), (0.1, 0.5, 0.5), (1e-5, 3, 4), (0.001, 100, 2), (0.4, 500, 500), (0.3, 500, 500),
                    (1e-100, 3, 5), (0.999, 3, 5), (0.02, 1.5, 3000)]:
        rows.append(("beta", float(x), float(a), float(b), mpmath.betainc(mpf(a), mpf(b), 0, mpf(x), regularized=True)))
    return rows


def main():
    oracle = {
        "about": "Reference values for tests of pairs and of several samples, and effect sizes.",
        "made_with": {"scipy": scipy.__version__, "statsmodels": statsmodels.__version__, "numpy": np.__version__,
                      "mpmath": mpmath.__version__},
        "paired": paired(), "decimals": decimals(), "dealt": dealt(), "magnitudes": magnitudes(), "several": several(),
        "blocks": blocks(), "effects": effects(), "regressions": regressions(), "shares": shares(),
    }
    # A line a case.
    text = lambda v: "[\n" + ",\n".join(json.dumps(case) for case in v) + "\n]" if isinstance(v, list) else json.dumps(v)
    parts = ",\n".join(f"{json.dumps(key)}: {text(value)}" for key, value in oracle.items())
    (HERE / "more.json").write_text("{\n" + parts + "\n}\n")
    path = HERE / "tails.tsv"
    kept = [line for line in path.read_text().splitlines() if line.split("\t")[0] in ("norm", "t")]
    assert len(kept) == 19, "rows that were there before"
    more = [f"{kind}\t{a!r}\t{b!r}\t{c!r}\t{mpmath.nstr(p, 17, min_fixed=1, max_fixed=0)}" for kind, a, b, c, p in tails()]
    path.write_text("\n".join(kept + more) + "\n")


if __name__ == "__main__":
    main()
