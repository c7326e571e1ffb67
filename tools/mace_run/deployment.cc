// The text of a deployment file, and what makes it no YAML.
// SPDX-License-Identifier: Apache-2.0

#include "tools/mace_run/deployment.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <exception>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "mace/base/file.h"
#include "tools/mace_run/deployment_keys.h"
#include "tools/mace_run/deployment_sections.h"

namespace mace::tools {
namespace {

constexpr char kDrafts[] = "`tools/converter.py init MODEL` drafts one";

// Remembers where the latest document begins.
class DocumentStart : public YAML::EventHandler {
 public:
  int line = 0;

  void OnDocumentStart(const YAML::Mark& mark) override {
    line = mark.line + 1;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

// 0: there is none. YAML::LoadAll would never end where text is left over that
// begins no document, such as a bracket that closes nothing. Throws.
int LineOfSecondDocument(const std::string& text) {
  std::istringstream in(text);
  YAML::Parser parser(in);
  DocumentStart start;
  if (!parser.HandleNextDocument(start)) return 0;
  return parser.HandleNextDocument(start) ? start.line : 0;
}

Status InvalidYaml(const std::string& path, int line, std::string what) {
  for (char& c : what) c = c == '\n' ? ' ' : c;
  return InvalidArgument(
      path + ":" + (line > 0 ? std::to_string(line) + ":" : std::string()) +
      " this is not valid YAML: " + what);
}

}  // namespace

Result<Deployment> ParseDeployment(const std::string& text,
                                   const std::string& path) {
  // What yaml-cpp throws ends here.
  try {
    if (const int line = LineOfSecondDocument(text); line > 0) {
      return InvalidArgument(path + ":" + std::to_string(line) +
                             ": a second document begins here, or what was "
                             "closed before it was opened; the file is to "
                             "have one document");
    }
    return ReadSections(YAML::Load(text), path);
  } catch (const YAML::Exception& e) {
    return InvalidYaml(path, e.mark.line + 1, e.msg);
  } catch (const std::exception& e) {
    return InvalidYaml(path, 0, e.what());
  }
}

Result<Deployment> ReadDeployment(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    const bool is_folder = std::filesystem::is_directory(path, error);
    const bool is_there = std::filesystem::exists(path, error);
    return InvalidArgument(path + ": the deployment file " +
                           (is_folder  ? "is a folder"
                            : is_there ? "is no regular file"
                                       : "does not exist") +
                           "; give the path of a .yml file: " + kDrafts);
  }
  MACE_ASSIGN_OR_RETURN(const MappedFile file, MappedFile::Open(path));
  const size_t most = DeploymentKeys().at("max_bytes");
  if (file.size() > most) {
    return InvalidArgument(path + ": the file has " +
                           std::to_string(file.size()) +
                           " bytes: too large for a deployment file; did you "
                           "name the model instead? " +
                           kDrafts);
  }
  const std::string text(reinterpret_cast<const char*>(file.data()),
                         file.size());
  if (text.find('\0') != std::string::npos) {
    return InvalidArgument(path +
                           ": the file is not text in UTF-8; did you name the "
                           "model instead? " +
                           kDrafts);
  }
  return ParseDeployment(text, path);
}

}  // namespace mace::tools
