"""Solves programs that qp_test wrote with cvxopt's interior-point method and compares.

Exit code 1, with the program, where the values or the points differ.
"""

import sys
from array import array

from cvxopt import matrix, solvers

solvers.options.update(show_progress=False, abstol=1e-10, reltol=1e-10, feastol=1e-10)

with open(sys.argv[1], "rb") as file:
    data = array("d", file.read())
at = 0


def take(rows, columns=1):
    """The next matrix of the file; columns lie one after the other, as cvxopt's do."""
    global at
    values = matrix(data[at : at + rows * columns], (rows, columns), "d")
    at += rows * columns
    return values


count, worst_value, worst_point = 0, 0.0, 0.0
while at < len(data):
    n, equalities, inequalities = (int(x) for x in take(3))
    hessian, gradient = take(n, n), take(n)
    e, e_at = take(n, equalities), take(equalities)
    a, a_at = take(n, inequalities), take(inequalities)
    ours = take(n)
    arguments = {}
    if inequalities:
        arguments.update(G=-a.T, h=a_at)
    if equalities:
        arguments.update(A=e.T, b=-e_at)
    found = solvers.qp(hessian, gradient, **arguments)
    theirs = found["x"]

    def value(x):
        return (0.5 * x.T * hessian * x + gradient.T * x)[0]

    difference = abs(value(ours) - value(theirs)) / (1 + abs(value(theirs)))
    distance = max(abs(ours - theirs)) / (1 + max(abs(theirs)))
    if difference > 1e-7 or distance > 1e-4:
        sys.exit(f"program {count} ({found['status']}): values differ by {difference}, points by {distance}")
    worst_value, worst_point = max(worst_value, difference), max(worst_point, distance)
    count += 1
if count != 10000:
    sys.exit(f"{count} programs instead of 10000")
print(f"{count} programs; values differ by {worst_value:.1e}, points by {worst_point:.1e} at most")
