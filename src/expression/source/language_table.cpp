#include "expression/source/language_table.h"

#include <algorithm>
#include <stdexcept>

namespace chaosgrad::internal {
namespace {

constexpr OperationText table[] = {
    {Op::add, "{0} + {1}", "{0} + {1}", "add"},
    {Op::subtract, "{0} - {1}", "{0} - {1}", "subtract"},
    {Op::multiply, "{0} * {1}", "{0} * {1}", "multiply"},
    {Op::divide, "{0} / {1}", "_divide({0}, {1})", "divide"},
    {Op::negate, "-{0}", "-{0}", "negate"},
    {Op::power, "pow({0}, {1})", "_power({0}, {1})", "power"},
    {Op::less, "{0} < {1} ? 1.0 : 0.0", "1.0 if {0} < {1} else 0.0", "less"},
    {Op::less_equal, "{0} <= {1} ? 1.0 : 0.0", "1.0 if {0} <= {1} else 0.0", "less_equal"},
    {Op::equal, "{0} == {1} ? 1.0 : 0.0", "1.0 if {0} == {1} else 0.0", "equal"},
    {Op::not_equal, "{0} != {1} ? 1.0 : 0.0", "1.0 if {0} != {1} else 0.0", "not_equal"},
    {Op::logical_and, "{0} != 0.0 && {1} != 0.0 ? 1.0 : 0.0",
     "1.0 if {0} != 0.0 and {1} != 0.0 else 0.0", "and"},
    {Op::logical_or, "{0} != 0.0 || {1} != 0.0 ? 1.0 : 0.0",
     "1.0 if {0} != 0.0 or {1} != 0.0 else 0.0", "or"},
    {Op::logical_not, "{0} == 0.0 ? 1.0 : 0.0", "1.0 if {0} == 0.0 else 0.0", "not"},
    {Op::select, "{0} != 0.0 ? {1} : {2}", "{1} if {0} != 0.0 else {2}", "if"},
    {Op::sin, "sin({0})", "math.sin({0})", "sin"},
    {Op::cos, "cos({0})", "math.cos({0})", "cos"},
    {Op::tan, "tan({0})", "math.tan({0})", "tan"},
    {Op::asin, "asin({0})", "_within(math.asin, {0})", "asin"},
    {Op::acos, "acos({0})", "_within(math.acos, {0})", "acos"},
    {Op::atan, "atan({0})", "math.atan({0})", "atan"},
    {Op::sinh, "sinh({0})", "math.copysign(_growing(math.sinh, abs({0})), {0})", "sinh"},
    {Op::cosh, "cosh({0})", "_growing(math.cosh, {0})", "cosh"},
    {Op::tanh, "tanh({0})", "math.tanh({0})", "tanh"},
    {Op::exp, "exp({0})", "_growing(math.exp, {0})", "exp"},
    {Op::log, "log({0})", "_log({0})", "log"},
    {Op::sqrt, "sqrt({0})", "_within(math.sqrt, {0})", "sqrt"},
    {Op::abs, "fabs({0})", "abs({0})", "abs"},
    {Op::sign, "{0} > 0.0 ? 1.0 : {0} < 0.0 ? -1.0 : {0}",
     "1.0 if {0} > 0.0 else -1.0 if {0} < 0.0 else {0}", "sign"},
    {Op::min, "{0} < {1} || {0} != {0} ? {0} : {1}", "{0} if {0} < {1} or {0} != {0} else {1}",
     "min"},
    {Op::max, "{0} > {1} || {0} != {0} ? {0} : {1}", "{0} if {0} > {1} or {0} != {0} else {1}",
     "max"},
    {Op::floor, "floor({0})", "float(math.floor({0}))", "floor"},
    {Op::ceil, "ceil({0})", "float(math.ceil({0}))", "ceil"},
    {Op::erf, "erf({0})", "math.erf({0})", "erf"},
    {Op::normcdf, "0.5 * erfc(-0.70710678118654752 * {0})",
     "0.5 * math.erfc(-0.70710678118654752 * {0})", "normcdf"},
    {Op::normal_pdf, "0.3989422804014327 * exp(-0.5 * {0} * {0})",
     "0.3989422804014327 * math.exp(-0.5 * {0} * {0})", "normal_pdf"},
    {Op::logistic, "1.0 / (1.0 + exp(-{0}))", "1.0 / (1.0 + _growing(math.exp, -{0}))", "logistic"},
    {Op::softplus, "({0} > 0.0 ? {0} : 0.0) + log1p(exp(-fabs({0})))",
     "({0} if {0} > 0.0 else 0.0) + math.log1p(math.exp(-abs({0})))", "softplus"}};

constexpr std::string_view prelude = R"(

def _divide(a, b):
    if b != 0.0:
        return a / b
    return math.nan if a == 0.0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)


def _log(a):
    return math.log(a) if a > 0.0 else -math.inf if a == 0.0 else math.nan


def _within(function, a):
    try:
        return function(a)
    except ValueError:
        return math.nan


def _growing(function, a):
    try:
        return function(a)
    except OverflowError:
        return math.inf


def _power(a, b):
    try:
        return math.pow(a, b)
    except OverflowError:
        return math.inf
    except ValueError:
        return math.inf if a == 0.0 else math.nan
)";

}  // namespace

const OperationText& operation_text(Op op) {
  const auto* found = std::ranges::find(table, op, &OperationText::op);
  if (found == std::end(table)) throw std::logic_error("an operation without a text");
  return *found;
}

std::string_view python_prelude() { return prelude; }

}  // namespace chaosgrad::internal
