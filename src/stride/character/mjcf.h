#pragma once

#include <string>
#include <vector>

#include "stride/character/character.h"

// MJCF, MuJoCo's model format: the subset that characters use.
//
// Frames. An MJCF body has a frame of its own and joints anywhere in it; a Body's frame sits at its
// joint, aligned with the world in the zero pose. The reader moves and turns everything once.
//
// Several hinges in one MJCF body become a chain: a link without mass for each but the last, which
// moves the body. The writer joins such a chain into one MJCF body again. MuJoCo's qpos and qvel
// are therefore State::q and State::v, number by number.
//
// Bodies without joints become part of their parent. What MJCF can say and a Character cannot is an
// error where the body would be another one without it, and a warning otherwise.
namespace stride {

struct MjcfFile {
  Character character;
  std::vector<std::string> warnings;  // "file:line: what was ignored or changed"
};

// Also reads URDF (urdf.h says what becomes of it). Throws InputError with file and line.
MjcfFile ReadMjcf(const std::string& path);

// `file_name` appears in messages. Includes are looked for in `include_folder`; if it is empty an
// include is an error.
MjcfFile ParseMjcf(const std::string& text, const std::string& file_name,
                   const std::string& include_folder);

// A whole model: floor, light, bodies, motors. What MJCF has no word for (gains, roles, contact
// points) stands in <custom>, which MuJoCo ignores, so that a character survives writing and
// reading exactly. Throws InputError if the character is not valid.
std::string WriteMjcf(const Character& character);

// Collision bits of the shapes that collide; two geoms touch if one's contype meets the other's
// conaffinity. The defaults touch a floor of MuJoCo's default bits, but not each other.
struct MjcfCollision {
  int contype = 0;
  int conaffinity = 1;
};

// The <body> tree alone, for models of several actors. Names of bodies and joints are prefixed;
// joint i's name is body i's, and links without mass have a joint but no MuJoCo body. Geoms have no
// class and no friction: the model's defaults apply. Angles are radians, so the model needs
// <compiler angle="radian"/>. The character must be valid. Throws as WriteMjcf for chains too long.
std::string MjcfBodies(const Character& character, const std::string& prefix,
                       const MjcfCollision& collision = {});

}  // namespace stride
