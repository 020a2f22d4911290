#include "expression/convexity/kink_sums.h"

#include <algorithm>
#include <cmath>

#include "expression/graph/polynomial.h"

namespace chaosgrad::internal {
namespace {

// Origin: about half a second; two formulas of 200 kinks in 200 variables make 160,000.
constexpr Index most_terms = 200000;

// A component of the argument of a kink, which is factor times that of the first with the same
// place.
struct Place {
  std::size_t kink = 0;
  Index component = 0;
  double factor = 1;
};
using Places = std::vector<Place>;

// An argument multiplied out.
using Coefficients = std::vector<double>;
using Support = std::vector<Monomial>;

std::pair<Support, Coefficients> without_zeros(const Polynomial& polynomial) {
  std::pair<Support, Coefficients> result;
  for (const auto& [monomial, terms] : polynomial) {
    double sum = 0;  // a number each, see every_slot
    for (const auto& [node, factor] : terms) sum += factor;
    if (sum == 0) continue;
    result.first.push_back(monomial);
    result.second.push_back(sum);
  }
  return result;
}

// f with b = f a; none: 0.
double common_factor(const Coefficients& a, const Coefficients& b) {
  constexpr double rounding = 1e-13;
  const double factor = b[0] / a[0];
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!(std::abs(b[i] - factor * a[i]) <= rounding * std::abs(b[i]))) return 0;
  }
  return factor;
}

// By place.
std::vector<Places> find_places(Graph& graph, std::span<const AffineKink> kinks) {
  std::vector<Node> arguments;
  for (const AffineKink& kink : kinks) arguments.push_back(kink.argument);
  const auto expanded = as_polynomials(graph, arguments, every_slot, most_terms);
  if (!expanded) return {};
  struct Group {
    Coefficients first;
    Places places;
  };
  std::map<Support, std::vector<Group>> groups;
  for (std::size_t k = 0; k < kinks.size(); ++k) {
    for (Index i = 0; i < static_cast<Index>((*expanded)[k].size()); ++i) {
      const auto [support, own] = without_zeros((*expanded)[k][static_cast<std::size_t>(i)]);
      std::vector<Group>& alike = groups[support];
      double factor = 0;
      for (Group& group : alike) {
        if (!own.empty()) factor = common_factor(group.first, own);
        if (factor == 0) continue;
        group.places.push_back({k, i, factor});
        break;
      }
      if (factor == 0) alike.push_back({own, {{k, i, 1}}});
    }
  }
  std::vector<Places> result;
  for (auto& [support, alike] : groups) {
    for (Group& group : alike) result.push_back(std::move(group.places));
  }
  return result;
}

class KinkAdder {
 public:
  KinkAdder(Graph& graph, std::span<const AffineKink> kinks, const AcceptWeight& accept)
      : graph_(graph),
        make_{graph, {}},
        kinks_(kinks),
        accept_(accept),
        terms_(kinks.size()),
        rests_(kinks.size()) {}

  KinkSums add_up() {
    const std::vector<Places> all = find_places(graph_, kinks_);
    std::vector<bool> together(all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      together[i] = should_add(all[i]);
      for (const Place& place : together[i] ? all[i] : Places()) begin(place.kink);
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (together[i]) {
        add(all[i]);
        continue;
      }
      for (const Place& place : all[i]) {
        const Places alone = {{place.kink, place.component, 1}};
        if (!rests_[place.kink].empty() && accept_(kinks_[place.kink], weight(alone))) add(alone);
      }
    }
    return result();
  }

 private:
  struct Part {
    Node argument, weight;
  };

  Node component(Node node, Index i) { return graph_.element(node, at(node, i), make_.span); }
  Index at(Node node, Index i) const { return graph_.shape(node).is_scalar() ? 0 : i; }

