#pragma once

#include <string>
#include <vector>

#include "stride/draw/plot.h"
#include "stride/record/gait.h"
#include "stride/record/gait_band.h"

namespace stride {

// A curve over the cycle with its deviation shaded, on top of the band's where it has that curve.
// `label` names the analysis in the legend; `band` may be null.
Plot GaitPlot(const GaitCurve& curve, const std::string& label, const GaitBand* band);
// All of an analysis.
std::vector<Plot> GaitPlots(const GaitAnalysis& analysis, const std::string& label,
                            const GaitBand* band);

}  // namespace stride
