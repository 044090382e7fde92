#include "stride/control/controller.h"

#include "stride/core/error.h"

namespace stride {

void Controller::Edit(const CurveEdit&) {
  throw InputError("this controller has no curves to edit; one that has lists them (Curves)");
}

}  // namespace stride
