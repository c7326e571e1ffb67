// Where the storages of a folder are written.
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>

#include "mace/public/mace_runtime.h"

namespace mace {
namespace {

bool IsThere(const std::string& path) { return std::ifstream(path).good(); }

void Write(FileStorageFactory& factory, const std::string& name) {
  const auto storage = factory.CreateStorage(name);
  EXPECT_EQ(storage->Load(), 0);
  EXPECT_TRUE(storage->Insert("key", {1, 2, 3}));
  EXPECT_EQ(storage->Flush(), 0);
}

TEST(FileStorageFactory, PutsStoresIntoTheFolder) {
  const std::string folder = ::testing::TempDir() + "stores";
  mkdir(folder.c_str(), 0755);
  FileStorageFactory plain(folder), separated(folder + "/");
  Write(plain, "one");
  EXPECT_TRUE(IsThere(folder + "/one"));
  EXPECT_FALSE(IsThere(folder + "one"));
  Write(separated, "two");
  EXPECT_TRUE(IsThere(folder + "/two"));
  // Each storage finds what the other wrote.
  const auto storage = separated.CreateStorage("one");
  EXPECT_EQ(storage->Load(), 0);
  ASSERT_NE(storage->Find("key"), nullptr);
  EXPECT_EQ(storage->Find("key")->size(), 3u);
}

TEST(FileStorageFactory, TheStoreWithoutANameIsTheFile) {
  const std::string file = ::testing::TempDir() + "store.bin";
  FileStorageFactory factory(file);
  Write(factory, "");
  EXPECT_TRUE(IsThere(file));
}

TEST(FileStorageFactory, APathThatIsNoFolderIsTheFileOfPrograms) {
  const std::string file = ::testing::TempDir() + "opencl_cache_file";
  FileStorageFactory factory(file);
  Write(factory, "mace_cl_compiled_program.bin");
  EXPECT_TRUE(IsThere(file));
  // Other stores have files of their own, so that none overwrites another.
  Write(factory, "mace_cpu_tuning.bin");
  EXPECT_TRUE(IsThere(file + ".mace_cpu_tuning.bin"));
  FileStorageFactory later(file);  // when the file is there
  const auto storage = later.CreateStorage("mace_cl_compiled_program.bin");
  EXPECT_EQ(storage->Load(), 0);
  EXPECT_NE(storage->Find("key"), nullptr);
}

TEST(FileStorageFactory, AFolderThatIsNotThereIsAnError) {
  FileStorageFactory factory(::testing::TempDir() + "no_such_folder/");
  const auto storage = factory.CreateStorage("x");
  EXPECT_EQ(storage->Load(), 0);
  EXPECT_TRUE(storage->Insert("key", {1}));
  EXPECT_EQ(storage->Flush(), -1);
}

}  // namespace
}  // namespace mace
