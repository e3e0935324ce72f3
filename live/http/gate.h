// Who is let in: the checks that come before any answer. A page of another origin cannot ask (Host and
// Origin, which also defeats a name that is rebound to this address), and without a token there is
// nothing but the page, which has no data. Any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "live/http/http.h"
#include "live/http/tokens.h"

namespace lockstep {
class JsonFields;
}

namespace lockstep::serve {

class Gate {
 public:
  // `names`: hosts by which it may be asked, beside localhost and the loopback addresses.
  Gate(std::vector<User> users, std::vector<std::string> names)
      : users_(std::move(users)), names_(std::move(names)) {}

  struct Refusal {
    int status;
    std::string sentence;
  };
  // Nothing: the request may be answered, for *user, empty where no token is needed.
  std::optional<Refusal> refusal(const HttpRequest& request, std::string* user) const;

  // Whether the server goes by the name in this Host header.
  bool knows(const std::string& host_and_port) const;

 private:
  std::vector<User> users_;
  std::vector<std::string> names_;
};

// The text of what was written so far, as 200.
HttpResponse json_response(const JsonFields& out);

// {"error": sentence}
HttpResponse error_response(int status, const std::string& sentence);

}  // namespace lockstep::serve
