#include "io/store/store_basis.h"

#include <fmt/format.h>

#include <algorithm>

namespace chaosgrad::internal {

void write_basis(Hdf5Writer& store, const std::string& folder, const Measure& measure,
                 const Basis& basis, Index m) {
  const Index d = basis.dimension();
  std::vector<std::int64_t> indices;
  std::vector<Index> degree(static_cast<std::size_t>(d), 0);
  for (Index i = 0; i < m; ++i) {
    const MultiIndex& index = basis.indices()[i];
    indices.insert(indices.end(), index.begin(), index.end());
    for (std::size_t k = 0; k < degree.size(); ++k)
      degree[k] = std::max<Index>(degree[k], index[k]);
  }
  store.integers(folder + "indices", indices, m, d);
  std::vector<std::string> kinds;
  for (std::size_t k = 0; k < degree.size(); ++k) {
    const Family& family = basis.families()[k];
    const bool polynomial = family.kind() == Family::Kind::polynomial;
    kinds.emplace_back(measure.is_logarithmic(static_cast<Index>(k)) ? "log"
                       : polynomial                                  ? "polynomial"
                                                                     : "fourier");
    if (!polynomial) continue;
    const Recurrence& recurrence = family.recurrence(degree[k]);
    const auto column = [&](const char* name, const Vector& values, Index count) {
      store.vector(fmt::format("{}basis/{}/{}", folder, k, name),
                   std::vector<double>(values.begin(), values.begin() + count));
    };
    column("a", recurrence.a, degree[k]);
    column("b", recurrence.b, degree[k] + 1);
    store.number(fmt::format("{}basis/{}/center", folder, k), recurrence.center);
    store.number(fmt::format("{}basis/{}/scale", folder, k), recurrence.scale);
  }
  store.texts(folder + "basis/kinds", kinds);
}

Basis read_basis(const Hdf5Reader& store, const std::string& folder, const Measure& measure) {
  const std::vector<std::int64_t> stored = store.integers(folder + "indices");
  const auto d = static_cast<std::ptrdiff_t>(measure.dimension());
  std::vector<MultiIndex> indices;
  for (auto row = stored.begin(); row != stored.end(); row += d) indices.emplace_back(row, row + d);
  std::vector<Family> families;
  const std::vector<std::string> kinds = store.texts(folder + "basis/kinds");
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    families.emplace_back(measure.germs()[k],
                          kinds[k] == "fourier" ? Family::Kind::fourier : Family::Kind::polynomial);
  }
  return {std::move(families), IndexSet::from(std::move(indices))};
}

}  // namespace chaosgrad::internal
