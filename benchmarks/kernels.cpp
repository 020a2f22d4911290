// Time per basis value of the two hot kernels, beside what the machine can do: fused multiply-adds
// per second from registers, and bytes per second from each level of memory, measured in the same
// run on one thread. Usage: kernels [--json]
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "basis/kernels.h"
#include "chaosgrad/basis.h"
#include "numeric/pack.h"

namespace {

using namespace chaosgrad;
using namespace chaosgrad::internal;
using simd::Pack;

// Processor time of this thread: what others do on the machine does not count.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Seconds of one call: the least of many, over at least `budget` seconds.
template <class Function>
double least_seconds(Function&& function, double budget = 0.1) {
  double least = std::numeric_limits<double>::infinity();
  function();
  const double start = thread_seconds();
  for (int repeat = 0; repeat < 5 || thread_seconds() - start < budget; ++repeat) {
    const double before = thread_seconds();
    function();
    least = std::min(least, thread_seconds() - before);
  }
  return least;
}

void keep(const Pack& value) { asm volatile("" : : "v"(value)); }
void keep(const double* value) { asm volatile("" : : "r"(value) : "memory"); }

// Fused multiply-adds (per double) per second with everything in registers.
double fused_limit() {
  constexpr int chains = simd::registers == 32 ? 24 : 12;
  constexpr int steps = 20000;
  Pack sum[chains];
  const double seconds = least_seconds([&] {
    Pack factor = simd::broadcast(0.999999), term = simd::broadcast(1e-6);
    asm volatile("" : "+v"(factor), "+v"(term));
#pragma GCC unroll 32
    for (int c = 0; c < chains; ++c) sum[c] = simd::broadcast(c);
    for (int s = 0; s < steps; ++s) {
#pragma GCC unroll 32
      for (int c = 0; c < chains; ++c) sum[c] = simd::fma(sum[c], factor, term);
    }
#pragma GCC unroll 32
    for (int c = 0; c < chains; ++c) keep(sum[c]);
  });
  return double{chains} * steps * simd::width / seconds;
}

// Bytes per second read from a buffer of this size.
double read_bandwidth(Index bytes) {
  const Vector buffer = Vector::Constant(bytes / 8, 1.0);
  const Index passes = std::max<Index>(1, (Index{1} << 24) / bytes);
  const double seconds = least_seconds([&] {
    for (Index pass = 0; pass < passes; ++pass) {
      Pack sum[8] = {};
      const double* p = buffer.data();
      keep(p);
      for (Index i = 0; i < buffer.size(); i += 8 * simd::width, p += 8 * simd::width) {
#pragma GCC unroll 8
        for (int c = 0; c < 8; ++c) sum[c] += simd::load(p + c * simd::width);
      }
#pragma GCC unroll 8
      for (int c = 0; c < 8; ++c) keep(sum[c]);
    }
  });
  return static_cast<double>(passes * bytes) / seconds;
}

struct Limits {
  double fused, level1, level2, memory;
};

struct Row {
  std::string basis;
  Index m, q;
  double generate, expand, project, pair;  // ns per basis value
};

// A stream of blocks, as a solver sees it.
Row measure(const std::string& name, const Basis& basis, Index m, Index q) {
  const Index blocks = std::max<Index>(4, 64 / q);
  const Index d = basis.dimension();
  std::srand(1);
  std::vector<Matrix> eta, g;
  for (Index b = 0; b < blocks; ++b) {
    eta.push_back(Matrix::Random(block_size, d));
    if (name == "fourier") eta.back() *= std::numbers::pi;
    g.push_back(Matrix::Random(block_size, q));
  }
  const Coefficients u = Coefficients::Random(m, q);
  Coefficients sums = Coefficients::Zero(m, q);
  Matrix x(block_size, q);
  BasisBlock psi;
  const auto per_value = [&](auto&& function) {
    const double seconds = least_seconds([&] {
      for (std::size_t b = 0; b < eta.size(); ++b) {
        function(eta[b], g[b]);
        keep(x.data());
        keep(sums.data());
      }
    });
    return 1e9 * seconds / static_cast<double>(blocks * block_size * m);
  };
  Row row{name, m, q, 0, 0, 0, 0};
  row.generate = per_value([&](const Matrix& e, const Matrix&) { basis.evaluate(e, m, psi); });
  row.expand = per_value([&](const Matrix& e, const Matrix&) {
    basis.evaluate(e, m, psi);
    expand(psi, u, x);
  });
  row.project = per_value([&](const Matrix&, const Matrix& w) { project(psi, w, sums); });
  row.pair = per_value([&](const Matrix& e, const Matrix& w) {
    basis.evaluate(e, m, psi);
    expand(psi, u, x);
    project(psi, w, sums);
  });
  return row;
}

void print_table(const Limits& limits, const std::vector<Row>& rows) {
  std::printf("fused multiply-adds: %.1f G/s;  read: L1 %.0f, L2 %.0f, memory %.0f GB/s\n\n",
              limits.fused * 1e-9, limits.level1 * 1e-9, limits.level2 * 1e-9,
              limits.memory * 1e-9);
  std::printf(
      "ns per basis value, and the share of the fused limit that the useful multiply-adds use\n");
  std::printf("(q in expand, q in project; generating the value is overhead)\n\n");
  std::printf("%-11s %5s %3s  %8s  %8s %5s  %8s %5s  %8s %5s\n", "basis", "m", "q", "generate",
              "expand", "", "project", "", "pair", "");
  for (const Row& r : rows) {
    const auto share = [&](double ns, Index fused) {
      return 100 * static_cast<double>(fused) / (ns * 1e-9 * limits.fused);
    };
    std::printf("%-11s %5td %3td  %8.4f  %8.4f %4.0f%%  %8.4f %4.0f%%  %8.4f %4.0f%%\n",
                r.basis.c_str(), r.m, r.q, r.generate, r.expand, share(r.expand, r.q), r.project,
                share(r.project, r.q), r.pair, share(r.pair, 2 * r.q));
  }
}

void print_json(const Limits& limits, const std::vector<Row>& rows) {
  std::printf(
      "{\"fused_per_second\": %.6g, \"bytes_per_second\": {\"L1\": %.6g, \"L2\": %.6g, "
      "\"memory\": %.6g},\n \"ns_per_value\": [",
      limits.fused, limits.level1, limits.level2, limits.memory);
  for (const Row& r : rows)
    std::printf(
        "%s\n  {\"basis\": \"%s\", \"m\": %td, \"q\": %td, \"generate\": %.5g, \"expand\": "
        "%.5g, \"project\": %.5g, \"pair\": %.5g, \"pair_share\": %.4g}",
        &r == rows.data() ? "" : ",", r.basis.c_str(), r.m, r.q, r.generate, r.expand, r.project,
        r.pair, 2 * static_cast<double>(r.q) / (r.pair * 1e-9 * limits.fused));
  std::printf("]}\n");
}

}  // namespace

