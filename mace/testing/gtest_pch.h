// What every unit test includes, precompiled (mace/pch.bzl).
// SPDX-License-Identifier: Apache-2.0
//
// Only headers of gtest and of the standard library: a change of any of them
// compiles all tests again.

#ifndef MACE_TESTING_GTEST_PCH_H_
#define MACE_TESTING_GTEST_PCH_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#endif  // MACE_TESTING_GTEST_PCH_H_
