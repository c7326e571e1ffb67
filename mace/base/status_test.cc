// Results, and the macros that leave their objects alone.
// SPDX-License-Identifier: Apache-2.0

#include "mace/base/status.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace mace {
namespace {

// Counts those that live.
class Counted {
 public:
  explicit Counted(int number) : number_(number) { ++live; }
  Counted(Counted&& other) noexcept : number_(other.number_) { ++live; }
  Counted& operator=(Counted&& other) noexcept {
    number_ = other.number_;
    return *this;
  }
  ~Counted() { --live; }
  int number() const { return number_; }

  static int live;

 private:
  int number_;
};
int Counted::live = 0;

Result<Counted> Make(int number) {
  if (number < 0) return InvalidArgument("below 0: ", number);
  return Counted(number);
}

Status Check(int number) {
  if (number < 0) return OutOfResources("no space for ", number);
  return Status();
}

Status SumOf(int a, int b, int* sum) {
  MACE_RETURN_IF_ERROR(Check(a));
  MACE_ASSIGN_OR_RETURN(const Counted first, Make(a));
  Counted second(0);
  MACE_ASSIGN_OR_RETURN(second, Make(b));
  MACE_RETURN_IF_ERROR(Check(b));
  // The results are gone by now.
  EXPECT_EQ(Counted::live, 2);
  *sum = first.number() + second.number();
  return Status();
}

// An error becomes a result of another type.
Result<std::vector<int>> ListOf(int number) {
  MACE_RETURN_IF_ERROR(Check(number));
  MACE_ASSIGN_OR_RETURN(const Counted one, Make(number));
  return std::vector<int>(3, one.number());
}

TEST(Result, ValuesLiveAsLongAsTheirResults) {
  {
    Result<Counted> one = Make(4);
    ASSERT_TRUE(one.ok());
    EXPECT_EQ(one->number(), 4);
    EXPECT_EQ(Counted::live, 1);
    Result<Counted> other = std::move(one);
    EXPECT_EQ((*other).number(), 4);
    EXPECT_EQ(Counted::live, 2);
    const Result<Counted> none = Make(-1);
    EXPECT_FALSE(none.ok());
    EXPECT_EQ(Counted::live, 2);
  }
  EXPECT_EQ(Counted::live, 0);
}

TEST(Result, ErrorsOutliveTheirResults) {
  Status status;
  {
    Result<Counted> none = Make(-7);
    const Result<Counted> moved = std::move(none);
    status = moved.status();
  }
  EXPECT_EQ(status.code(), Status::MACE_INVALID_ARGS);
  EXPECT_EQ(status.information(), "below 0: -7");
  EXPECT_EQ(Make(-8).status().information(), "below 0: -8");
  EXPECT_EQ(Counted::live, 0);
}

TEST(Result, SuccessIsNoReasonForTheLackOfAValue) {
  const Result<int> none = Status();
  EXPECT_FALSE(none.ok());
  EXPECT_EQ(none.status().code(), Status::MACE_INTERNAL_ERROR);
}

TEST(Macros, DestroyWhatTheyTake) {
  int sum = 0;
  EXPECT_TRUE(SumOf(3, 4, &sum).ok());
  EXPECT_EQ(sum, 7);
  EXPECT_EQ(Counted::live, 0);
}

TEST(Macros, ReturnErrors) {
  int sum = 0;
  EXPECT_EQ(SumOf(-1, 4, &sum).information(), "no space for -1");
  EXPECT_EQ(SumOf(1, -4, &sum).information(), "below 0: -4");
  EXPECT_EQ(sum, 0);
  EXPECT_EQ(Counted::live, 0);
  EXPECT_EQ(ListOf(5)->size(), 3u);
  EXPECT_EQ(ListOf(-5).status().information(), "no space for -5");
}

TEST(Macros, TakeWhatIsOnlyMoved) {
  const auto make = []() -> Result<std::unique_ptr<int>> {
    return std::make_unique<int>(5);
  };
  const auto take = [&](std::unique_ptr<int>* to) -> Status {
    MACE_ASSIGN_OR_RETURN(*to, make());
    return Status();
  };
  auto number = std::make_unique<int>(1);
  EXPECT_TRUE(take(&number).ok());
  EXPECT_EQ(*number, 5);
}

TEST(Macros, ShareTheErrorsOfOthers) {
  const Status first = InvalidModel("the file is empty");
  const auto pass = [&]() -> Status {
    MACE_RETURN_IF_ERROR(first);
    return Status();
  };
  EXPECT_EQ(pass().information(), "the file is empty");
  EXPECT_EQ(first.information(), "the file is empty");
}

}  // namespace
}  // namespace mace
