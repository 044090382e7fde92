#include <algorithm>
#include <array>
#include <cctype>

#include "stride/draw/image.h"

namespace stride {
namespace {

// Strokes of a glyph on a grid 4 wide and 6 high, from the upper left corner: pairs of digits
// (column, row), a space lifts the pen.
struct Glyph {
  char letter;
  const char* strokes;
};
constexpr std::array kGlyphs = {
    Glyph{'0', "103041453616050110"},
    Glyph{'1', "112026 1636"},
    Glyph{'2', "011030414205 0646"},
    Glyph{'3', "01103041423313 3344453616 1605"},
    Glyph{'4', "36300444"},
    Glyph{'5', "4000033344453616 1605"},
    Glyph{'6', "4130100105163645443303"},
    Glyph{'7', "00404216"},
    Glyph{'8', "103041423313020110 13040516364544 3344"},
    Glyph{'9', "43130201103041453616 1605"},
    Glyph{'A', "062046 1434"},
    Glyph{'B', "00063645443303 003041 414233"},
    Glyph{'C', "4130100105163645"},
    Glyph{'D', "00304145360600"},
    Glyph{'E', "40000646 0333"},
    Glyph{'F', "400006 0333"},
    Glyph{'G', "413010010516364543 2343"},
    Glyph{'H', "0006 4046 0343"},
    Glyph{'I', "1030 2026 1636"},
    Glyph{'J', "4045361605"},
    Glyph{'K', "0006 4003 1346"},
    Glyph{'L', "000646"},
    Glyph{'M', "0600234046"},
    Glyph{'N', "06004640"},
    Glyph{'O', "103041453616050110"},
    Glyph{'P', "06003041423303"},
    Glyph{'Q', "103041453616050110 2446"},
    Glyph{'R', "06003041423303 2346"},
    Glyph{'S', "413010010213334445361605"},
    Glyph{'T', "0040 2026"},
    Glyph{'U', "000516364540"},
    Glyph{'V', "002640"},
    Glyph{'W', "0016233640"},
    Glyph{'X', "0046 4006"},
    Glyph{'Y', "002340 2326"},
    Glyph{'Z', "00400646"},
    Glyph{'.', "2626"},
    Glyph{',', "2517"},
    Glyph{':', "2222 2525"},
    Glyph{'-', "1333"},
    Glyph{'+', "1333 2224"},
    Glyph{'/', "0640"},
    Glyph{'(', "30212536"},
    Glyph{')', "10212516"},
    Glyph{'_', "0646"},
    Glyph{'%', "0640 0101 4545"},
    Glyph{'=', "1232 1434"},
    Glyph{' ', ""},
};
constexpr double kColumns = 4, kRows = 6, kAdvance = 5.6;

const char* StrokesOf(char letter) {
  const char capital = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  for (const Glyph& glyph : kGlyphs) {
    if (glyph.letter == capital) return glyph.strokes;
  }
  return "0040460600";
}

}  // namespace

double TextWidth(std::string_view text, double height) {
  return text.empty()
             ? 0
             : (kAdvance * static_cast<double>(text.size() - 1) + kColumns) * height / kRows;
}

double DrawText(std::string_view text, double x, double y, double height, const Color& color,
                Image* image) {
  const double unit = height / kRows, thickness = std::max(1.0, 0.13 * height);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const double left = x + kAdvance * unit * static_cast<double>(i);
    bool pen_down = false;
    double last_x = 0, last_y = 0;
    for (const char* s = StrokesOf(text[i]); *s != '\0';) {
      if (*s == ' ') {
        pen_down = false;
        ++s;
        continue;
      }
      const double next_x = left + (s[0] - '0') * unit, next_y = y + (s[1] - '0') * unit;
      if (pen_down) DrawLine(last_x, last_y, next_x, next_y, thickness, color, image);
      last_x = next_x;
      last_y = next_y;
      pen_down = true;
      s += 2;
    }
  }
  return TextWidth(text, height);
}

}  // namespace stride
