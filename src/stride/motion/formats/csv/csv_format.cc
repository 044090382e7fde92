#include "stride/motion/formats/csv/csv.h"
#include "stride/motion/formats/formats.h"

namespace stride::csv_format {

FormatInfo Describe() {
  return {
      "csv",   "world positions and orientations, one row a frame", {}, {".csv"}, nullptr, nullptr,
      WriteCsv};
}

}  // namespace stride::csv_format