  // Σ |f_i| w_i
  Node weight(const Places& places) {
    Node total = make_(0);
    for (const Place& place : places) {
      const AffineKink& kink = kinks_[place.kink];
      const Node own = make_(
          Op::multiply, {make_(std::abs(place.factor)), component(kink.weight, place.component)});
      total = make_(Op::add, {total, own});
    }
    return total;
  }

  bool should_add(const Places& places) {
    const auto is_sure = [&](const Place& place) { return kinks_[place.kink].sign_known; };
    return places.size() > 1 && !std::ranges::all_of(places, is_sure) &&
           accept_(kinks_[places[0].kink], weight(places));
  }

  // All components of the function are left, until some are added.
  void begin(std::size_t k) {
    if (!rests_[k].empty()) return;
    const Node function = kinks_[k].function;
    for (Index i = 0; i < graph_.shape(function).size(); ++i)
      rests_[k].push_back(component(function, i));
  }

  // With c = f ĉ: below + step f max(ĉ, 0) for f > 0, above − step f max(ĉ, 0) for f < 0.
  void add(const Places& places) {
    const Place& first = places[0];
    for (const Place& place : places) {
      const AffineKink& kink = kinks_[place.kink];
      rests_[place.kink][static_cast<std::size_t>(place.component)] =
          component(place.factor > 0 ? kink.below : kink.above, place.component);
    }
    const Node total = weight(places);
    if (graph_.constant_value(total) == Matrix::Zero(1, 1)) return;
    terms_[first.kink][first.component] = {component(kinks_[first.kink].argument, first.component),
                                           total};
  }

  // The terms of one function are a vector again.
  KinkSums result() {
    KinkSums sums;
    for (std::size_t k = 0; k < kinks_.size(); ++k) {
      const Shape shape = graph_.shape(kinks_[k].function);
      sums.rests.push_back(rests_[k].empty() ? Node{}
                                             : stack_as(graph_, rests_[k], shape, make_.span));
      if (terms_[k].empty()) continue;
      std::vector<Node> arguments, weights;
      for (const auto& [i, part] : terms_[k]) {
        arguments.push_back(part.argument);
        weights.push_back(part.weight);
      }
      const Shape size{static_cast<Index>(arguments.size()), 1};
      sums.terms.push_back({k, stack_as(graph_, arguments, size, make_.span),
                            stack_as(graph_, weights, size, make_.span)});
    }
    return sums;
  }

  Graph& graph_;
  Make make_;
  std::span<const AffineKink> kinks_;
  const AcceptWeight& accept_;
  std::vector<std::map<Index, Part>> terms_;  // by kink, by component
  std::vector<std::vector<Node>> rests_;      // by kink, by component; empty: it is left alone
};

}  // namespace

AffineKink affine_kink(Graph& graph, Node function, int slot, Node weight) {
  const GraphAccess::Data& data = GraphAccess::data(graph);
  const Make make{graph, data.entry(function).span};
  const Op op = data.op(function);
  const Node a = data.argument(function, 0);
  AffineKink kink{.function = function, .argument = a, .below = {}, .above = a, .weight = weight};
  if (op == Op::abs) {
    kink.below = make(Op::negate, {a});
    kink.weight = make(Op::multiply, {make(2), weight});
    return kink;
  }
  kink.below = data.argument(function, 1);
  if (!graph.depends_on(a, slot)) std::swap(kink.below, kink.above);
  if (op == Op::min) kink.weight = make(Op::negate, {weight});
  kink.argument = op == Op::max ? make(Op::subtract, {kink.above, kink.below})
                                : make(Op::subtract, {kink.below, kink.above});
  return kink;
}

KinkSums add_up_kinks(Graph& graph, std::span<const AffineKink> kinks, const AcceptWeight& accept) {
  if (std::ranges::all_of(kinks, &AffineKink::sign_known))
    return {{}, std::vector<Node>(kinks.size())};
  return KinkAdder(graph, kinks, accept).add_up();
}

}  // namespace chaosgrad::internal