int main(int argc, char** argv) {
  const bool json = argc > 1 && std::strcmp(argv[1], "--json") == 0;
  const double pi = std::numbers::pi;
  const Family fourier(Distribution(Uniform{-pi, pi}), Family::Kind::fourier);
  const Family legendre(Distribution(Uniform{-1, 1}));
  const Basis one({fourier}, IndexSet::first(1, 1000));
  const auto legendre_in = [&](Index d) {
    return Basis(std::vector<Family>(static_cast<std::size_t>(d), legendre),
                 IndexSet::first(d, 1000));
  };
  const Basis two = legendre_in(2), five = legendre_in(5), ten = legendre_in(10);

  const Limits limits{fused_limit(), read_bandwidth(16 << 10), read_bandwidth(512 << 10),
                      read_bandwidth(Index{1} << 28)};
  std::vector<Row> rows;
  for (const Index m : {Index{91}, Index{1000}})
    for (const Index q : {Index{1}, Index{2}, Index{10}, Index{100}}) {
      rows.push_back(measure("fourier", one, m, q));
      rows.push_back(measure("legendre 2", two, m, q));
      rows.push_back(measure("legendre 5", five, m, q));
      rows.push_back(measure("legendre 10", ten, m, q));
    }
  json ? print_json(limits, rows) : print_table(limits, rows);
  return 0;
}
