#include "io/models/expansion_server.h"

#include <fmt/format.h>
#include <httplib.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "chaosgrad/error.h"
#include "io/models/model_json.h"

namespace chaosgrad::internal {
namespace {

using Json = nlohmann::json;

// An error as the protocol has it: 400 for what the caller did, 500 for what the model did.
struct Refusal {
  int status;
  const char* type;
  std::string message;
};
[[noreturn]] void refuse(const std::string& message) {
  throw Refusal{400, "InvalidInput", message};
}

const Json& field(const Json& request, const char* key) {
  const auto found = request.find(key);
  if (found == request.end()) refuse(fmt::format("the request has no \"{}\"", key));
  return *found;
}

// A list of `size` finite numbers.
Vector numbers_of(const Json& json, Index size, const std::string& what) {
  if (!json.is_array() || static_cast<Index>(json.size()) != size)
    refuse(fmt::format("{}: expected a list of {} numbers, found {}", what, size,
                       shortened(json.dump())));
  Vector values(size);
  for (Index i = 0; i < size; ++i) {
    const Json& one = json[static_cast<std::size_t>(i)];
    if (!one.is_number())
      refuse(fmt::format("{}: expected numbers, found {}", what, shortened(one.dump())));
    values(i) = one.get<double>();
  }
  return values;
}

void require_zero(const Json& request, const char* key) {
  const Json& value = field(request, key);
  if (!value.is_number_integer() || value != 0)
    refuse(fmt::format("{}: expected 0, the only one there is, found {}", key,
                       shortened(value.dump())));
}

class ExpansionModel {
 public:
  explicit ExpansionModel(const Expansion& expansion) : expansion_(expansion) {}

  [[nodiscard]] Json evaluate(const Json& request) const {
    return {{"output", {list_of(finite(expansion_(theta_of(request))))}}};
  }
  // sensᵀ dx/dθ.
  [[nodiscard]] Json gradient(const Json& request) const {
    const Matrix slopes = slopes_at(request);
    const Vector sense = numbers_of(field(request, "sens"), slopes.rows(), "sens");
    return {{"output", list_of(finite(slopes.transpose() * sense))}};
  }
  [[nodiscard]] Json jacobian(const Json& request) const {
    const Matrix slopes = slopes_at(request);
    const Vector along = numbers_of(field(request, "vec"), slopes.cols(), "vec");
    return {{"output", list_of(finite(slopes * along))}};
  }
  [[nodiscard]] Index inputs() const { return expansion_.measure().dimension(); }
  [[nodiscard]] Index outputs() const { return expansion_.coefficients().cols(); }

 private:
  [[nodiscard]] Matrix slopes_at(const Json& request) const {
    require_zero(request, "outWrt");
    require_zero(request, "inWrt");
    return expansion_.sensitivity(theta_of(request));
  }

  [[nodiscard]] Vector theta_of(const Json& request) const {
    const Json& input = field(request, "input");
    if (!input.is_array() || input.size() != 1)
      refuse(fmt::format("input: expected a list of one list, theta, found {}",
                         shortened(input.dump())));
    const Vector theta = numbers_of(input[0], inputs(), "input[0]");
    for (Index k = 0; k < theta.size(); ++k) {
      const Distribution& marginal = expansion_.measure().marginals()[static_cast<std::size_t>(k)];
      if (theta(k) >= marginal.lower() && theta(k) <= marginal.upper()) continue;
      refuse(
          fmt::format("input[0][{}] = {:.17g} is outside the support [{:g}, {:g}] of its "
                      "distribution, where the expansion means nothing",
                      k, theta(k), marginal.lower(), marginal.upper()));
    }
    return theta;
  }

  [[nodiscard]] static Vector finite(Vector values) {
    if (!values.allFinite())
      throw Refusal{500, "InvalidOutput", "the answer is not a number: no x is feasible there"};
    return values;
  }

  const Expansion& expansion_;
};

void answer(httplib::Response& response, const Json& json, int status = 200) {
  response.status = status;
  response.set_content(json.dump(), "application/json");
}

void refuse_with(httplib::Response& response, const Refusal& refusal) {
  answer(response, {{"error", {{"type", refusal.type}, {"message", refusal.message}}}},
         refusal.status);
}

}  // namespace

struct ExpansionServer::State {
  // An endpoint that takes a request about the model.
  void post(const char* path, const std::function<Json(const Json&)>& work) {
    server.Post(path, [work](const httplib::Request& request, httplib::Response& response) {
      try {
        const Json json = Json::parse(request.body, nullptr, false);
        if (!json.is_object()) refuse("expected a JSON object");
        const Json& name = field(json, "name");
        if (name != model_name)
          throw Refusal{400, "ModelNotFound",
                        fmt::format("no model is called {}; there is \"{}\"",
                                    shortened(name.dump()), model_name)};
        answer(response, work(json));
      } catch (const Refusal& refusal) {
        refuse_with(response, refusal);
      } catch (const std::exception& error) {
        refuse_with(response, {500, "InvalidOutput", error.what()});
      }
    });
  }

  httplib::Server server;
};

ExpansionServer::ExpansionServer(const Expansion& expansion) : state_(std::make_unique<State>()) {
  State& state = *state_;
  const ExpansionModel model(expansion);            // a reference: copies are cheap
  constexpr std::size_t longest_request = 1 << 20;  // bytes; θ has thousands of numbers at most
  state.server.set_payload_max_length(longest_request);
  state.server.set_tcp_nodelay(true);
  // A port that others listen at is taken: the library would share it.
  state.server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  state.server.Get("/Info", [](const httplib::Request&, httplib::Response& response) {
    answer(response, {{"protocolVersion", 1.0}, {"models", {model_name}}});
  });
  state.post("/ModelInfo", [](const Json&) -> Json {
    return {{"support",
             {{"Evaluate", true},
              {"Gradient", true},
              {"ApplyJacobian", true},
              {"ApplyHessian", false}}}};
  });
  state.post("/InputSizes", [model](const Json&) -> Json {
    return {{"inputSizes", {model.inputs()}}};
  });
  state.post("/OutputSizes", [model](const Json&) -> Json {
    return {{"outputSizes", {model.outputs()}}};
  });
  state.post("/Evaluate", [model](const Json& request) { return model.evaluate(request); });
  state.post("/Gradient", [model](const Json& request) { return model.gradient(request); });
  state.post("/ApplyJacobian", [model](const Json& request) { return model.jacobian(request); });
  state.post("/ApplyHessian", [](const Json&) -> Json {
    throw Refusal{400, "UnsupportedFeature", "ApplyHessian is not supported"};
  });
}

ExpansionServer::~ExpansionServer() = default;

int ExpansionServer::bind(const std::string& address, int port) {
  httplib::Server& server = state_->server;
  const int taken = port == 0 ? server.bind_to_any_port(address)
                              : (server.bind_to_port(address, port) ? port : -1);
  if (taken < 0)
    throw IoError(fmt::format("{}:{}: cannot listen there: is the port taken?", address, port));
  return taken;
}

void ExpansionServer::serve() { state_->server.listen_after_bind(); }

}  // namespace chaosgrad::internal
