#pragma once
// The two kernels where there are many functions and components. Coefficients of a function are then
// far apart in memory, and all of them together larger than the caches: the loops of kernels.cpp,
// which take a few components for all functions and 16 samples at a time, would fetch each line of
// memory again and again. Here portions of functions and panels of components are dealt out to
// buffers that stay in the caches while all samples of the block pass over them. Every sum has the
// same terms in the same order, and so the same bits.
#include <vector>

#include "basis/kernel_tiles.h"

namespace chaosgrad::internal {

// Components of a line of memory.
inline constexpr Index panel_components = 64 / sizeof(double);
// Functions of a portion, unless a single group has more: with a panel 128 kB.
inline constexpr Index portion_functions = 2048;
// Whether portions are faster: where the coefficients are larger than the caches of a core, and if
// there are functions enough. At 2^18 coefficients they were not, at 2^20 they were.
[[nodiscard]] constexpr bool in_portions(Index functions, Index components, int together) {
  return functions >= portion_functions && components > together &&
         functions * components >= Index{1} << 19;
}

// The tabulated functions, or some groups.
struct Portion {
  bool tabulated = false;
  Index first_group = 0, end_group = 0;
  Index count = 0;  // functions
};

// Calls use(portion) for all portions of the first m functions, in the order of the sums.
template <class Use>
void for_each_portion(const BasisPlan& plan, Index m, const Use& use) {
  use(Portion{.tabulated = true, .count = plan.table_size(m)});
  const auto groups = static_cast<Index>(plan.groups.size());
  for (Index g = 0; g < groups;) {
    Portion portion{.first_group = g, .end_group = g};
    while (g < groups && plan.groups[length(g)].rows.front() < m) {
      const Index count = terms_of(plan.groups[length(g)], m).count;
      if (portion.count > 0 && portion.count + count > portion_functions) break;
      portion.count += count;
      portion.end_group = ++g;
    }
    if (portion.count == 0) return;
    use(portion);
  }
}

// Calls use(row) for the functions of a portion, as they follow each other in the buffers.
template <class Use>
void for_each_row(const BasisPlan& plan, Index m, const Portion& portion, const Use& use) {
  if (portion.tabulated)
    for (Index j = 0; j < portion.count; ++j) use(Index{plan.table[length(j)]});
  for (Index g = portion.first_group; g < portion.end_group; ++g) {
    const Terms<> terms = terms_of(plan.groups[length(g)], m);
    for (Index j = 0; j < terms.count; ++j) use(Index{terms.rows[j]});
  }
}

// Calls use(group, its terms with their rows in the buffers).
template <class Use>
[[gnu::always_inline]] inline void for_each_group(const BasisPlan& plan, Index m,
                                                  const Portion& portion, const Use& use) {
  Index row = 0;
  for (Index g = portion.first_group; g < portion.end_group; ++g) {
    const FactorGroup& group = plan.groups[length(g)];
    const Terms<> terms = terms_of(group, m);
    use(group, Terms<const std::int32_t*, CountFrom>{terms.columns, {row}, terms.count});
    row += terms.count;
  }
}

template <int components>
void expand_portion(const BasisBlock& psi, const Portion& portion, const double* buffer,
                    Index column, BlockOut& x) {
  for_each_strip(psi, [&](Index s, const double* table) {
    StripSums<components> sums;
    if (portion.tabulated)
      sums.add(table, ConsecutiveTerms{{0}, {0}, portion.count}, buffer, components);
    else
      sums.read(x, s * strip_samples, column);
    for_each_group(psi.plan(), psi.functions(), portion,
                   [&](const FactorGroup& group, const auto& terms) {
                     StripSums<components> inner;
                     inner.add(table, terms, buffer, components);
                     sums.add_times(Strip::load(table + group.left * BasisBlock::tile), inner, 0);
                   });
    sums.write(x, s * strip_samples, column);
  });
}

template <int components>
void project_portion(const BasisBlock& psi, const Portion& portion, const Block& g,
                     const double* factors, Index column, double* buffer) {
  const Rows<double> sums{buffer, components};
  const Weights<components> weights(g, factors, column);
  if (portion.tabulated)
    project_terms(psi, ConsecutiveTerms{{0}, {0}, portion.count}, weights, sums);
  for_each_group(psi.plan(), psi.functions(), portion,
                 [&](const FactorGroup& group, const auto& terms) {
                   Weights<components> product;
                   product.set_product(psi, group.left, weights);
                   project_terms(psi, terms, product, sums);
                 });
}

// x = Ψu. `largest`: components that are worked on together.
template <int largest>
void expand_portions(const BasisBlock& psi, const Coefficients& u, BlockOut& x) {
  const BasisPlan& plan = psi.plan();
  const Index m = psi.functions(), q = u.cols();
  std::vector<double> buffer;
  for_each_portion(plan, m, [&](const Portion& portion) {
    for (Index panel = 0; panel < q; panel += panel_components) {
      const Index width = std::min(panel_components, q - panel);
      buffer.resize(length(portion.count * width));
      Index i = 0;
      for_each_row(plan, m, portion, [&](Index row) {
        in_chunks<largest>(width, [&]<int n>(Index first) {
          for (int c = 0; c < n; ++c)
            buffer[length(first * portion.count + i * n + c)] = u(row, panel + first + c);
        });
        ++i;
      });
      in_chunks<largest>(width, [&]<int n>(Index first) {
        expand_portion<n>(psi, portion, buffer.data() + first * portion.count, panel + first, x);
      });
    }
  });
}

// sums += Ψᵀ g.
template <int largest>
void project_portions(const BasisBlock& psi, const Block& g, const double* factors,
                      Coefficients& sums) {
  const BasisPlan& plan = psi.plan();
  const Index m = psi.functions(), q = sums.cols();
  std::vector<double> buffer;
  for_each_portion(plan, m, [&](const Portion& portion) {
    for (Index panel = 0; panel < q; panel += panel_components) {
      const Index width = std::min(panel_components, q - panel);
      buffer.assign(length(portion.count * width), 0.0);
      in_chunks<largest>(width, [&]<int n>(Index first) {
        project_portion<n>(psi, portion, g, factors, panel + first,
                           buffer.data() + first * portion.count);
      });
      Index i = 0;
      for_each_row(plan, m, portion, [&](Index row) {
        in_chunks<largest>(width, [&]<int n>(Index first) {
          for (int c = 0; c < n; ++c)
            sums(row, panel + first + c) += buffer[length(first * portion.count + i * n + c)];
        });
        ++i;
      });
    }
  });
}

}  // namespace chaosgrad::internal
