#include "stride/scenario/lane_meter.h"

#include "stride/scenario/push.h"

namespace stride {

LaneMeterFacts MeterFactsOf(const Character& character) {
  return {PushedBody(character), RootBody(character), RootMoves(character)};
}

}  // namespace stride
