#include "io/store/store_lift.h"

#include <fmt/format.h>

#include "chaosgrad/error.h"
#include "io/store/store_basis.h"

namespace chaosgrad::internal {
namespace {

constexpr const char* kind_names[] = {"lower", "upper", "inequality", "equality", "kink"};

std::vector<double> as_list(const Vector& values) { return {values.begin(), values.end()}; }

Vector as_vector(const std::vector<double>& values) {
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

Constraint::Kind kind_of(const std::string& name, const std::string& path) {
  for (std::size_t k = 0; k < std::size(kind_names); ++k) {
    if (name == kind_names[k]) return static_cast<Constraint::Kind>(k);
  }
  throw IoError(fmt::format("{}: has a constraint of the unknown kind '{}'", path, name));
}

void write_list(Hdf5Writer& store, const std::vector<Constraint>& list) {
  std::vector<std::string> names, kinds;
  std::vector<std::int64_t> places;  // first, count, norm, affine, is_list
  for (const Constraint& one : list) {
    names.push_back(one.name);
    kinds.emplace_back(kind_names[static_cast<std::size_t>(one.kind)]);
    for (const std::int64_t value :
         {static_cast<std::int64_t>(one.first), static_cast<std::int64_t>(one.count),
          std::int64_t{one.norm}, std::int64_t{one.affine}, std::int64_t{one.is_list}})
      places.push_back(value);
  }
  store.texts("constraints/names", names);
  store.texts("constraints/kinds", kinds);
  store.integers("constraints/places", places, static_cast<Index>(list.size()), 5);
}

std::vector<Constraint> read_list(const Hdf5Reader& store, const std::string& path) {
  const std::vector<std::string> names = store.texts("constraints/names"),
                                 kinds = store.texts("constraints/kinds");
  const std::vector<std::int64_t> places = store.integers("constraints/places");
  std::vector<Constraint> list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::int64_t* place = places.data() + 5 * i;
    list.push_back({.name = names[i],
                    .kind = kind_of(kinds[i], path),
                    .first = place[0],
                    .count = place[1],
                    .norm = place[2] != 0,
                    .affine = place[3] != 0,
                    .is_list = place[4] != 0});
  }
  return list;
}

void write_linear(Hdf5Writer& store, const LinearConstraints& linear) {
  const LinearConstraints::Parts parts = linear.parts();
  store.vector("constraints/lower", as_list(parts.lower));
  store.vector("constraints/upper", as_list(parts.upper));
  store.matrix("constraints/A", parts.A);
  store.vector("constraints/b", as_list(parts.b));
  store.vector("constraints/least", as_list(parts.least));
  store.vector("constraints/most", as_list(parts.most));
}

LinearConstraints read_linear(const Hdf5Reader& store, const std::string& path) {
  return LinearConstraints({.lower = as_vector(store.vector("constraints/lower")),
                            .upper = as_vector(store.vector("constraints/upper")),
                            .A = store.matrix("constraints/A"),
                            .b = as_vector(store.vector("constraints/b")),
                            .least = as_vector(store.vector("constraints/least")),
                            .most = as_vector(store.vector("constraints/most")),
                            .list = read_list(store, path)});
}

}  // namespace

void write_lift(Hdf5Writer& store, const Measure& measure, const Lift& lift) {
  write_basis(store, "lift/", measure, lift.basis(), lift.factor().rows());
  store.matrix("lift/factor", lift.factor());
  write_list(store, lift.constraints().list());
  if (const auto* linear = dynamic_cast<const LinearConstraints*>(&lift.constraints()))
    write_linear(store, *linear);
}

std::shared_ptr<const Lift> read_lift(const Hdf5Reader& store, const Measure& measure,
                                      std::shared_ptr<const Constraints> constraints,
                                      const std::string& path) {
  if (!store.has("lift")) return {};
  if (!constraints && store.has("constraints/A"))
    constraints = std::make_shared<const LinearConstraints>(read_linear(store, path));
  if (!constraints) {
    throw IoError(fmt::format(
        "{}: x is constrained by C++ code, which a store does not hold: give the constraints of "
        "the problem to load()",
        path));
  }
  const Coefficients factor = store.matrix("lift/factor");
  const Index q = constraints->dimension();
  if (factor.cols() != q * (q + 1) / 2) {
    throw IoError(fmt::format("{}: expected constraints on {} components, found {}", path,
                              store.matrix("coefficients").cols(), q));
  }
  return std::make_shared<const Lift>(std::move(constraints), read_basis(store, "lift/", measure),
                                      factor);
}

}  // namespace chaosgrad::internal
