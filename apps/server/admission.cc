#include "admission.h"

#include <algorithm>

namespace stride {

int Admission::OldestOf(const std::string& address) const {
  const auto oldest = std::find_if(strangers_.begin(), strangers_.end(),
                                   [&](const auto& each) { return each.second == address; });
  return oldest == strangers_.end() ? 0 : oldest->first;
}

int Admission::Enter(int id, const std::string& address) {
  int goes = 0;
  const auto share = of_address_.find(address);
  if (share != of_address_.end() && share->second >= kMostOfAddress) {
    goes = OldestOf(address);
  } else if (strangers_.size() >= kMostStrangers) {
    // Of the address that takes most.
    const auto most =
        std::max_element(of_address_.begin(), of_address_.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    goes = OldestOf(most->first);
  }
  if (goes) Leave(goes);
  strangers_.emplace(id, address);
  ++of_address_[address];
  return goes;
}

bool Admission::Welcome(int id) {
  const auto stranger = strangers_.find(id);
  if (stranger == strangers_.end() || guests_.size() >= kMostGuests) return false;
  const std::string address = stranger->second;
  Leave(id);
  guests_.emplace(id, address);
  return true;
}

void Admission::Leave(int id) {
  guests_.erase(id);
  const auto stranger = strangers_.find(id);
  if (stranger == strangers_.end()) return;
  const auto share = of_address_.find(stranger->second);
  if (--share->second == 0) of_address_.erase(share);
  strangers_.erase(stranger);
}

}  // namespace stride
