#include "admission.h"

#include <gtest/gtest.h>

namespace stride {
namespace {

TEST(Admission, AnAddressHasAShareAndItsOldestMakesWay) {
  Admission admission;
  for (int id = 1; id <= Admission::kMostOfAddress; ++id) EXPECT_EQ(admission.Enter(id, "a"), 0);
  EXPECT_EQ(admission.Enter(100, "b"), 0);
  EXPECT_EQ(admission.Enter(101, "a"), 1);
  EXPECT_EQ(admission.Enter(102, "a"), 2);
  admission.Leave(3);
  EXPECT_EQ(admission.Enter(103, "a"), 0);
}

TEST(Admission, ManyAddressesLeaveRoomForOneMore) {
  Admission admission;
  int id = 0;
  for (; id < Admission::kMostStrangers;) {
    ++id;
    EXPECT_EQ(admission.Enter(id, id <= 10 ? "crowded" : std::to_string(id)), 0);
  }
  EXPECT_EQ(admission.Enter(id + 1, "new"), 1);  // of the address that has most
  EXPECT_EQ(admission.Enter(id + 2, "newer"), 2);
}

TEST(Admission, GuestsAreNotInTheStrangersWay) {
  Admission admission;
  for (int id = 1; id <= Admission::kMostGuests; ++id) {
    EXPECT_EQ(admission.Enter(id, "a"), 0);
    EXPECT_TRUE(admission.Welcome(id));
  }
  for (int id = 101; id <= 100 + Admission::kMostOfAddress; ++id) {
    EXPECT_EQ(admission.Enter(id, "a"), 0);
  }
  EXPECT_EQ(admission.Enter(200, "a"), 101);
  EXPECT_FALSE(admission.Welcome(200));  // no room; it stays a stranger
  admission.Leave(5);
  EXPECT_TRUE(admission.Welcome(200));
  EXPECT_FALSE(admission.Welcome(101)) << "it had to go";
}

}  // namespace
}  // namespace stride
