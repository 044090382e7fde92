#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

// Reading of key-pose files (data/motions, docs/motions.md): JSON with comments, where every number
// has a range and an unknown key is an error.
namespace stride {

// A list of (time or share of the cycle, value).
using KeyList = std::vector<std::pair<double, double>>;

// An object in a key-pose file. Each function throws InputError naming the file and the key.
class KeyObject {
 public:
  KeyObject(const nlohmann::json& json, std::string file, std::string path);
  static KeyObject Parse(const std::string& text, const std::string& file, nlohmann::json* storage);

  bool Has(const char* key) const { return json_.contains(key); }
  double Number(const char* key, double low, double high) const;
  double Number(const char* key, double low, double high, double otherwise) const;
  bool Flag(const char* key, bool otherwise) const;
  std::string Text(const char* key) const;
  // [[time, value], ...] with times ascending within low_time to high_time.
  KeyList Keys(const char* key, double low_time, double high_time, double low, double high) const;
  std::vector<double> Numbers(const char* key, std::size_t count, double low, double high) const;
  KeyObject Object(const char* key) const;  // empty where there is none
  std::vector<KeyObject> Objects(const char* key, std::size_t most) const;
  std::vector<std::string> Names() const;
  void AllowOnly(std::initializer_list<const char*> keys) const;
  [[noreturn]] void Fail(const std::string& key, const std::string& message) const;

 private:
  nlohmann::json json_;
  std::string file_, path_;
};

}  // namespace stride
