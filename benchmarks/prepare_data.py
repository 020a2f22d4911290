#!/usr/bin/python3
"""Makes the data files that problems here and in examples/ use, from the raw tables in examples/data.

Usage: benchmarks/prepare_data.py   (writes the files that are committed; run it again after a change)

examples/data/eu_returns.csv              daily log returns in percent, 100 log(p_t/p_(t-1)), four decimals
benchmarks/problems/data/diabetes_standard.csv   every column minus its mean over its standard deviation, six decimals
benchmarks/problems/data/ridge_gram.csv, ridge_moment.csv      A'A/n and A'b/n of that table (b: progression)
benchmarks/problems/data/portfolio_covariance.csv, portfolio_mean.csv   of the returns
The moments are those of the rounded tables, so that rows drawn from a table have exactly these expectations.
"""
import pathlib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent
RAW, DATA = ROOT / "examples" / "data", ROOT / "benchmarks" / "problems" / "data"


def read(path):
    with open(path) as file:
        names = [name.strip('"') for name in file.readline().strip().split(",")]
        return names, np.loadtxt(file, delimiter=",")


def write(path, table, names=None, form="%.17g"):
    header = ",".join(names) if names else ""
    np.savetxt(path, table, fmt=form, delimiter=",", header=header, comments="")


def main():
    DATA.mkdir(exist_ok=True)
    names, prices = read(RAW / "eu_stock_markets.csv")
    returns = np.round(100 * np.diff(np.log(prices), axis=0), 4)
    write(RAW / "eu_returns.csv", returns, names, "%.4f")
    write(DATA / "portfolio_covariance.csv", np.cov(returns.T, bias=True))
    write(DATA / "portfolio_mean.csv", returns.mean(axis=0))

    names, table = read(RAW / "diabetes.csv")
    standard = np.round((table - table.mean(axis=0)) / table.std(axis=0), 6)
    write(DATA / "diabetes_standard.csv", standard, names, "%.6f")
    A, b = standard[:, :-1], standard[:, -1]
    write(DATA / "ridge_gram.csv", A.T @ A / len(A))
    write(DATA / "ridge_moment.csv", A.T @ b / len(A))


if __name__ == "__main__":
    main()
