#include "stride/core/error.h"
#include "stride/core/file.h"
#include "stride/motion/formats/asf_amc/asf_amc.h"
#include "stride/motion/formats/formats.h"
#include "stride/motion/formats/text_scanner.h"

namespace stride::asf_amc_format {
namespace {

bool Recognise(std::string_view bytes) {
  TextScanner scan(bytes.substr(0, 4096), "");
  scan.SkipComments();
  return scan.Accept(":FULLY-SPECIFIED") || scan.Accept(":version");
}

SkeletonClip Read(std::string_view bytes, const std::string& path) {
  TextScanner scan(bytes.substr(0, 4096), "");
  scan.SkipComments();
  if (FileExtension(path) == ".asf" || scan.Accept(":version")) {
    throw InputError(path, 0, "is a skeleton without motion; give the .amc file beside it");
  }
  return ReadAmcFile(path);
}

}  // namespace

FormatInfo Describe() {
  return {"asf_amc", "Acclaim skeleton and motion, a pair of files", {".amc"}, {}, Recognise, Read,
          nullptr};
}

}  // namespace stride::asf_amc_format
