// The partial derivatives of every operation.
#include <cmath>
#include <numbers>

#include "expression/derivatives/reverse_sweep.h"

namespace chaosgrad::internal {

void ReverseSweep::hand_on_arithmetic(Op op, Node node, Node a, Node b) {
  switch (op) {
    case Op::add:
      contribute(a, adjoint_);
      contribute(b, adjoint_);
      break;
    case Op::subtract:
      contribute(a, adjoint_);
      if (active(b)) contribute(b, make_(Op::negate, {adjoint_}));
      break;
    case Op::masked_multiply:
      masked_ = true;
      [[fallthrough]];
    case Op::multiply:
      contribute_product(a, b);
      contribute_product(b, a);
      break;
    case Op::divide: {
      const Node quotient = over(adjoint_, b);
      contribute(a, quotient);
      if (active(b)) contribute(b, make_(Op::negate, {times(quotient, node)}));
      break;
    }
    case Op::power:
      if (active(a)) {
        const Node lower = make_(Op::power, {a, make_(Op::subtract, {b, make_(1)})});
        contribute_product(a, make_(Op::multiply, {b, lower}));
      }
      if (active(b)) {  // a^b log a, and 0 at a = 0
        const Node positive = make_(Op::greater, {a, make_(0)});
        const Node log = make_(Op::log, {make_(Op::select, {positive, a, make_(1)})});
        contribute_product(b, make_(Op::multiply, {node, log}));
      }
      break;
    case Op::min:
    case Op::max: {
      const Node first = make_(op == Op::min ? Op::less_equal : Op::greater_equal, {a, b});
      contribute_branch(first, a, true);
      contribute_branch(first, b, false);
      break;
    }
    case Op::huber: {  // t kept between −δ and δ; the rest of |t|
      const Node clipped = make_(Op::max, {make_(Op::min, {a, b}), make_(Op::negate, {b})});
      contribute_product(a, clipped);
      if (active(b)) {
        const Node beyond = make_(Op::subtract, {make_(Op::abs, {a}), b});
        contribute_product(b, make_(Op::max, {beyond, make_(0)}));
      }
      break;
    }
    default:
      break;  // comparisons and logic are piecewise constant
  }
}

void ReverseSweep::hand_on_function(Op op, Node node, Node a) {
  const auto square = [&](Node x) { return make_(Op::multiply, {x, x}); };
  const auto plus = [&](double constant, Node x) { return make_(Op::add, {make_(constant), x}); };
  const auto one_minus = [&](Node x) { return make_(Op::subtract, {make_(1), x}); };
  switch (op) {
    case Op::negate:
      contribute(a, make_(Op::negate, {adjoint_}));
      break;
    case Op::sin:
      contribute_product(a, make_(Op::cos, {a}));
      break;
    case Op::cos:
      contribute_product(a, make_(Op::negate, {make_(Op::sin, {a})}));
      break;
    case Op::tan:
      contribute_product(a, plus(1, square(node)));
      break;
    case Op::asin:
    case Op::acos: {  // ±1/√((1 − a)(1 + a))
      const Node root = make_(Op::sqrt, {make_(Op::multiply, {one_minus(a), plus(1, a)})});
      const Node value = over(adjoint_, root);
      contribute(a, op == Op::asin ? value : make_(Op::negate, {value}));
      break;
    }
    case Op::atan:
      contribute(a, over(adjoint_, plus(1, square(a))));
      break;
    case Op::sinh:
      contribute_product(a, make_(Op::cosh, {a}));
      break;
    case Op::cosh:
      contribute_product(a, make_(Op::sinh, {a}));
      break;
    case Op::tanh:  // 1/cosh², as 1 − tanh² has no digits left for large arguments
      contribute_product(a, square(make_(Op::divide, {make_(1), make_(Op::cosh, {a})})));
      break;
    case Op::exp:
      contribute_product(a, node);
      break;
    case Op::log:
      contribute(a, over(adjoint_, a));
      break;
    case Op::sqrt:
      contribute(a, over(make_(Op::multiply, {make_(0.5), adjoint_}), node));
      break;
    case Op::abs:
      contribute_product(a, make_(Op::sign, {a}));
      break;
    case Op::erf: {
      const Node decay = make_(Op::exp, {make_(Op::negate, {square(a)})});
      contribute_product(a, make_(Op::multiply, {make_(2 * std::numbers::inv_sqrtpi), decay}));
      break;
    }
    case Op::normcdf:
      contribute_product(a, make_(Op::normal_pdf, {a}));
      break;
    case Op::normal_pdf:
      contribute_product(a, make_(Op::negate, {make_(Op::multiply, {a, node})}));
      break;
    case Op::logistic: {  // σ(a) σ(−a)
      const Node mirrored = make_(Op::logistic, {make_(Op::negate, {a})});
      contribute_product(a, make_(Op::multiply, {node, mirrored}));
      break;
    }
    case Op::softplus:
      contribute_product(a, make_(Op::logistic, {a}));
      break;
    default:
      break;  // sign, floor, ceil and not are piecewise constant
  }
}

void ReverseSweep::hand_on_whole(Op op, Node node, Node a, Node b) {
  const Node full = filled(adjoint_, current_shape_);
  current_shape_ = {};
  switch (op) {
    case Op::sum:
      contribute(a, adjoint_);
      break;
    case Op::dot:
      if (a == b) {
        contribute_product(a, make_(Op::multiply, {make_(2), a}));
        break;
      }
      contribute_product(a, b);
      contribute_product(b, a);
      break;
    case Op::norm2: {  // a/‖a‖, and 0 at 0
      const Node positive = make_(Op::greater, {node, make_(0)});
      const Node inverse = make_(Op::divide, {adjoint_, node});
      contribute(a, times(make_(Op::select, {positive, inverse, make_(0)}), a));
      break;
    }
    case Op::product:
      if (active(a)) {
        contribute(a, graph_.shape(b).cols == 1
                          ? make_(Op::outer, {full, b})
                          : make_(Op::product, {full, make_(Op::transpose, {b})}));
      }
      if (active(b)) contribute(b, make_(Op::product, {make_(Op::transpose, {a}), full}));
      break;
    case Op::solve: {  // with x = A⁻¹b and λ = A⁻ᵀx̄: b̄ = λ, Ā = −λxᵀ
      const Node lambda = make_(Op::solve, {make_(Op::transpose, {a}), full});
      contribute(b, lambda);
      if (active(a)) {
        const Node product = graph_.shape(b).cols == 1
                                 ? make_(Op::outer, {lambda, node})
                                 : make_(Op::product, {lambda, make_(Op::transpose, {node})});
        contribute(a, make_(Op::negate, {product}));
      }
      break;
    }
    case Op::transpose:
      contribute(a, make_(Op::transpose, {adjoint_}));
      break;
    case Op::outer:
      if (active(a)) contribute(a, make_(Op::product, {full, b}));
      if (active(b)) contribute(b, make_(Op::product, {make_(Op::transpose, {full}), a}));
      break;
    default:
      break;
  }
}

// Of the normal quantile 1/φ(z). The others have no closed form in their shapes: central
// differences of fourth order, f' ≈ (8 (f(h) − f(−h)) − (f(2h) − f(−2h)))/(12 h), with a step
// relative to the room the argument has; about 10 digits.
void ReverseSweep::hand_on_quantile(Op op, Node node) {
  std::vector<Node> arguments(data_.arguments_of(node).begin(), data_.arguments_of(node).end());
  if (op == Op::normal_quantile) {
    contribute(arguments[0], over(adjoint_, make_(Op::normal_pdf, {node})));
    return;
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Node centre = arguments[i];
    if (!active(centre)) continue;
    const Node room =
        i > 0 ? centre : make_(Op::multiply, {centre, make_(Op::subtract, {make_(1), centre})});
    const Node step = make_(Op::multiply, {make_(0x1p-10), room});
    const auto difference = [&](double steps) {
      const Node shift = make_(Op::multiply, {make_(steps), step});
      arguments[i] = make_(Op::add, {centre, shift});
      const Node above = graph_.apply(op, arguments);
      arguments[i] = make_(Op::subtract, {centre, shift});
      const Node below = graph_.apply(op, arguments);
      arguments[i] = centre;
      return make_(Op::subtract, {above, below});
    };
    const Node numerator =
        make_(Op::subtract, {make_(Op::multiply, {make_(8), difference(1)}), difference(2)});
    contribute_product(centre,
                       make_(Op::divide, {numerator, make_(Op::multiply, {make_(12), step})}));
  }
}

}  // namespace chaosgrad::internal
