#include "stride/character/library.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "stride/character/mjcf.h"
#include "stride/core/error.h"
#include "stride/core/file.h"

namespace stride {
namespace {

TEST(LibraryTest, UnknownNameListsWhatThereIs) {
  try {
    LoadCharacter("hulk");
    FAIL();
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("'hulk'"), std::string::npos) << message;
    for (const CharacterInfo& info : BuiltInCharacters()) {
      EXPECT_NE(message.find(info.name), std::string::npos) << info.name;
    }
  }
}

TEST(LibraryTest, MissingFileIsNamed) {
  try {
    LoadCharacter("no/such/body.xml");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("no/such/body.xml"), std::string::npos)
        << error.what();
  }
}

TEST(LibraryTest, LoadsFiles) {
  const Character body = LoadCharacter("wang09-short");
  const std::string path = testing::TempDir() + "library_test_body.xml";
  WriteFileWhole(path, WriteMjcf(body));
  std::vector<std::string> warnings;
  const Character loaded = LoadCharacter(path, &warnings);
  EXPECT_EQ(loaded.BodyCount(), body.BodyCount());
  EXPECT_NEAR(TotalMass(loaded), TotalMass(body), 1e-9);
  EXPECT_TRUE(warnings.empty()) << warnings[0];
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace stride
