#pragma once
// Runs source text that the library wrote: C by the compiler, Python by its interpreter, JSON by an
// interpreter of our own.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>

#include "expression/source/source_code.h"

namespace chaosgrad::testing {
using namespace internal;

// A folder of its own, removed at the end.
struct Folder {
  std::string path;
  Folder() {
    char name[] = "/tmp/chaosgrad-source-XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() { std::system(("rm -r " + path).c_str()); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path + "/" + name) << text;
  }
  // The numbers that a command prints.
  [[nodiscard]] std::vector<double> numbers(const std::string& command) const {
    std::FILE* pipe = popen(("cd " + path + " && " + command).c_str(), "r");
    std::vector<double> found;
    char word[64];
    while (std::fscanf(pipe, "%63s", word) == 1) found.push_back(std::strtod(word, nullptr));
    EXPECT_EQ(pclose(pipe), 0) << command;
    return found;
  }
};

inline std::string list(const Matrix& row, const char* open, const char* close) {
  std::ostringstream text;
  text.precision(17);
  text << open;
  for (Index j = 0; j < row.cols(); ++j) text << (j > 0 ? ", " : "") << row(0, j);
  text << close;
  return text.str();
}

// What runs the functions: it calls `name` on rows of inputs and prints all outputs.
inline std::string c_main(const SourceFunction& function, const std::vector<Matrix>& inputs) {
  std::string text = "int main(void) {\n";
  for (Index row = 0; row < inputs[0].rows(); ++row) {
    text += "  {\n";
    for (std::size_t s = 0; s < inputs.size(); ++s)
      text += "    const double in" + std::to_string(s) +
              "[] = " + list(inputs[s].row(row), "{", "};\n");
    std::string call;
    for (std::size_t s = 0; s < inputs.size(); ++s)
      call += (s > 0 ? ", in" : "in") + std::to_string(s);
    for (const auto& output : function.outputs) {
      text += "    double " + output.name + "[" + std::to_string(output.size + 1) + "];\n";
      call += ", " + output.name;
    }
    text += "    int i;\n    " + function.name + "(" + call + ");\n";
    for (const auto& output : function.outputs)
      text += "    for (i = 0; i < " + std::to_string(output.size) +
              "; ++i) printf(\"%.17g\\n\", " + output.name + "[i]);\n";
    text += "  }\n";
  }
  return text + "  return 0;\n}\n";
}

inline std::string python_main(const SourceFunction& function, const std::vector<Matrix>& inputs) {
  std::string text;
  for (Index row = 0; row < inputs[0].rows(); ++row) {
    std::string call;
    for (std::size_t s = 0; s < inputs.size(); ++s)
      call += (s > 0 ? ", " : "") + list(inputs[s].row(row), "[", "]");
    text += "results = " + function.name + "(" + call + ")\n";
    text += function.outputs.size() == 1 ? "results = [results]\n" : "";
    text += "for part in results:\n    for value in part:\n        print(repr(float(value)))\n";
  }
  return text;
}

// An interpreter of the JSON that shares nothing with the library.
inline constexpr const char* interpreter = R"(
import json, math, sys

def quiet(f):
    def g(*a):
        try:
            return f(*a)
        except ZeroDivisionError:
            return math.nan if a[0] == 0 else math.copysign(math.inf, a[0])
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan
    return g

OPS = {
    "add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "multiply": lambda a, b: a * b,
    "divide": quiet(lambda a, b: a / b), "negate": lambda a: -a, "power": quiet(math.pow),
    "less": lambda a, b: float(a < b), "less_equal": lambda a, b: float(a <= b), "equal": lambda a, b: float(a == b),
    "not_equal": lambda a, b: float(a != b), "and": lambda a, b: float(bool(a) and bool(b)),
    "or": lambda a, b: float(bool(a) or bool(b)), "not": lambda a: float(not a), "if": lambda c, a, b: a if c else b,
    "abs": abs, "sign": lambda a: (a > 0) - (a < 0), "min": min, "max": max, "log": quiet(math.log), "sqrt": quiet(math.sqrt),
    "normcdf": lambda a: 0.5 * math.erfc(-a / math.sqrt(2)), "normal_pdf": lambda a: math.exp(-a * a / 2) / math.sqrt(2 * math.pi),
    "logistic": lambda a: 0.5 * (1 + math.tanh(a / 2)), "softplus": lambda a: max(a, 0) + math.log1p(math.exp(-abs(a))),
    "sum": lambda *a: math.fsum(a), "dot": lambda *a: math.fsum(p * q for p, q in zip(a[::2], a[1::2])),
}
for name in ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "floor", "ceil", "erf"):
    OPS[name] = quiet(getattr(math, name))

def run(code, inputs):
    values = []
    for op, *rest in code["steps"]:
        if op == "number":
            values.append(float(rest[0]))
        elif op in inputs:
            values.append(inputs[op][rest[0]])
        else:
            values.append(OPS[op](*(values[i] for i in rest)))
    for output in code["outputs"].values():
        if isinstance(output, dict):
            yield [float(v) for v in output["numbers"]]
        else:
            yield [values[i] for i in output]

code, rows, part = json.load(open("code.json")), json.load(open("rows.json")), open("part.txt").read()
code = code[part] if part else code
for row in rows:
    for part in run(code, dict(zip(code["inputs"], row))):
        for value in part:
            print(repr(float(value)))
)";

// The same numbers from all three, up to rounding (and infinities alike). `text` has the function
// in a language; of JSON, `part` of the object.
inline void expect_everywhere(const SourceFunction& function, const std::vector<Matrix>& inputs,
                              const std::vector<double>& expected,
                              const std::function<std::string(SourceLanguage)>& text,
                              const std::string& part = "") {
  const Folder folder;
  folder.write("code.c", "#include <math.h>\n#include <stdio.h>\n" + text(SourceLanguage::c) +
                             c_main(function, inputs));
  folder.write("code.py", "import math\n" + source_prelude(SourceLanguage::python) +
                              text(SourceLanguage::python) + "\n\n" +
                              python_main(function, inputs));
  folder.write("code.json", text(SourceLanguage::json));
  folder.write("run.py", interpreter);
  folder.write("part.txt", part);
  std::string rows = "[";
  for (Index row = 0; row < inputs[0].rows(); ++row) {
    rows += row > 0 ? ",[" : "[";
    for (std::size_t s = 0; s < inputs.size(); ++s)
      rows += (s > 0 ? "," : "") + list(inputs[s].row(row), "[", "]");
    rows += "]";
  }
  folder.write("rows.json", rows + "]");
  for (const char* command : {"cc -std=c99 -O1 -Wall -Wextra -Wpedantic -Werror "
                              "-Wno-unused-function code.c -o code -lm && ./code",
                              "/usr/bin/python3 code.py", "/usr/bin/python3 run.py"}) {
    const std::vector<double> found = folder.numbers(command);
    ASSERT_EQ(found.size(), expected.size()) << command;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (std::isfinite(expected[i]))
        EXPECT_NEAR(found[i], expected[i], 1e-11 * (1 + std::abs(expected[i]))) << command << i;
      else
        EXPECT_EQ(found[i], expected[i]) << command << i;
    }
  }
}

}  // namespace chaosgrad::testing
