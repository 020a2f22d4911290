#include "problem/coded/problems.h"

namespace chaosgrad::internal {
namespace {

// s′ = Ks + bx with K = [0 1; −k/m −c/m], b = (0, 1/m). The midpoint rule gives
// Φ = (I − hK/2)⁻¹(I + hK/2) and Γ = (I − hK/2)⁻¹hb; with e = h/2 the determinant of I − eK is
// δ = 1 + e c/m + e² k/m.
struct Motion {
  Motion(Block theta, double h) {
    const double e = h / 2;
    const Eigen::ArrayXd mass = theta.col(0).array();
    const Eigen::ArrayXd damping = theta.col(1).array() / mass;
    const Eigen::ArrayXd stiffness = theta.col(2).array() / mass;
    const Eigen::ArrayXd delta = 1 + e * damping + e * e * stiffness;
    yy = (1 + e * damping - e * e * stiffness) / delta;
    yv = h / delta;
    vy = -h * stiffness / delta;
    vv = (1 - e * damping - e * e * stiffness) / delta;
    push_y = e * h / mass / delta;
    push_v = h / mass / delta;
  }
  Eigen::ArrayXd yy, yv, vy, vv;  // Φ = [yy yv; vy vv]
  Eigen::ArrayXd push_y, push_v;  // Γ
};

// Bringing a damped oscillator to rest: m y″ + c y′ + k y = x(t), y(0) = 1, y′(0) = 0, with
// uncertain mass, damping and stiffness. The control x is constant on each of q intervals of length
// h = horizon/q; the state s = (y, y′) moves by the implicit midpoint rule, s_{j+1} = Φs_j + Γx_j:
//   F(x, θ) = h/2 Σ_{j=1}^{q} |s_j|² + hρ/2 Σ_{j=0}^{q−1} x_j².
class OscillatorControl {
 public:
  OscillatorControl(Index q, double horizon, double weight)
      : parameters_({Uniform{0.8, 1.2}, Uniform{0.1, 0.5}, Uniform{0.7, 1.3}}),
        q_(q),
        step_(horizon / static_cast<double>(q)),
        weight_(weight) {}

  [[nodiscard]] Index dimension() const { return q_; }
  [[nodiscard]] const Measure& parameters() const { return parameters_; }
  [[nodiscard]] Index noise_dimension() const { return 0; }

  // The states are affine in x, so that the Hessian is hρI and something positive semidefinite.
  [[nodiscard]] ProblemFacts facts() const {
    ProblemFacts facts;
    facts.strong_convexity = step_ * weight_;
    facts.reference = [problem = *this](Block theta, BlockOut x) { problem.reference(theta, x); };
    // Per interval 10 forwards, 5 for the gradient and 10 backwards; the motion about 20 before.
    facts.operations = 25 * static_cast<double>(q_) + 20;
    return facts;
  }

  [[nodiscard]] std::vector<std::string> parameter_names() const {
    return {"mass", "damping", "stiffness"};
  }

  [[nodiscard]] std::vector<VariableSpec> variables() const {
    return {{.name = "x", .is_vector = true, .start = Vector::Zero(q_)}};
  }

  // The adjoint: p_q = h s_q, p_j = h s_j + Φᵀp_{j+1}, and ∂F/∂x_j = hρ x_j + Γᵀp_{j+1}.
  void gradient(Block x, Block theta, Block /*noise*/, BlockOut g) const {
    const Motion motion(theta, step_);
    const Index count = x.rows();
    Eigen::ArrayXXd y(count, q_ + 1), v(count, q_ + 1);
    y.col(0).setOnes();
    v.col(0).setZero();
    for (Index j = 0; j < q_; ++j) {
      y.col(j + 1) = motion.yy * y.col(j) + motion.yv * v.col(j) + motion.push_y * x.col(j).array();
      v.col(j + 1) = motion.vy * y.col(j) + motion.vv * v.col(j) + motion.push_v * x.col(j).array();
    }
    Eigen::ArrayXd py = step_ * y.col(q_), pv = step_ * v.col(q_), next_py(count);
    for (Index j = q_; j-- > 0;) {
      g.col(j) = (step_ * weight_ * x.col(j).array() + motion.push_y * py + motion.push_v * pv);
      next_py = step_ * y.col(j) + motion.yy * py + motion.vy * pv;
      pv = step_ * v.col(j) + motion.yv * py + motion.vv * pv;
      py = next_py;
    }
  }

