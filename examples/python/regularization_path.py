"""The whole path of a regularised model, with its error bar: every weight of the penalty between two bounds at once.

`RegularizationPath` looks like an estimator of scikit-learn: fit(X, y), then coef_ at any weight, predict, and the
uncertainty of the coefficients over the weights. It is an example, to be copied and changed.
"""
import numpy as np

import chaosgrad as cg


class RegularizationPath:
    """Linear ("ridge") or logistic regression with the penalty weight/2 |w|², for all weights in [lower, upper].

    error_ is the error of the path in the norm of L2, over weights that are uniform in their logarithm.
    """

    def __init__(self, model="ridge", lower=1e-2, upper=1e2, tolerance=1e-4):
        self.model, self.lower, self.upper, self.tolerance = model, lower, upper, tolerance

    def fit(self, X, y):
        X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
        n = len(X)
        if self.model == "ridge":
            gram, moment = X.T @ X / n, X.T @ y / n

            def gradient(w, weight):
                return w @ gram - moment + weight / n * w
        elif self.model == "logistic":  # y is 0 or 1

            def gradient(w, weight):
                return (1 / (1 + np.exp(-(w @ X.T))) - y) @ X / n + weight / n * w
        else:
            raise ValueError(f"model: expected 'ridge' or 'logistic', found {self.model!r}")
        self.solution_ = cg.solve(gradient, variables={"w": X.shape[1]}, tolerance=self.tolerance,
                                  parameters={"weight": cg.LogUniform(self.lower, self.upper, basis="log")})
        self.error_ = float(self.solution_.error)
        return self

    def coef_(self, weight):
        """The coefficients: (features,) at one weight, (weights, features) at several."""
        return self.solution_(weight)

    def slope_(self, weight):
        """How they change with the weight."""
        return self.solution_.sensitivity(weight)[..., 0]

    def predict(self, X, weight):
        score = np.asarray(X) @ self.coef_(weight)
        return score if self.model == "ridge" else 1 / (1 + np.exp(-score))

    def plot(self, **how):
        figure = self.solution_.plot("curve", **how)
        figure.axes[0].set_xscale("log")
        return figure


if __name__ == "__main__":
    generator = np.random.default_rng(0)
    X = generator.normal(size=(200, 5))
    y = X @ np.array([3.0, -2.0, 0.0, 1.0, 0.5]) + generator.normal(size=200)
    path = RegularizationPath("ridge").fit(X, y)
    weights = np.geomspace(0.01, 100, 9)
    exact = np.array([np.linalg.solve(X.T @ X + weight * np.eye(5), X.T @ y) for weight in weights])
    print("error", path.error_, "; largest difference from the closed form", abs(path.coef_(weights) - exact).max())
    labels = (generator.random(200) < 1 / (1 + np.exp(-y))).astype(float)
    logistic = RegularizationPath("logistic", lower=0.1, upper=10).fit(X, labels)
    print("logistic:", logistic.solution_.status, "error", logistic.error_, logistic.coef_(1.0).round(3))
