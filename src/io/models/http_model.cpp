#include "io/models/http_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <httplib.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <nlohmann/json.hpp>
#include <vector>

#include "io/models/model_json.h"
#include "io/models/pipe_signal.h"

namespace chaosgrad::internal {
namespace {

using Json = nlohmann::json;

// What a server says about an error, as far as it says something.
std::string complaint(const std::string& body) {
  const Json json = Json::parse(body, nullptr, false);
  if (json.is_object() && json.contains("error")) {
    const Json& error = json["error"];
    if (error.is_object() && error.value("message", Json()).is_string())
      return fmt::format(" ({}: {})", error.value("type", "error"),
                         error["message"].get<std::string>());
  }
  return {};
}

class HttpAddress : public ModelAddress {
 public:
  HttpAddress(HttpModel model, const ExternalSizes& sizes, const ModelLimits& limits)
      : model_(std::move(model)),
        config_(Json::parse(model_.config)),
        sizes_(sizes),
        limits_(limits) {
    if (!model_.url.starts_with("http://") || model_.url.size() < 8)
      throw InputError("objective.server",
                       fmt::format("expected an address such as \"http://localhost:4242\", found "
                                   "\"{}\"",
                                   model_.url));
    while (model_.url.ends_with('/')) model_.url.pop_back();
  }

  [[nodiscard]] std::unique_ptr<ModelChannel> open() const override;
  [[nodiscard]] std::string name() const override {
    return fmt::format("{} of {}", model_.model, model_.url);
  }
  [[nodiscard]] std::optional<bool> offers_value() const override {
    connect();
    return supports_value_;
  }

  // Asks the server what it has, once; throws where that is not what the problem needs.
  void connect() const {
    const std::lock_guard lock(mutex_);
    if (connected_) return;
    const Json info = ask("/Info", nullptr);
    require_model(info);
    const Json support = ask("/ModelInfo", {{"name", model_.model}}).value("support", Json());
    const auto supports = [&](const char* what) {
      return support.is_object() && support.value(what, Json(false)) == Json(true);
    };
    if (!supports("Gradient"))
      throw InputError("objective.model", fmt::format("{} does not support Gradient", name()));
    supports_value_ = supports("Evaluate");
    const Json about = {{"name", model_.model}, {"config", config_}};
    require_sizes(ask("/InputSizes", about).value("inputSizes", Json()),
                  ask("/OutputSizes", about).value("outputSizes", Json()));
    connected_ = true;
  }

  [[nodiscard]] ModelAnswer call(const ModelRequest& request) const {
    connect();
    Json body = {{"name", model_.model}, {"config", config_}};
    body["input"] = {list_of(request.x), list_of(request.theta)};
    if (inputs_ == 3) body["input"].push_back(list_of(request.v));
    ModelAnswer answer;
    if (request.value) {
      const Json output = ask("/Evaluate", body).value("output", Json());
      if (!output.is_array() || output.size() != 1 || !output[0].is_array() ||
          output[0].size() != 1)
        fail_shape("Evaluate", "one output with one number", output);
      answer.value = number_of(output[0][0]);
      return answer;
    }
    body["outWrt"] = 0;
    body["inWrt"] = 0;
    body["sens"] = {1.0};
    const Json output = ask("/Gradient", body).value("output", Json());
    if (!output.is_array() || static_cast<Index>(output.size()) != sizes_.x)
      fail_shape("Gradient", fmt::format("a list of {} numbers", sizes_.x), output);
    answer.gradient = Vector(sizes_.x);
    for (Index i = 0; i < sizes_.x; ++i)
      (*answer.gradient)(i) = number_of(output[static_cast<std::size_t>(i)]);
    return answer;
  }

