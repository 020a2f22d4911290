#include "io/models/process_model.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "io/models/model_json.h"

namespace chaosgrad::internal {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

// A program whose standard input and output are one end of a socket. In a process group of its own:
// an interrupt at the terminal is for this program, which then ends the other in good order.
class Child {
 public:
  explicit Child(const ProcessModel& model) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
      throw ModelAbsent(fmt::format("{}: cannot be started: {}", model.command, reason()));
    socket_ = ends[0];
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    if (!model.directory.empty())
      posix_spawn_file_actions_addchdir_np(&files, model.directory.c_str());
    posix_spawn_file_actions_adddup2(&files, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    std::string shell = "sh", flag = "-c", text = "exec " + model.command;
    char* arguments[] = {shell.data(), flag.data(), text.data(), nullptr};
    const int error =
        ::posix_spawn(&process_, "/bin/sh", &files, &attributes, arguments, ::environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    ::close(ends[1]);
    if (error != 0) {
      ::close(socket_);
      throw ModelAbsent(
          fmt::format("{}: cannot be started: {}", model.command, std::strerror(error)));
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  // The end of its input is the sign to end; who does not take it is killed.
  ~Child() {
    ::close(socket_);
    for (int tenths = 0; tenths < 10; ++tenths) {
      if (::waitpid(process_, nullptr, WNOHANG) == process_) return;
      ::poll(nullptr, 0, 100);
    }
    ::kill(-process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }

  void kill() const { ::kill(-process_, SIGKILL); }

  void write_line(std::string text) const {
    text += '\n';
    for (std::size_t sent = 0; sent < text.size();) {
      const ssize_t count = ::send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) throw CallFailed("it ended before it was asked");
      sent += static_cast<std::size_t>(count);
    }
  }

  // A line without its end; empty if none came in time.
  [[nodiscard]] std::optional<std::string> read_line(double seconds) {
    const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
    for (;;) {
      if (const auto end = buffer_.find('\n'); end != std::string::npos) {
        std::string line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        return line;
      }
      const std::chrono::duration<double, std::milli> left = deadline - Clock::now();
      if (left.count() <= 0) return {};
      pollfd waiting{socket_, POLLIN, 0};
      const int ready = ::poll(&waiting, 1, static_cast<int>(std::min(left.count() + 1, 1e9)));
      if (ready <= 0) continue;
      char part[65536];
      const ssize_t count = ::recv(socket_, part, sizeof part, 0);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) throw CallFailed("it ended before it answered");
      buffer_.append(part, static_cast<std::size_t>(count));
    }
  }

 private:
  static std::string reason() { return std::strerror(errno); }
  int socket_ = -1;
  pid_t process_ = -1;
  std::string buffer_;
};

class ProcessChannel : public ModelChannel {
 public:
  ProcessChannel(const ProcessModel& model, const ExternalSizes& sizes, const ModelLimits& limits)
      : model_(model), sizes_(sizes), limits_(limits) {}

  [[nodiscard]] ModelAnswer call(const ModelRequest& request) override {
    try {
      if (!child_) child_.emplace(model_);
      child_->write_line(Json{{"x", list_of(request.x)},
                              {"theta", list_of(request.theta)},
                              {"noise", list_of(request.v)}}
                             .dump());
      const std::optional<std::string> line = child_->read_line(limits_.timeout);
      if (!line) {
        child_->kill();  // a late answer would be taken for the next one
        throw CallFailed(fmt::format("no answer within timeout = {:g} s", limits_.timeout));
      }
      return answer_of(*line);
    } catch (const CallFailed&) {
      child_.reset();
      throw;
    }
  }

 private:
  [[nodiscard]] ModelAnswer answer_of(const std::string& line) const {
    const Json json = parse_answer(line);
    const auto fail = [&](const std::string& expected) {
      throw InputError("objective.command", fmt::format("{} answered {}, expected {}",
                                                        model_.command, shortened(line), expected));
    };
    if (!json.is_object()) fail("a line {\"value\": a number, \"gradient\": [numbers]}");
    if (json.contains("error"))  // the program's own word for: not at this point
      throw CallFailed(json["error"].is_string() ? json["error"].get<std::string>() : "error");
    const Json gradient = json.value("gradient", Json());
    ModelAnswer answer;
    if (json.contains("value")) answer.value = number_of(json["value"]);
    if (gradient.is_null()) {  // failed, in its own words
      answer.gradient = Vector::Constant(sizes_.x, std::numeric_limits<double>::quiet_NaN());
      return answer;
    }
    if (!gradient.is_array() || static_cast<Index>(gradient.size()) != sizes_.x)
      fail(fmt::format("a gradient of {} numbers", sizes_.x));
    answer.gradient = Vector(sizes_.x);
    for (Index i = 0; i < sizes_.x; ++i)
      (*answer.gradient)(i) = number_of(gradient[static_cast<std::size_t>(i)]);
    return answer;
  }

  const ProcessModel& model_;
  ExternalSizes sizes_;
  ModelLimits limits_;
  std::optional<Child> child_;
};

class ProcessAddress : public ModelAddress {
 public:
  ProcessAddress(ProcessModel model, const ExternalSizes& sizes, const ModelLimits& limits)
      : model_(std::move(model)), sizes_(sizes), limits_(limits) {}
  [[nodiscard]] std::unique_ptr<ModelChannel> open() const override {
    return std::make_unique<ProcessChannel>(model_, sizes_, limits_);
  }
  [[nodiscard]] std::optional<bool> offers_value() const override { return {}; }
  [[nodiscard]] std::string name() const override { return model_.command; }

 private:
  ProcessModel model_;
  ExternalSizes sizes_;
  ModelLimits limits_;
};

}  // namespace

std::unique_ptr<const ModelAddress> process_address(const ProcessModel& model,
                                                    const ExternalSizes& sizes,
                                                    const ModelLimits& limits) {
  return std::make_unique<ProcessAddress>(model, sizes, limits);
}

}  // namespace chaosgrad::internal
