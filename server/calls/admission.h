// Lets a request in: finds its account, its version and its caller, in the order in which the service does, and renders
// refusals as the part of the service does that refuses.
#pragma once

#include <exception>
#include <type_traits>

#include "server/calls/table_service.h"
#include "server/request/error_response.h"
#include "server/request/request.h"
#include "server/request/request_context.h"
#include "server/request/response.h"
#include "server/request/target.h"

namespace rocktable {

class Admission {
 public:
  // The progress of a request. Each stage includes the previous ones.
  enum class Stage {
    Received,
    AccountFound,   // the account exists: its CORS rules apply to every response
    Authenticated,  // the caller may know that the account exists
    Parsed,
  };

  // Both must outlive it.
  Admission(TableService& service, const Request& request);

  // The steps, in their order. They throw ServiceException.
  //
  // Reads target, preferences and version. `product_style`: the host name may have the account.
  QueryParameters read_head(bool product_style);
  void require_account();
  void authenticate();
  // The owner of the account needs no signature.
  void admit_owner();
  void note_parsed() { stage_ = Stage::Parsed; }

  bool has(Stage stage) const { return stage_ >= stage; }
  const RequestContext& context() const { return context_; }

  // Runs one step of a request, which returns a response, or an optional one. The only place where a request's
  // exceptions are caught.
  template <class Step>
  std::invoke_result_t<Step> guard(const Step& step) const {
    try {
      return step();
    } catch (const ServiceException& refusal) {
      return refuse(refusal);
    } catch (const std::exception& failure) {
      return fail(failure);
    }
  }

  Response refuse(const ServiceException& refusal) const;

 private:
  Response fail(const std::exception& failure) const;
  ErrorSource source_of(ErrorCode code) const;
  AccessTimes access_times() const;
  void refuse_foreign_page() const;
  [[noreturn]] void refuse_access(const Error& error) const;

  TableService& service_;
  const Request& request_;
  Stage stage_ = Stage::Received;
  bool front_end_ = false;  // asks for `?comp=...`
  RequestContext context_;
};

}  // namespace rocktable
