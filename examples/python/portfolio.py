"""A portfolio for every risk aversion at once: ten lines of numpy, a picture, and the closed form beside it."""
import matplotlib

matplotlib.use("Agg")
import numpy as np

import chaosgrad as cg

S = np.array([[0.10, 0.02, 0.01], [0.02, 0.08, 0.03], [0.01, 0.03, 0.12]])  # covariance of the returns
m = np.array([0.06, 0.05, 0.08])                                            # their means
sol = cg.solve(lambda w, gamma: gamma * (w @ S) - m, variables={"w": 3}, parameters={"gamma": cg.LogUniform(1, 10)},
               constraints=[cg.Linear(np.ones((1, 3)), 1, 1, name="budget")], tolerance=1e-5)
sol.plot().savefig("portfolio.png")
gamma = np.linspace(1, 10, 50)
inverse = np.linalg.inv(S)
price = ((inverse @ m).sum() - gamma) / inverse.sum()                       # of the budget: gamma S w = m - price
exact = ((m - price[:, None]) @ inverse) / gamma[:, None]
print(sol)
print("largest difference from the closed form:", abs(sol(gamma) - exact).max())
