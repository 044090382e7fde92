#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

// Configs: plain structs with defaults, and beside each one function that names its fields:
//
//   struct ContactModel { double stiffness = 50000; int passes = 2; };
//   template <class Visitor>
//   void VisitConfig(ContactModel& c, Visitor& visit) {
//     visit("stiffness", c.stiffness, {1, 1e9, "N/m"}, "normal spring of a contact point");
//     visit("passes", c.passes, {1, 10}, "solutions a step");
//   }
//
// From it come the functions below: JSON out and in, `--set key=value`, and the schema. Groups nest
// with visit("contact", world.contact); their keys are joined by dots: "contact.stiffness".
namespace stride {

struct ConfigRange {
  double min = -std::numeric_limits<double>::max();
  double max = std::numeric_limits<double>::max();
  std::string unit;
};

struct ConfigField {
  std::string key;
  std::variant<double*, int*, bool*, std::string*> value;
  ConfigRange range;                 // numbers
  std::vector<std::string> choices;  // text: what it may be; empty: anything
  std::string help;
};

// Collects the fields of a config and of its groups, in the order of the visit.
class ConfigVisitor {
 public:
  void operator()(const char* name, double& value, const ConfigRange& range, const char* help);
  void operator()(const char* name, int& value, const ConfigRange& range, const char* help);
  void operator()(const char* name, bool& value, const char* help);
  void operator()(const char* name, std::string& value, const std::vector<std::string>& choices,
                  const char* help);
  template <class Group>
  void operator()(const char* name, Group& group) {
    const std::string outer = prefix_;
    prefix_ += std::string(name) + ".";
    VisitConfig(group, *this);
    prefix_ = outer;
  }
  std::vector<ConfigField> fields;

 private:
  ConfigField& Add(const char* name, const char* help);
  std::string prefix_;
};

using ConfigFields = std::vector<ConfigField>;

// `config` must outlive the fields: they point into it.
template <class Config>
ConfigFields FieldsOf(Config* config) {
  ConfigVisitor visitor;
  VisitConfig(*config, visitor);
  return std::move(visitor.fields);
}

namespace config_internal {
nlohmann::ordered_json ToJson(const ConfigFields& fields);
void FromJson(const ConfigFields& fields, const nlohmann::json& json, std::string_view source);
void Set(const ConfigFields& fields, std::string_view assignment);
nlohmann::ordered_json Schema(const ConfigFields& fields);
}  // namespace config_internal

// All values, groups as nested objects.
template <class Config>
nlohmann::ordered_json ConfigToJson(Config config) {
  return config_internal::ToJson(FieldsOf(&config));
}

// Overrides what the object names and keeps the rest. An unknown key, a wrong type or a value out
// of range throws InputError with `source` (a file's name), the key and the range; `config` is then
// unchanged.
template <class Config>
void ConfigFromJson(const nlohmann::json& json, std::string_view source, Config* config) {
  Config changed = *config;
  config_internal::FromJson(FieldsOf(&changed), json, source);
  *config = std::move(changed);
}

// One "key=value" of the command line. Throws InputError like ConfigFromJson.
template <class Config>
void SetConfigValue(std::string_view assignment, Config* config) {
  config_internal::Set(FieldsOf(config), assignment);
}

// {key: {type, default, min, max, unit, help}}, flat: for help texts and sliders.
template <class Config>
nlohmann::ordered_json ConfigSchema() {
  Config defaults;
  return config_internal::Schema(FieldsOf(&defaults));
}

}  // namespace stride
