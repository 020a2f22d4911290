#pragma once
// Problems whose F is computed elsewhere: by a server, by another program. Parameters, noise,
// bounds, constraints and quantities are formulas, as in any problem file.
#include <memory>
#include <string>
#include <vector>

#include "chaosgrad/formula.h"
#include "chaosgrad/problem.h"

namespace chaosgrad::internal {

// What computes F(x, θ, v) and ∇ₓF at rows of x (B×q), θ (B×d) and v (B×r). Thread-safe; the same
// inputs give the same bits. A row at which the model fails becomes NaN.
class ExternalModel {
 public:
  virtual ~ExternalModel() = default;
  virtual void gradient(const Block& x, const Block& theta, const Block& v, BlockOut g) const = 0;
  virtual void value(const Block& x, const Block& theta, const Block& v, BlockOut f) const = 0;
  // Calls that may be under way at a time.
  [[nodiscard]] virtual int parallel() const = 0;
  // Known after the first gradient.
  [[nodiscard]] virtual bool has_value() const = 0;
  // Why it failed at one row; empty if it did not.
  [[nodiscard]] virtual std::string explain(const Vector& x, const Vector& theta,
                                            const Vector& v) const = 0;
};

// How many numbers the model is given.
struct ExternalSizes {
  Index x = 0, theta = 0, v = 0;
};
[[nodiscard]] ExternalSizes external_sizes(const FormulaSpec& spec);

// Satisfies Problem. `spec.objective` is not used.
class ExternalProblem {
 public:
  ExternalProblem(const FormulaSpec& spec, std::shared_ptr<const ExternalModel> model);

  [[nodiscard]] Index dimension() const;
  [[nodiscard]] const Measure& parameters() const;
  [[nodiscard]] Index noise_dimension() const;
  [[nodiscard]] ProblemFacts facts() const;
  void gradient(const Block& x, const Block& theta, const Block& noise, BlockOut g) const;
  // No functions of the basis are shared with a model.
  void gradient(const Block& x, const Block& theta, const Block& noise, const Block& /*known*/,
                BlockOut g) const {
    gradient(x, theta, noise, g);
  }
  [[nodiscard]] bool has_value() const;
  void value(const Block& x, const Block& theta, const Block& noise, BlockOut f) const;
  [[nodiscard]] bool has_hessian() const { return false; }
  void hessian(const Block& /*x*/, const Block& /*theta*/, const Block& /*noise*/,
               BlockOut /*h*/) const {}
  [[nodiscard]] std::string explain(const Block& x, const Block& theta, const Block& noise) const;
  void quantities(const Block& x, const Block& theta, const Block& noise, BlockOut values) const;
  [[nodiscard]] const std::vector<std::string>& quantity_names() const;
  [[nodiscard]] const std::vector<std::string>& component_names() const;
  [[nodiscard]] const std::vector<std::string>& parameter_names() const;

  // The formulas at `points` samples, as those of a FormulaProblem; the model at the median of θ,
  // or, if it fails there, at two others. Throws FormulaError or InputError.
  void validate(Index points = 32) const;

 private:
  [[nodiscard]] Matrix noise_values(const Block& theta, const Block& noise) const;
  std::shared_ptr<const FormulaData> data_;
  std::shared_ptr<const ExternalModel> model_;
};

}  // namespace chaosgrad::internal
