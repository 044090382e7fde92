#include "stride/learn/ranks.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "stride/core/error.h"
#include "stride/core/log.h"

namespace stride {
namespace {

std::unique_ptr<Ranks>& Installed() {
  static std::unique_ptr<Ranks> ranks = std::make_unique<Ranks>();
  return ranks;
}

}  // namespace

void Ranks::Broadcast(void* bytes, std::size_t size, int from) const {
  for (std::size_t done = 0; done < size; done += largest_part_) {
    BroadcastPart(static_cast<char*>(bytes) + done, std::min(largest_part_, size - done), from);
  }
}

void Ranks::Fail(const std::string& message) const { spdlog::error("{}", message); }

const Ranks& InstalledRanks() { return *Installed(); }
void InstallRanks(std::unique_ptr<Ranks> ranks) { Installed() = std::move(ranks); }

int RunOnAllRanks(const std::function<void()>& work) {
  try {
    work();
    return 0;
  } catch (const InputError& error) {
    InstalledRanks().Fail(error.what());
  } catch (const std::bad_alloc&) {
    InstalledRanks().Fail("out of memory");
  } catch (const std::exception& error) {
    InstalledRanks().Fail(std::string("unexpected: ") + error.what());
  }
  return 1;
}

}  // namespace stride
