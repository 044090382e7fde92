#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stride {

// The one of the names that a typing error may have been meant for: few letters left out, added,
// changed or swapped. Empty: none is near.
std::string Nearest(std::string_view word, const std::vector<std::string>& names);

// "there is no engine 'nativ'; expected one of: native, mujoco; did you mean 'native'?"
std::string NotAmong(std::string_view what, std::string_view word,
                     const std::vector<std::string>& names);

// "; did you mean 'walk'?", or nothing.
std::string DidYouMean(std::string_view word, const std::vector<std::string>& names);

}  // namespace stride
