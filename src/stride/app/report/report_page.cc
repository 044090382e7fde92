#include "stride/app/report/report_page.h"

#include "stride/draw/plot.h"

namespace stride {
namespace {

// Colours of the series: Okabe and Ito's, which colour-blind readers can tell apart, darker on
// white and lighter on black.
constexpr const char* kStyle = R"css(
:root { color-scheme: light dark;
  --page: #f6f7f9; --card: #fff; --text: #1c2330; --faint: #5b6675; --rule: #dde2e9; --grid: #e4e8ee;
  --good: #0b7a4b; --good-back: #dcf3e7; --bad: #b3261e; --bad-back: #fbe3e1; --none-back: #e9edf2;
  --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #b0478c; --c4: #b98500; --c5: #3a9bd0; --c6: #6b4fbb; --c7: #555; }
@media screen and (prefers-color-scheme: dark) { :root {
  --page: #12161c; --card: #1b212a; --text: #e6eaf0; --faint: #9aa6b5; --rule: #303946; --grid: #2b333f;
  --good: #5fd6a0; --good-back: #173a2b; --bad: #ff9a91; --bad-back: #45201e; --none-back: #2b333f;
  --c0: #56b4e9; --c1: #f08a3c; --c2: #2fc79a; --c3: #e08ac2; --c4: #f0c545; --c5: #9ad1f2; --c6: #b09cf0; --c7: #bbb; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", "DejaVu Sans", sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 28px 20px 60px; }
h1 { font-size: 27px; margin: 0 0 4px; letter-spacing: -0.01em; }
h2 { font-size: 20px; margin: 0; }
h3 { font-size: 16px; margin: 26px 0 8px; overflow-wrap: anywhere; }
p { margin: 6px 0; }
.faint { color: var(--faint); }
section { background: var(--card); border: 1px solid var(--rule); border-radius: 10px; padding: 20px 22px 22px; margin-top: 22px; }
.head { display: flex; flex-wrap: wrap; gap: 4px 14px; align-items: center; }
.table { overflow-x: auto; margin-top: 12px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; font-size: 12.5px; color: var(--faint); border-bottom: 1px solid var(--rule); padding: 6px 14px 6px 0; white-space: nowrap; }
td { border-bottom: 1px solid var(--rule); padding: 7px 14px 7px 0; vertical-align: top; }
tr:last-child td { border-bottom: 0; }
.number { text-align: right; white-space: nowrap; }
td.number { font-weight: 600; }
td.paper { font-weight: 400; }
.unit { white-space: nowrap; }
td:first-child { min-width: 130px; }
.note { color: var(--faint); font-size: 13.5px; min-width: 220px; }
.chip { display: inline-block; border-radius: 99px; padding: 1px 10px; font-size: 12.5px; font-weight: 600; white-space: nowrap; background: var(--none-back); color: var(--faint); }
.chip.good { background: var(--good-back); color: var(--good); }
.chip.bad { background: var(--bad-back); color: var(--bad); }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 430px), 1fr)); gap: 18px; margin-top: 14px; align-items: start; }
figure { margin: 0; border: 1px solid var(--rule); border-radius: 8px; padding: 12px 14px; }
figcaption { font-weight: 600; margin-bottom: 6px; }
figure svg { display: block; width: 100%; height: auto; }
figure.polar svg { max-width: 440px; margin: 0 auto; }
svg text { font-size: 11.5px; fill: var(--faint); font-family: inherit; }
svg .label { font-size: 12px; fill: var(--text); }
svg .halo { paint-order: stroke; stroke: var(--card); stroke-width: 4px; }
svg .grid { stroke: var(--grid); fill: none; }
svg .axis { stroke: var(--faint); }
svg .line { fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linejoin: round; }
svg .area { fill: currentColor; fill-opacity: 0.1; }
svg .bar { fill: currentColor; }
svg .band { fill: currentColor; fill-opacity: 0.2; }
.c0 { color: var(--c0); } .c1 { color: var(--c1); } .c2 { color: var(--c2); } .c3 { color: var(--c3); }
.c4 { color: var(--c4); } .c5 { color: var(--c5); } .c6 { color: var(--c6); } .c7 { color: var(--c7); }
.sheet { width: 100%; height: auto; border-radius: 8px; border: 1px solid var(--rule); margin-top: 10px; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 10px 18px; margin: 12px 0 0; font-variant-numeric: tabular-nums; }
dt { font-size: 12.5px; color: var(--faint); } dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
details { margin-top: 14px; } summary { cursor: pointer; color: var(--faint); }
pre, code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 12.5px; }
pre { overflow-x: auto; background: var(--page); border-radius: 8px; padding: 12px; }
a { color: var(--c0); }
@media print { body { font-size: 11px; background: #fff; } main { padding: 0; max-width: none; }
  section { border: 0; padding: 12px 0 0; } figure, tr, .sheet { break-inside: avoid; } h2, h3 { break-after: avoid; }
  .plots { grid-template-columns: 1fr 1fr; } details { display: none; } }
)css";

}  // namespace

std::string ReportPage(const std::string& title, const std::string& body) {
  // The policy keeps the page alone even if a text of a file should slip through.
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
         "'unsafe-inline'; img-src data:\"/>\n<title>" +
         EscapeMarkup(title) + "</title>\n<style>" + kStyle +
         "</style>\n</head>\n<body>\n<main>\n" + body + "</main>\n</body>\n</html>\n";
}

}  // namespace stride
