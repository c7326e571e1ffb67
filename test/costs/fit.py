"""Fits the cost of a unit of each kind of work to measured convolutions.

Reads the output of //mace/cpu:conv_costs_bench, where costs are in multiply-adds at the CPU's
peak, and prints, for each instruction set, a row of the table in mace/cpu/conv/conv_cost.cc and the
errors of the fit. It minimizes the squares of relative errors, so that small layers count as much
as large ones; costs are at least 0.
"""

# SPDX-License-Identifier: Apache-2.0

import csv
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

KINDS = ("products", "filter_bytes", "transforms", "sums")


def fit(work: np.ndarray, cost: np.ndarray) -> np.ndarray:
    """Returns the nonnegative x for which (work @ x) / cost is closest to 1.

    `work` has the shape [measurements, kinds]. There are few kinds, so every subset with a cost
    above 0 is tried.
    """
    scaled = work / cost[:, None]
    best, least = np.zeros(work.shape[1]), float(len(cost))
    for chosen in range(1, 2 ** work.shape[1]):
        kinds = [i for i in range(work.shape[1]) if chosen >> i & 1]
        x = np.zeros(work.shape[1])
        x[kinds] = np.linalg.lstsq(scaled[:, kinds], np.ones(len(cost)), rcond=None)[0]
        error = float(np.sum((scaled @ x - 1) ** 2))
        if (x >= 0).all() and error < least:
            best, least = x, error
    return best


def regrets(rows: list[dict[str, str]], predicted: np.ndarray) -> list[float]:
    """By layer: the share of time by which the predicted method is slower than the fastest."""
    layers: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for row, cost in zip(rows, predicted, strict=True):
        layers[row["layer"]].append((cost, float(row["cost"])))
    return [min(methods)[1] / min(cost for _, cost in methods) - 1
            for methods in layers.values()]


def report(isa: str, rows: list[dict[str, str]]) -> str:
    work = np.array([[float(row[kind]) for kind in KINDS] for row in rows])
    cost = np.array([float(row["cost"]) for row in rows])
    costs = fit(work, cost)
    predicted = work @ costs
    errors = np.abs(predicted / cost - 1)
    lost = regrets(rows, predicted)
    units = ", ".join(f"{kind} {x:.2f}" for kind, x in zip(KINDS, costs, strict=True))
    return (
        f"{isa}: {units}\n"
        f"  {len(rows)} measurements: median error {np.median(errors):.0%}, "
        f"largest {errors.max():.0%}\n"
        f"  {len(lost)} layers: the choice loses {np.mean(lost):.1%} on average, "
        f"{max(lost):.0%} at most"
    )


def main(path: Path) -> None:
    by_isa: dict[str, list[dict[str, str]]] = defaultdict(list)
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            by_isa[row["isa"]].append(row)
    for isa, rows in by_isa.items():
        print(report(isa, rows))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: fit.py FILE.csv")
    main(Path(sys.argv[1]))
