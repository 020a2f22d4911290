#include "problem/formula/row_pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "expression/convexity/kink_terms.h"
#include "problem/formula/formula_domain.h"

namespace chaosgrad::internal {
namespace {

// The kinks of c; norms are smooth where they are not 0, which is where they reach a limit.
SplitObjective split_row(FormulaData& data, Node c) {
  return split_kinks(
      data.graph, c, slot_x,
      [&](int slot, Index column, Index count) { return input_range(data, slot, column, count); },
      [](Graph& graph, const KinkCandidate& at) {
        const bool is_norm = at.other.id < 0 && !graph.shape(at.argument).is_scalar() &&
                             graph.shape(at.function).is_scalar();
        return !is_norm;
      });
}

// Every piece plus every branch of one component of a term.
void multiply_pieces(Graph& graph, const KinkTerm& term, Index i, std::vector<Node>& pieces) {
  const Node weight =
      graph.shape(term.weight).is_scalar() ? term.weight : graph.element(term.weight, i);
  const Node branch =
      graph.apply(Op::multiply, std::array{weight, graph.element(term.argument, i)}, term.span);
  std::vector<Node> all;
  for (const Node piece : pieces) {
    all.push_back(graph.apply(Op::add, std::array{piece, branch}, term.span));
    all.push_back(term.kind == KinkTerm::Kind::hinge
                      ? piece
                      : graph.apply(Op::subtract, std::array{piece, branch}, term.span));
  }
  pieces = std::move(all);
}

}  // namespace

Node smooth_pieces(FormulaData& data, Node c, const std::string& name, SourceSpan span) {
  Graph& graph = data.graph;
  const Index size = graph.shape(c).size();
  if (split_row(data, graph.apply(Op::sum, std::array{c})).terms.empty()) return c;
  std::vector<Node> all;
  for (Index i = 0; i < size; ++i) {
    const Node component = graph.element(c, i);
    const SplitObjective split = split_row(data, component);
    const bool sure = std::ranges::all_of(split.terms, &KinkTerm::sign_known);
    std::vector<Node> pieces = {sure ? split.smooth : component};
    for (const KinkTerm& term : split.terms) {
      for (Index k = 0; sure && k < graph.shape(term.argument).size(); ++k) {
        multiply_pieces(graph, term, k, pieces);
        if (pieces.size() <= most_pieces) continue;
        throw FormulaError(
            fmt::format("'{}' has too many kinks for a constraint: of each combination of their "
                        "sides a row is made, at most {}",
                        name, most_pieces),
            span);
      }
    }
    all.insert(all.end(), pieces.begin(), pieces.end());
  }
  return graph.apply(Op::stack, all, span);
}

}  // namespace chaosgrad::internal