  void value(Block x, Block theta, Block /*noise*/, BlockOut values) const {
    const Motion motion(theta, step_);
    Eigen::ArrayXd y = Eigen::ArrayXd::Ones(x.rows()), v = Eigen::ArrayXd::Zero(x.rows()), next_y;
    Eigen::ArrayXd sum = weight_ * x.rowwise().squaredNorm().array();
    for (Index j = 0; j < q_; ++j) {
      next_y = motion.yy * y + motion.yv * v + motion.push_y * x.col(j).array();
      v = motion.vy * y + motion.vv * v + motion.push_v * x.col(j).array();
      y = next_y;
      sum += y.square() + v.square();
    }
    values.col(0) = 0.5 * step_ * sum;
  }

  // F is quadratic in x: ∇²F e_i is the gradient of its homogeneous part at e_i, the difference of
  // two gradients.
  void hessian(Block x, Block theta, Block noise, BlockOut h) const {
    Matrix unit = Matrix::Zero(x.rows(), q_), at_zero(x.rows(), q_);
    gradient(unit, theta, noise, at_zero);
    for (Index i = 0; i < q_; ++i) {
      unit.col(i).setOnes();
      gradient(unit, theta, noise, h.middleCols(i * q_, q_));
      h.middleCols(i * q_, q_) -= at_zero;
      unit.col(i).setZero();
    }
  }
  [[nodiscard]] bool has_hessian() const { return q_ <= hessian_limit; }

  // The Riccati recursion backwards, P_q = hI and
  //   K_j = (hρ + ΓᵀP_{j+1}Γ)⁻¹ ΓᵀP_{j+1}Φ,  P_j = hI + ΦᵀP_{j+1}(Φ − ΓK_j),
  // then x_j = −K_j s_j forwards.
  void reference(Block theta, BlockOut x) const {
    const Motion motion(theta, step_);
    std::vector<Eigen::RowVector2d> feedback(static_cast<std::size_t>(q_));
    for (Index i = 0; i < theta.rows(); ++i) {
      Eigen::Matrix2d phi, p = step_ * Eigen::Matrix2d::Identity();
      phi << motion.yy(i), motion.yv(i), motion.vy(i), motion.vv(i);
      const Eigen::Vector2d gamma(motion.push_y(i), motion.push_v(i));
      for (auto k = feedback.rbegin(); k != feedback.rend(); ++k) {
        const Eigen::RowVector2d pushed = gamma.transpose() * p;
        *k = pushed * phi / (step_ * weight_ + pushed * gamma);
        const Eigen::Matrix2d moved = p * (phi - gamma * *k);
        p = step_ * Eigen::Matrix2d::Identity() + phi.transpose() * moved;
      }
      Eigen::Vector2d state(1, 0);
      for (Index j = 0; j < q_; ++j) {
        x(i, j) = -feedback[static_cast<std::size_t>(j)].dot(state);
        state = phi * state + gamma * x(i, j);
      }
    }
  }

 private:
  Measure parameters_;
  Index q_;
  double step_, weight_;  // h, ρ
};

}  // namespace

CodedProblem oscillator_control(Index q, double horizon, double weight,
                                const QuantitySpec& quantities) {
  return CodedProblem(OscillatorControl(q, horizon, weight), quantities);
}

}  // namespace chaosgrad::internal
