// Random streams, Sobol' points and the normal distribution, each against another way to get them.
#include "random/random.h"

#include <Random123/philox.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/random/sobol.hpp>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "chaosgrad/error.h"

namespace chaosgrad {
using namespace internal;
namespace {

const Stream test_stream = make_stream(2024, Purpose::test);

Matrix uniforms(const Stream& stream, Index first, Index rows, Index cols) {
  Matrix u(rows, cols);
  fill_uniform(stream, first, u);
  return u;
}

double correlation(const Vector& x, const Vector& y) {
  const Vector a = x.array() - x.mean(), b = y.array() - y.mean();
  return a.dot(b) / (a.norm() * b.norm());
}

TEST(Stream, IdHoldsPurposeAndStep) {
  const Stream stream = make_stream(7, Purpose::noise, 12);
  EXPECT_EQ(stream.seed, 7u);
  EXPECT_EQ(stream.id, (std::uint64_t{1} << 48) + 12);
  EXPECT_EQ(make_stream(7, Purpose::parameters).id, 0u);
}

TEST(Stream, StepTooLargeIsRefused) {
  try {
    (void)make_stream(1, Purpose::certificate_noise, 2);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.field(), "step");
    EXPECT_EQ(error.message(), "must be less than 2, found 2");
  }
}

// The ids of a purpose are an interval: no two intervals may meet.
TEST(Stream, NoTwoPurposesShareAnId) {
  for (std::size_t i = 0; i < stream_registry.size(); ++i) {
    const StreamRange& range = stream_registry[i];
    EXPECT_EQ(static_cast<std::size_t>(range.purpose), i);
    EXPECT_LT(range.group, std::uint64_t{1} << 16);
    EXPECT_LE(range.first + range.count, all_steps);
    const std::uint64_t lowest = make_stream(1, range.purpose).id,
                        highest = make_stream(1, range.purpose, range.count - 1).id;
    EXPECT_EQ(highest - lowest, range.count - 1);
    for (const StreamRange& other : stream_registry) {
      if (other.purpose == range.purpose) continue;
      const bool apart = make_stream(1, other.purpose).id > highest ||
                         make_stream(1, other.purpose, other.count - 1).id < lowest;
      EXPECT_TRUE(apart) << i << " and " << static_cast<int>(other.purpose);
    }
  }
}

// Results rest on them.
TEST(Stream, IdsInUseDoNotChange) {
  const auto id = [](Purpose purpose, std::uint64_t step) {
    return make_stream(1, purpose, step).id;
  };
  const auto group = [](std::uint64_t number) { return number << 48; };
  EXPECT_EQ(id(Purpose::scramble, 1), group(2) + 1);
  EXPECT_EQ(id(Purpose::constants_parameters, 0), group(3));
  EXPECT_EQ(id(Purpose::constants_noise, 23), group(3) + 24);
  EXPECT_EQ(id(Purpose::certificate_parameters, 0), group(4) + 100);
  EXPECT_EQ(id(Purpose::certificate_noise, 1), group(4) + 102);
  EXPECT_EQ(id(Purpose::validation, 0), group(5));
  EXPECT_EQ(id(Purpose::statistics, 7), group(7) + 7);
  EXPECT_EQ(id(Purpose::sample, 1), group(8) + 1);
  EXPECT_EQ(metric_stage(3), (std::int64_t{1} << 24) + 3);
}

TEST(FillUniform, IsPhiloxAtTheDocumentedCounter) {
  const Index first = 40'000'000'001;  // beyond 32 bits
  const Stream stream = {0x123456789abcdef0, make_stream(1, Purpose::test, 1ULL << 40 | 77).id};
  const Matrix u = uniforms(stream, first, 137, 3);
  r123::Philox4x32 philox;
  const auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
  for (Index i = 0; i < u.rows(); ++i) {
    for (Index j = 0; j < u.cols(); ++j) {
      const auto sample = static_cast<std::uint64_t>(first + i);
      const std::uint64_t counter = sample / 2 + (static_cast<std::uint64_t>(j) << 40);
      const auto words =
          philox({{low(counter), low(counter >> 32), low(stream.id), low(stream.id >> 32)}},
                 {{low(stream.seed), low(stream.seed >> 32)}});
      const std::uint64_t bits =
          words[2 * (sample % 2)] | static_cast<std::uint64_t>(words[2 * (sample % 2) + 1]) << 32;
      EXPECT_EQ(u(i, j), (static_cast<double>(bits >> 12) + 0.5) / 0x1p52);
    }
  }
}

TEST(FillUniform, AnySplitGivesTheSameBits) {
  const Matrix whole = uniforms(test_stream, 0, 256, 2);
  for (Index first = 0; first < 10; ++first) {
    for (const Index count : {0, 1, 2, 3, 7, 63, 64, 65, 128, 200}) {
      EXPECT_EQ(uniforms(test_stream, first, count, 2), whole.middleRows(first, count));
    }
  }
  Matrix host = Matrix::Zero(64, 2);  // a view with an outer stride
  fill_uniform(test_stream, 5, host.middleRows(5, 20));
  EXPECT_EQ(host.middleRows(5, 20), whole.middleRows(5, 20));
  EXPECT_EQ(host.row(25).norm(), 0);
}

TEST(FillUniform, MomentsAndHistogram) {
  const Index n = 1 << 20;
  const Matrix u = uniforms(test_stream, 0, n, 1);
  const double count = static_cast<double>(n);
  EXPECT_GT(u.minCoeff(), 0);
  EXPECT_LT(u.maxCoeff(), 1);
  // Standard errors: sd(u) = 1/√12; sd((u − ½)²) = 1/√180.
  EXPECT_NEAR(u.mean(), 0.5, 5 / std::sqrt(12 * count));
  EXPECT_NEAR((u.array() - 0.5).square().mean(), 1.0 / 12, 5 / std::sqrt(180 * count));
  Vector histogram = Vector::Zero(256);
  for (Index i = 0; i < n; ++i) histogram[static_cast<Index>(256 * u(i, 0))] += 1;
  const double expected = count / 256;
  const double statistic = ((histogram.array() - expected).square() / expected).sum();
  const boost::math::chi_squared chi_squared(255);
  EXPECT_GT(statistic, quantile(chi_squared, 1e-6));
  EXPECT_LT(statistic, quantile(complement(chi_squared, 1e-6)));
}

TEST(FillUniform, SerialCorrelationVanishes) {
  const Index n = 1 << 18;
  const Vector u = uniforms(test_stream, 0, n + 8, 1);
  // The correlation of n independent pairs has standard error 1/√n.
  for (Index lag = 1; lag <= 8; ++lag) {
    EXPECT_NEAR(correlation(u.head(n), u.segment(lag, n)), 0, 5 / std::sqrt(n)) << lag;
  }
}

TEST(FillUniform, StreamsAndComponentsAreUncorrelated) {
  const Index n = 1 << 16;
  const Vector u = uniforms(make_stream(1, Purpose::parameters), 0, n, 1);
  Matrix others(n, 6);
  others.col(0) = uniforms(make_stream(2, Purpose::parameters), 0, n, 1);
  others.col(1) = uniforms(make_stream(1, Purpose::noise), 0, n, 1);
  others.col(2) = uniforms(make_stream(1, Purpose::parameters, 1), 0, n, 1);
  others.col(3) = uniforms(make_stream(1, Purpose::certificate_parameters), 0, n, 1);
  others.rightCols(2) = uniforms(make_stream(1, Purpose::parameters), 0, n, 3).rightCols(2);
  for (Index j = 0; j < others.cols(); ++j) {
    EXPECT_NEAR(correlation(u, others.col(j)), 0, 5 / std::sqrt(n)) << j;
    EXPECT_EQ((u.array() == others.col(j).array()).count(), 0) << j;
  }
}

// The 52 bits of a coordinate. Point 0 is the origin before the shift: its bits are the shift.
std::uint64_t bits52(double u) { return static_cast<std::uint64_t>(u * 0x1p52); }

TEST(Sobol, IsBoostsSequenceWithTheOriginUpToTheShift) {
  const Index dimension = 50, n = 300;
  Matrix u(n, dimension);
  SobolSequence(dimension, test_stream).fill(0, u);
  boost::random::sobol_engine<std::uint64_t, 64> boost_sobol(dimension);
  for (Index i = 1; i < n; ++i) {
    for (Index j = 0; j < dimension; ++j) {
      EXPECT_EQ(bits52(u(i, j)) ^ bits52(u(0, j)), boost_sobol() >> 12);
    }
  }
}

TEST(Sobol, HasScipysPoints) {
  // scipy.stats.qmc.Sobol(40, scramble=False).random(64)[i, j], scipy 1.10.1
  struct {
    Index i, j;
    double value;
  } const table[] = {{1, 0, 0.5},        {5, 1, 0.875},      {13, 7, 0.5625},
                     {37, 20, 0.953125}, {63, 39, 0.171875}, {50, 33, 0.078125}};
  Matrix u(64, 40);
  SobolSequence(40, test_stream).fill(0, u);
  for (const auto& [i, j, value] : table) {
    EXPECT_EQ(static_cast<double>(bits52(u(i, j)) ^ bits52(u(0, j))) * 0x1p-52, value);
  }
}

TEST(Sobol, AnyIndexAndAnySplit) {
  const SobolSequence sobol(7, test_stream);
  Matrix whole(200, 7);
  sobol.fill(1'000'000'007, whole);
  for (const Index first : {0, 1, 2, 3, 63, 64, 100}) {
    Matrix part(17, 7);
    sobol.fill(1'000'000'007 + first, part);
    EXPECT_EQ(part, whole.middleRows(first, 17));
  }
}

TEST(Sobol, OnePointPerCellInEachProjection) {
  const Index dimension = 100, n = 256;
  Matrix u(n, dimension);
  const SobolSequence sobol(dimension, test_stream);
  for (const Index first : {Index{0}, 5 * n}) {
    sobol.fill(first, u);
    EXPECT_GT(u.minCoeff(), 0);
    EXPECT_LT(u.maxCoeff(), 1);
    for (Index j = 0; j < dimension; ++j) {
      std::set<Index> shifted, plain;
      for (Index i = 0; i < n; ++i) {
        shifted.insert(static_cast<Index>(static_cast<double>(n) * u(i, j)));
        plain.insert(static_cast<Index>((bits52(u(i, j)) ^ bits52(u(0, j))) >> 44));
      }
      EXPECT_EQ(shifted.size(), static_cast<std::size_t>(n)) << j;
      EXPECT_EQ(plain.size(), static_cast<std::size_t>(n)) << j;
    }
  }
}

TEST(Sobol, FirstTwoDimensionsAreANet) {
  // A (0, m, 2)-net: one point in every box 2^-k × 2^-(m−k).
  const int m = 10;
  Matrix u(1 << m, 2);
  SobolSequence(2, test_stream).fill(0, u);
  for (int k = 0; k <= m; ++k) {
    std::set<std::pair<int, int>> boxes;
    for (Index i = 0; i < u.rows(); ++i) {
      boxes.emplace(static_cast<int>(std::ldexp(u(i, 0), k)),
                    static_cast<int>(std::ldexp(u(i, 1), m - k)));
    }
    EXPECT_EQ(boxes.size(), std::size_t{1} << m) << k;
  }
}

// Π_j (1 + (u_j − ½) + ((u_j − ½)² − 1/12)): integral 1, variance (1 + 1/12 + 1/180)^d − 1.
Vector smooth_integrand(const Matrix& u) {
  const Eigen::ArrayXXd x = u.array() - 0.5;
  return (1 + x + x.square() - 1.0 / 12).rowwise().prod();
}

TEST(Sobol, ConvergesFasterThanMonteCarloWithoutBias) {
  const Index dimension = 5, n = 1 << 10, repeats = 200;
  Vector errors(repeats);
  Matrix u(n, dimension);
  for (Index r = 0; r < repeats; ++r) {
    const Stream shift = make_stream(3, Purpose::scramble, static_cast<std::uint64_t>(r));
    SobolSequence(dimension, shift).fill(0, u);
    errors[r] = smooth_integrand(u).mean() - 1;
  }
  const double rms = std::sqrt(errors.squaredNorm() / static_cast<double>(repeats));
  const double variance = std::pow(1 + 1.0 / 12 + 1.0 / 180, static_cast<double>(dimension)) - 1;
  // Plain Monte Carlo has rms error √(variance/n); the mean of 200 unbiased estimates is 0 within 5
  // standard errors rms/√200.
  EXPECT_LT(rms, std::sqrt(variance / static_cast<double>(n)) / 10);
  EXPECT_NEAR(errors.mean(), 0, 5 * rms / std::sqrt(repeats));
}

TEST(Sobol, ShiftsAreUniformAndIndependent) {
  const Index repeats = 4000;
  Matrix first(repeats, 2);
  for (Index r = 0; r < repeats; ++r) {
    const Stream shift = make_stream(3, Purpose::scramble, static_cast<std::uint64_t>(r));
    Matrix point(1, 2);
    SobolSequence(2, shift).fill(11, point);
    first.row(r) = point;
  }
  // sd(u) = 1/√12; correlation of independent pairs 1/√n.
  const double n = static_cast<double>(repeats);
  EXPECT_NEAR(first.col(0).mean(), 0.5, 5 / std::sqrt(12 * n));
  EXPECT_NEAR(first.col(1).mean(), 0.5, 5 / std::sqrt(12 * n));
  EXPECT_NEAR(correlation(first.col(0), first.col(1)), 0, 5 / std::sqrt(n));
}

TEST(Sobol, DimensionIsChecked) {
  EXPECT_EQ(SobolSequence::max_dimension(), 3667);
  EXPECT_NO_THROW(SobolSequence(SobolSequence::max_dimension(), test_stream));
  for (const Index dimension : {Index{0}, SobolSequence::max_dimension() + 1}) {
    try {
      SobolSequence sobol(dimension, test_stream);
      FAIL() << "accepted";
    } catch (const InputError& error) {
      EXPECT_EQ(error.field(), "dimension");
      EXPECT_EQ(error.message(),
                "Sobol' points exist for 1 to 3667 dimensions, found " + std::to_string(dimension));
    }
  }
}

using Wide = boost::multiprecision::cpp_bin_float_50;

Wide exact_cdf(const Wide& z) { return boost::math::erfc(Wide(-z / sqrt(Wide(2)))) / 2; }

TEST(NormalCdf, AccurateInBothTails) {
  for (double z = -37.4; z < 9; z += 0.0537) {
    const Wide exact = exact_cdf(z);
    EXPECT_LT(abs(normal_cdf(z) / exact - 1), 1e-15) << z;
  }
  EXPECT_EQ(normal_cdf(0), 0.5);
  EXPECT_EQ(normal_cdf(-std::numeric_limits<double>::infinity()), 0);
  EXPECT_EQ(normal_cdf(std::numeric_limits<double>::infinity()), 1);
  EXPECT_TRUE(std::isnan(normal_cdf(std::numeric_limits<double>::quiet_NaN())));
}

// Error of z relative to the exact quantile of p, by one Newton step in 50 digits.
double relative_error(double p, double z) {
  const Wide difference = p < 0.5 ? exact_cdf(z) - Wide(p) : (1 - Wide(p)) - exact_cdf(-Wide(z));
  const Wide density = exp(-Wide(z) * z / 2) / sqrt(2 * boost::math::constants::pi<Wide>());
  return static_cast<double>(abs(difference / density / z));
}

TEST(NormalQuantile, AccurateEverywhere) {
  const Matrix u = uniforms(test_stream, 0, 2000, 1);
  for (Index i = 0; i < u.rows(); ++i) {
    EXPECT_LT(relative_error(u(i), normal_quantile(u(i))), 1e-15) << u(i);
  }
  for (double exponent = -1; exponent > -300; exponent -= 0.73) {
    const double p = std::pow(10, exponent);
    EXPECT_LT(relative_error(p, normal_quantile(p)), 1e-15) << p;
  }
  for (double exponent = -1; exponent > -16; exponent -= 0.173) {
    const double p = 1 - std::pow(10, exponent);
    EXPECT_LT(relative_error(p, normal_quantile(p)), 1e-15) << p;
  }
  const double smallest = std::numeric_limits<double>::denorm_min();
  EXPECT_LT(relative_error(smallest, normal_quantile(smallest)), 1e-15);
}

TEST(NormalQuantile, EndsAndSymmetry) {
  EXPECT_EQ(normal_quantile(0.5), 0);
  EXPECT_EQ(normal_quantile(0), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(normal_quantile(1), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(normal_quantile(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_TRUE(std::isnan(normal_quantile(-0.1)));
  EXPECT_TRUE(std::isnan(normal_quantile(1.1)));
  const Matrix u = uniforms(test_stream, 0, 1000, 1);
  for (Index i = 0; i < u.rows(); ++i) {
    EXPECT_EQ(normal_quantile(1 - u(i)), -normal_quantile(u(i)));  // 1 − u is exact
  }
}

TEST(NormalQuantile, BlockGivesTheBitsOfTheScalarAtAnyPosition) {
  std::vector<double> p = {1e-300, 1e-12, 1e-11, 0.0749, 0.0751, 0.5, 0.9249, 0.9251, 1 - 1e-12};
  const Matrix u = uniforms(test_stream, 0, 100, 1);
  p.insert(p.end(), u.data(), u.data() + u.size());
  const auto size = static_cast<Index>(p.size());
  for (Index first = 0; first < 20; ++first) {
    for (const Index n : {Index{1}, Index{7}, Index{8}, Index{9}, size - first}) {
      std::vector<double> z(p.begin() + first, p.begin() + first + n);
      normal_quantile(z.data(), z.data(), n);  // in place
      for (Index i = 0; i < n; ++i) {
        EXPECT_EQ(z[static_cast<std::size_t>(i)],
                  normal_quantile(p[static_cast<std::size_t>(first + i)]));
      }
    }
  }
}

}  // namespace
}  // namespace chaosgrad
