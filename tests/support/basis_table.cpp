// Prints values of one-dimensional orthonormal families for tests in other languages.
// Input, one request per line:  <family> <parameters…> <degree> <t…>
//   family: a distribution as in problem files, or "fourier" (lower, upper); discrete takes:
//   <count> <values…> <weights…>
// Output, one line per t: B_0(t) … B_degree(t).
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "chaosgrad/basis.h"
#include "chaosgrad/error.h"
#include "measure/distribution_table.h"

namespace {

using namespace chaosgrad;
using namespace chaosgrad::internal;

double number(std::istream& in) {
  std::string word;  // operator>> for double does not read "inf"
  if (!(in >> word)) throw InputError("", "a number is missing");
  return std::stod(word);
}

Distribution read_discrete(std::istream& in) {
  Discrete result;
  const auto count = static_cast<std::size_t>(number(in));
  for (std::size_t i = 0; i < count; ++i) result.values.push_back(number(in));
  for (std::size_t i = 0; i < count; ++i) result.weights.push_back(number(in));
  return result;
}

Family read_family(std::istream& in) {
  std::string name;
  in >> name;
  if (name == "discrete") return Family(read_discrete(in));
  const bool fourier = name == "fourier";
  const DistributionEntry* entry = find_distribution(fourier ? "uniform" : name);
  if (!entry || !entry->make) throw InputError("family", "unknown: " + name);
  std::vector<double> arguments;
  for (std::size_t i = 0; i < entry->arguments.size(); ++i) arguments.push_back(number(in));
  return Family(entry->make(arguments), fourier ? Family::Kind::fourier : Family::Kind::polynomial);
}

void answer(const std::string& request) {
  std::istringstream in(request);
  const Family family = read_family(in);
  const auto degree = static_cast<Index>(number(in));
  std::vector<double> t;
  for (std::string word; in >> word;) t.push_back(std::stod(word));
  Matrix values(static_cast<Index>(t.size()), degree + 1);
  family.values(t.data(), values.rows(), values);
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index n = 0; n <= degree; ++n)
      std::printf("%.17g%c", values(i, n), n < degree ? ' ' : '\n');
  }
}

}  // namespace

int main() {
  try {
    for (std::string line; std::getline(std::cin, line);) answer(line);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
  return 0;
}
