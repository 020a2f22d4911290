#include "chaosgrad/formula.h"

#include <array>

#include "problem/formula/formula_data.h"
#include "problem/formula/noise_facts.h"
#include "samples/parameters.h"

namespace chaosgrad::internal {

namespace {

Program second_derivatives(const FormulaData& data, const std::vector<Node>& slopes) {
  std::vector<Node> entries;
  for (const Node part : slopes) {
    const Index size = data.graph.shape(part).size();
    for (Index i = 0; i < size; ++i) {
      const Node slope = size == 1 ? part : data.graph.element(part, i);
      for (const Node entry : gradient(data.graph, slope, data.variables)) entries.push_back(entry);
    }
  }
  return Program(data.graph, entries, {}, data.domain.inside);
}

}  // namespace

const Program& FormulaData::hessian_program() const {
  std::call_once(hessian_made, [&] {
    const std::lock_guard lock(graph_grows);
    hessian_code = second_derivatives(*this, gradient);
  });
  return hessian_code;
}

const Program& FormulaData::expected_hessian_program() const {
  std::call_once(expected_hessian_made, [&] {
    const std::lock_guard lock(graph_grows);
    expected_hessian_code = second_derivatives(*this, expected->gradient);
  });
  return expected_hessian_code;
}

std::vector<Index> FormulaData::hessian_widths() const {
  std::vector<Index> widths;
  for (Index i = 0; i < dimension; ++i)
    widths.insert(widths.end(), variable_widths.begin(), variable_widths.end());
  return widths;
}

void FormulaData::fill_table(const Block& noise, Matrix& table) const {
  const Index count = noise.rows();
  for (std::size_t j = 0; j < finite.size(); ++j) {
    finite[j].quantile(noise.col(finite_source[j]).data(), table.col(static_cast<Index>(j)).data(),
                       count);
  }
  if (row_source < 0) return;
  choose_rows(rows, noise.col(row_source).data(), table.topRows(count).rightCols(rows.cols()));
}

void FormulaData::run(const Program& program, const std::vector<Index>& widths, const Block& x,
                      const Block& theta, const Block& noise, const Block& known,
                      BlockOut& out) const {
  Scratch& local = scratch.local();
  if (table_columns() > 0 && noise.rows() > 0) {
    if (local.table.rows() != block_size) local.table.resize(block_size, table_columns());
    fill_table(noise, local.table);
  }
  const Index count = theta.rows();
  const std::array<Block, 5> inputs = {
      x, theta, noise, local.table.topRows(local.table.rows() > 0 ? count : 0), known};
  std::vector<BlockOut>& outputs = local.outputs;
  outputs.clear();
  for (Index column = 0; const Index width : widths) {
    outputs.emplace_back(out.middleCols(column, width));
    column += width;
  }
  program.evaluate(inputs, outputs, local.workspace);
}

std::function<void(Block, BlockOut)> reference_of(std::shared_ptr<const FormulaData> data) {
  return [data = std::move(data)](Block theta, BlockOut x) {
    data->run(data->reference_program, data->variable_widths, Matrix(), theta, Matrix(), Matrix(),
              x);
  };
}

}  // namespace chaosgrad::internal

namespace chaosgrad {
using namespace internal;

FormulaProblem::FormulaProblem(const FormulaSpec& spec)
    : data_(std::make_shared<const FormulaData>(spec)) {}

Index FormulaProblem::dimension() const { return data_->dimension; }
const Measure& FormulaProblem::parameters() const { return data_->measure; }
Index FormulaProblem::noise_dimension() const { return data_->noise_dimension; }
const std::vector<std::string>& FormulaProblem::quantity_names() const {
  return data_->quantity_names;
}
const std::vector<std::string>& FormulaProblem::component_names() const {
  return data_->component_names;
}
const std::vector<std::string>& FormulaProblem::parameter_names() const {
  return data_->parameter_names;
}

ProblemFacts FormulaProblem::facts() const {
  ProblemFacts facts = data_->facts;
  facts.noise_shape = shared_noise_shape(data_);
  facts.expectation = shared_expectation(data_);
  if (data_->has_reference) facts.reference = reference_of(data_);
  return facts;
}

void FormulaProblem::gradient(const Block& x, const Block& theta, const Block& noise,
                              BlockOut g) const {
  data_->run(data_->gradient_program, data_->variable_widths, x, theta, noise, noise, g);
}

void FormulaProblem::gradient(const Block& x, const Block& theta, const Block& noise,
                              const Block& known, BlockOut g) const {
  data_->run(data_->known_gradient_program, data_->variable_widths, x, theta, noise, known, g);
}

void FormulaProblem::value(Block x, Block theta, Block noise, BlockOut values) const {
  data_->run(data_->value_program, {1}, x, theta, noise, noise, values);
}

bool FormulaProblem::has_hessian() const { return data_->dimension <= FormulaData::hessian_limit; }

void FormulaProblem::hessian(Block x, Block theta, Block noise, BlockOut h) const {
  data_->run(data_->hessian_program(), data_->hessian_widths(), x, theta, noise, noise, h);
}

void FormulaProblem::quantities(Block x, Block theta, Block noise, BlockOut values) const {
  data_->run(data_->quantity_program, data_->quantity_widths, x, theta, noise, noise, values);
}

}  // namespace chaosgrad
