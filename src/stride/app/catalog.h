#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

// What there is: behind `stride list`.
namespace stride {

struct CatalogEntry {
  std::string name;
  std::string description;
  std::vector<std::string> notes;  // limitations, in sentences
};

struct CatalogSection {
  std::string kind;  // "characters"
  std::vector<CatalogEntry> entries;
};

// "controllers", "characters", "motions", "skills", "engines", "experiments".
const std::vector<std::string>& CatalogKinds();

// One kind, or all of them if `kind` is empty. Throws InputError with the kinds there are.
std::vector<CatalogSection> ListCatalog(const std::string& kind = "");

// {"characters": [{"name": …, "description": …}], …}
nlohmann::ordered_json ToJson(const std::vector<CatalogSection>& sections);

}  // namespace stride
