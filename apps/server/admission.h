#pragma once

#include <map>
#include <string>

// Room for connections. A stranger is one whose request did not arrive yet, or was denied; each
// address has a share of the strangers' room, and the oldest makes way for the newest. Who may be
// here (has the token, where one is asked for) is a guest, and has room of its own.
namespace stride {

class Admission {
 public:
  static constexpr int kMostStrangers = 64, kMostOfAddress = 16, kMostGuests = 64;

  // Returns who has to go for it; 0: nobody. Ids rise.
  int Enter(int id, const std::string& address);
  // A stranger becomes a guest; false: there is no room.
  bool Welcome(int id);
  void Leave(int id);

 private:
  int OldestOf(const std::string& address) const;

  std::map<int, std::string> strangers_;  // by id: the oldest first
  std::map<std::string, int> of_address_;
  std::map<int, std::string> guests_;
};

}  // namespace stride
