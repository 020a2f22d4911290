#include "expression/source/source_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "expression/source/language_table.h"
#include "expression/source/scalar_code.h"

namespace chaosgrad::internal {
namespace {

// The shortest text that reads as the same double, with a point or an exponent.
std::string double_text(double value) {
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

// A function of C or Python.
class TextWriter {
 public:
  TextWriter(const Graph& graph, const SourceFunction& function, SourceLanguage language)
      : function_(function),
        is_c_(language == SourceLanguage::c),
        code_(scalar_code(graph, function)) {}

  std::string write() {
    for (std::size_t k = 0; k < function_.outputs.size(); ++k) {
      if (has_numbers(k)) text_ += constants(k);
    }
    text_ += heading();
    for (std::size_t i = 0; i < code_.steps.size(); ++i) {
      if (is_operation(i))
        text_ += fmt::format("{}v{} = {}{}\n", is_c_ ? "  const double " : "    ", i, expression(i),
                             is_c_ ? ";" : "");
    }
    std::string names;
    for (std::size_t k = 0; k < function_.outputs.size(); ++k) {
      text_ += output(k);
      names += (k > 0 ? ", " : "") + function_.outputs[k].name;
    }
    return text_ + (is_c_ ? "}\n" : "    return " + names + "\n");
  }

 private:
  bool is_operation(std::size_t i) const {
    return code_.steps[i].op != Op::constant && code_.steps[i].op != Op::input;
  }
  bool is_number(std::size_t i) const { return code_.steps[i].op == Op::constant; }
  // Whether an output holds different numbers that need a table.
  bool has_numbers(std::size_t k) const {
    const double otherwise = function_.outputs[k].otherwise;
    return std::ranges::any_of(code_.outputs[k], [&](std::size_t i) {
      return is_number(i) && code_.steps[i].number != otherwise;
    });
  }

  std::string number(double value) const {
    if (std::isinf(value))
      return fmt::format("{}{}", value < 0 ? "-" : "", is_c_ ? "INFINITY" : "math.inf");
    if (std::isnan(value)) return is_c_ ? "NAN" : "math.nan";
    return double_text(value);
  }

  const std::string& input_name(int slot) const {
    return std::ranges::find(function_.inputs, slot, &std::pair<int, std::string>::first)->second;
  }

  std::string operand(std::size_t i) const {
    const ScalarStep& step = code_.steps[i];
    if (step.op == Op::input) return fmt::format("{}[{}]", input_name(step.slot), step.column);
    if (step.op != Op::constant) return fmt::format("v{}", i);
    const std::string text = number(step.number);
    return text[0] == '-' ? "(" + text + ")" : text;
  }

  std::string expression(std::size_t i) const {
    const ScalarStep& step = code_.steps[i];
    std::string text;
    if (step.op == Op::sum || step.op == Op::dot) {
      for (std::size_t k = 0; k < step.arguments.size(); ++k) {
        const bool second = step.op == Op::dot && k % 2 == 1;
        text += (k == 0 ? "" : second ? " * " : " + ") + operand(step.arguments[k]);
      }
      return text;
    }
    const OperationText& known = operation_text(step.op);
    std::vector<std::string> parts(3);
    for (std::size_t k = 0; k < step.arguments.size(); ++k) parts[k] = operand(step.arguments[k]);
    return fmt::format(fmt::runtime(is_c_ ? known.c : known.python), parts[0], parts[1], parts[2]);
  }

  std::string table_name(std::size_t k) const {
    return fmt::format("{}{}_{}", is_c_ ? "" : "_", function_.name, function_.outputs[k].name);
  }
  std::string constants(std::size_t k) const {
    const SourceFunction::Output& output = function_.outputs[k];
    std::string list;
    for (std::size_t j = 0; j < code_.outputs[k].size(); ++j) {
      const std::size_t i = code_.outputs[k][j];
      list += (j == 0       ? ""
               : j % 8 == 0 ? ",\n    "
                            : ", ") +
              number(is_number(i) ? code_.steps[i].number : output.otherwise);
    }
    return is_c_ ? fmt::format("static const double {}[{}] = {{\n    {}}};\n", table_name(k),
                               output.size, list)
                 : fmt::format("{} = [\n    {}]\n", table_name(k), list);
  }

  std::string heading() const {
    std::string arguments, unused;
    const auto add = [&](const char* type, const std::string& name) {
      arguments += (arguments.empty() ? "" : ", ") + std::string(is_c_ ? type : "") + name;
    };
    for (const auto& [slot, name] : function_.inputs) {
      add("const double *", name);
      unused += fmt::format("  (void){};\n", name);
    }
    if (!is_c_) return fmt::format("\n\ndef {}({}):\n", function_.name, arguments);
    for (const SourceFunction::Output& output : function_.outputs) add("double *", output.name);
    return fmt::format("\nstatic void {}({}) {{\n  int i;\n{}", function_.name, arguments, unused);
  }

  std::string output(std::size_t k) const {
    const SourceFunction::Output& output = function_.outputs[k];
    std::string text;
    const std::string from = has_numbers(k) ? table_name(k) + "[i]" : number(output.otherwise);
    if (is_c_) {
      text = fmt::format("  if ({0}) {{\n    for (i = 0; i < {1}; ++i) {0}[i] = {2};\n",
                         output.name, output.size, from);
    } else {
      text = has_numbers(k) ? fmt::format("    {} = list({})\n", output.name, table_name(k))
                            : fmt::format("    {} = [{}] * {}\n", output.name, from, output.size);
    }
    for (std::size_t j = 0; j < code_.outputs[k].size(); ++j) {
      const std::size_t i = code_.outputs[k][j];
      if (is_number(i)) continue;
      text += fmt::format("    {}[{}] = {}{}\n", output.name, j, operand(i), is_c_ ? ";" : "");
    }
    return is_c_ ? text + "  }\n" : text;
  }

  const SourceFunction& function_;
  bool is_c_;
  ScalarCode code_;
  std::string text_;
};

std::string json_number(double value) {
  if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  return std::isnan(value) ? "\"NaN\"" : double_text(value);
}

std::string json_step(const ScalarStep& step, const SourceFunction& function) {
  if (step.op == Op::constant) return fmt::format("[\"number\",{}]", json_number(step.number));
  if (step.op == Op::input) {
    const auto found =
        std::ranges::find(function.inputs, step.slot, &std::pair<int, std::string>::first);
    return fmt::format("[\"{}\",{}]", found->second, step.column);
  }
  std::string text = "[\"";
  text += step.op == Op::sum ? "sum" : step.op == Op::dot ? "dot" : operation_text(step.op).json;
  text += '"';
  for (const std::size_t argument : step.arguments) text += fmt::format(",{}", argument);
  return text + "]";
}

std::string json_function(const Graph& graph, const SourceFunction& function) {
  const ScalarCode code = scalar_code(graph, function);
  std::string inputs, outputs;
  for (const auto& [slot, name] : function.inputs)
    inputs += fmt::format("{}\"{}\"", inputs.empty() ? "" : ",", name);
  // Constants of outputs that are constant are not steps.
  std::vector<std::size_t> number_of(code.steps.size());
  std::vector<bool> used(code.steps.size());
  const auto is_constant = [&](const std::vector<std::size_t>& output) {
    return std::ranges::all_of(output,
                               [&](std::size_t i) { return code.steps[i].op == Op::constant; });
  };
  for (const ScalarStep& step : code.steps) {
    for (const std::size_t argument : step.arguments) used[argument] = true;
  }
  for (const auto& output : code.outputs) {
    for (const std::size_t i : output) used[i] = used[i] || !is_constant(output);
  }
  std::string steps;
  for (std::size_t i = 0, next = 0; i < code.steps.size(); ++i) {
    if (!used[i]) continue;
    number_of[i] = next++;
    ScalarStep step = code.steps[i];
    for (std::size_t& argument : step.arguments) argument = number_of[argument];
    steps += (number_of[i] > 0 ? ",\n" : "\n") + json_step(step, function);
  }
  for (std::size_t k = 0; k < code.outputs.size(); ++k) {
    const bool constant = is_constant(code.outputs[k]);
    std::string list;
    for (const std::size_t i : code.outputs[k]) {
      if (!list.empty()) list += ',';
      list += constant ? json_number(code.steps[i].number) : std::to_string(number_of[i]);
    }
    outputs += fmt::format("{}\n\"{}\":{}[{}]{}", k > 0 ? "," : "", function.outputs[k].name,
                           constant ? "{\"numbers\":" : "", list, constant ? "}" : "");
  }
  return fmt::format("{{\"inputs\":[{}],\n\"steps\":[{}],\n\"outputs\":{{{}}}}}", inputs, steps,
                     outputs);
}

}  // namespace

std::string source_code(const Graph& graph, const SourceFunction& function,
                        SourceLanguage language) {
  if (language == SourceLanguage::json) return json_function(graph, function);
  return TextWriter(graph, function, language).write();
}

std::string source_prelude(SourceLanguage language) {
  return language == SourceLanguage::python ? std::string(python_prelude()) : std::string{};
}

}  // namespace chaosgrad::internal
