#include "numeric/quantiles.h"

#include <boost/math/distributions/students_t.hpp>

namespace chaosgrad::internal {

double student_quantile(double degrees, double p) {
  return boost::math::quantile(boost::math::students_t(degrees), p);
}

}  // namespace chaosgrad::internal
