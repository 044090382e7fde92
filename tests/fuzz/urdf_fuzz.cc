// The same reader and the same checks, with a corpus and words of URDF.
#include "mjcf_fuzz.cc"  // NOLINT(bugprone-suspicious-include)