 private:
  // A connection for one request. The status is looked at before the body.
  [[nodiscard]] Json ask(const std::string& endpoint, const Json& body) const {
    const PipeSignalBlocked blocked;
    const auto start = std::chrono::steady_clock::now();
    httplib::Client client(model_.url);
    client.set_keep_alive(false);
    client.set_tcp_nodelay(true);
    client.set_connection_timeout(std::chrono::milliseconds(
        static_cast<long>(1000 * std::min(limits_.timeout, longest_connect))));
    const auto patience = std::chrono::milliseconds(static_cast<long>(1000 * limits_.timeout));
    client.set_read_timeout(patience);
    client.set_write_timeout(patience);
    const httplib::Result result = body.is_null()
                                       ? client.Get(endpoint)
                                       : client.Post(endpoint, body.dump(), "application/json");
    if (!result) {
      const httplib::Error error = result.error();
      if (error == httplib::Error::Connection || error == httplib::Error::ConnectionTimeout)
        throw ModelAbsent(fmt::format("{}: no server answers there", model_.url));
      const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - start;
      if (waited.count() >= 0.99 * limits_.timeout)
        throw CallFailed(
            fmt::format("no answer to {} within timeout = {:g} s", endpoint, limits_.timeout));
      if (endpoint != "/Info") (void)ask("/Info", nullptr);  // did the point fail, or the server?
      throw CallFailed(fmt::format("the connection broke before {} was answered", endpoint));
    }
    if (result->status != 200)
      throw CallFailed(
          fmt::format("status {} of {}{}", result->status, endpoint, complaint(result->body)));
    Json json = parse_answer(result->body);
    if (!json.is_object())
      throw CallFailed(fmt::format("the answer of {} is no JSON object", endpoint));
    return json;
  }

  void require_model(const Json& info) const {
    const Json models = info.value("models", Json::array());
    std::vector<std::string> names;
    for (const Json& one : models) {
      if (one.is_string()) names.push_back(one.get<std::string>());
    }
    if (std::ranges::find(names, model_.model) != names.end()) return;
    throw InputError("objective.model",
                     fmt::format("{} has no model \"{}\"; it has: {}", model_.url, model_.model,
                                 fmt::join(names, ", ")));
  }

  void require_sizes(const Json& inputs, const Json& outputs) const {
    Json expected = {sizes_.x, sizes_.theta, sizes_.v};
    const Json without_noise = {sizes_.x, sizes_.theta};
    if (sizes_.v == 0 && inputs == without_noise) {
      inputs_ = 2;
    } else if (inputs == expected) {
      inputs_ = 3;
    } else {
      if (sizes_.v == 0) expected = without_noise;
      throw InputError("objective.model",
                       fmt::format("{} takes inputs of the sizes {}, expected {}: those of x, "
                                   "theta{}",
                                   name(), inputs.dump(), expected.dump(),
                                   sizes_.v == 0 ? "" : " and the noise"));
    }
    if (outputs != Json::array({1}))
      throw InputError("objective.model", fmt::format("{} gives outputs of the sizes {}, expected "
                                                      "[1]: F",
                                                      name(), outputs.dump()));
  }

  [[noreturn]] void fail_shape(const char* endpoint, const std::string& expected,
                               const Json& found) const {
    throw InputError("objective.server", fmt::format("{}: {} answered {}, expected {}", name(),
                                                     endpoint, shortened(found.dump()), expected));
  }

  static constexpr double longest_connect = 5;  // seconds
  HttpModel model_;
  Json config_;
  ExternalSizes sizes_;
  ModelLimits limits_;
  mutable std::mutex mutex_;
  mutable bool connected_ = false, supports_value_ = false;
  mutable int inputs_ = 3;
};

class HttpChannel : public ModelChannel {
 public:
  explicit HttpChannel(const HttpAddress& address) : address_(address) {}
  [[nodiscard]] ModelAnswer call(const ModelRequest& request) override {
    return address_.call(request);
  }

 private:
  const HttpAddress& address_;
};

std::unique_ptr<ModelChannel> HttpAddress::open() const {
  return std::make_unique<HttpChannel>(*this);
}

}  // namespace

std::unique_ptr<const ModelAddress> http_address(const HttpModel& model, const ExternalSizes& sizes,
                                                 const ModelLimits& limits) {
  return std::make_unique<HttpAddress>(model, sizes, limits);
}

}  // namespace chaosgrad::internal
