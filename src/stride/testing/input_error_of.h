#pragma once

#include <string>

#include "stride/core/error.h"

namespace stride {

// For tests: what the InputError of a call says; empty if it throws none.
template <class Call>
std::string InputErrorOf(Call call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace stride
