#include "lispier/Runtime/Value/Value.h"
#include <cmath>
#include <gtest/gtest.h>
#include <string>

namespace {
/// In the language's notation.
std::string text(const lispier_value *value) {
  if (!value)
    return "null";
  std::string items;
  for (int64_t i = 0; i < value_list_len(value); ++i)
    items += (i ? " " : "") + text(value->items[i]);
  switch (value->kind) {
  case LISPIER_LIST:
    return "(" + items + ")";
  case LISPIER_VECTOR:
    return "[" + items + "]";
  case LISPIER_MAP:
    return "{" + items + "}";
  case LISPIER_KEYWORD:
    return std::string(":") + value->text;
  case LISPIER_STRING:
    return "\"" + std::string(value->text, value->length) + "\"";
  case LISPIER_BOOL:
    return value->truth ? "true" : "false";
  case LISPIER_NIL:
    return "nil";
  default:
    return value->text ? value->text : "?";
  }
}

struct ValueTest : testing::Test {
  struct lispier_value_mark mark = lispier_value_mark();
  ~ValueTest() override { lispier_value_release(mark); }
};
} // namespace

TEST_F(ValueTest, BuildsEveryKind) {
  lispier_value *list = value_list_new(), *vector = value_vector_new(), *map = value_map_new();
  value_list_push(vector, value_number_new(1));
  value_list_push(vector, value_bool_new(1));
  value_list_push(map, value_keyword_new(":key"));
  value_list_push(map, value_string_new("text"));
  value_list_push(list, value_symbol_arith_addi());
  value_list_push(list, vector);
  value_list_push(list, map);
  value_list_push(list, value_nil_new());
  value_list_push(list, nullptr);
  EXPECT_EQ(text(list), "(arith.addi [1 true] {:key \"text\"} nil nil)");
  EXPECT_TRUE(value_is_list(list) && value_is_vector(vector) && value_is_map(map));
  EXPECT_FALSE(value_is_list(vector) || value_is_symbol(list));
}

TEST_F(ValueTest, PushCopies) {
  lispier_value *outer = value_list_new(), *inner = value_list_new();
  value_list_push(inner, value_number_new(1));
  value_list_push(outer, inner);
  value_list_push(inner, value_number_new(2));
  EXPECT_EQ(text(outer), "((1))");
  EXPECT_EQ(text(inner), "(1 2)");
}

TEST_F(ValueTest, PartsAreFreshCopies) {
  lispier_value *list = value_list_new();
  for (int i = 0; i < 5; ++i)
    value_list_push(list, value_number_new(i));
  lispier_value *rest = value_list_rest(list), *clone = value_clone(list);
  value_list_push(rest, value_symbol_do());
  value_list_push(clone, value_symbol_def());
  value_list_push(list, value_symbol_colon());
  EXPECT_EQ(text(rest), "(1 2 3 4 do)");
  EXPECT_EQ(text(clone), "(0 1 2 3 4 def)");
  EXPECT_EQ(text(list), "(0 1 2 3 4 :)");
  EXPECT_EQ(text(value_list_first(list)), "0");
  EXPECT_EQ(text(value_list_get(list, 4)), "4");
  EXPECT_EQ(value_list_get(list, 6), nullptr);
  EXPECT_EQ(value_list_get(list, -1), nullptr);
  EXPECT_EQ(text(value_list_rest(value_list_new())), "()");
  EXPECT_EQ(value_list_first(value_list_new()), nullptr);
}

TEST_F(ValueTest, Append) {
  lispier_value *list = value_list_new();
  value_list_push(list, value_number_new(1));
  value_list_push(list, value_number_new(2));
  value_list_append(list, list);
  EXPECT_EQ(text(list), "(1 2 1 2)");
  EXPECT_EQ(value_list_append(list, value_number_new(3)), nullptr);
}

TEST_F(ValueTest, NumbersAreWrittenAsTheLanguageReadsThem) {
  auto written = [](double number) { return text(value_number_new(number)); };
  EXPECT_EQ(written(42), "42");
  EXPECT_EQ(written(-7), "-7");
  EXPECT_EQ(written(0.1), "0.1");
  EXPECT_EQ(written(2.5e-9), "2.5e-09");
  EXPECT_EQ(written(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(written(1e300), "1e+300");
  EXPECT_EQ(value_number_new(INFINITY)->text, nullptr);
  EXPECT_EQ(value_number_get(value_number_new(0.1)), 0.1);
  EXPECT_EQ(text(lispier_value_text(LISPIER_NUMBER, "0x10", 4, 16)), "0x10");
}

TEST_F(ValueTest, TextMayHoldZeroBytes) {
  lispier_value *value = lispier_value_text(LISPIER_STRING, "a\0b", 3, 0);
  EXPECT_EQ(value->length, 3);
  EXPECT_EQ(std::string(value_string_get(value)), "a");
}

TEST_F(ValueTest, GensymsDiffer) {
  std::string a = value_symbol_name(value_gensym()), b = value_symbol_name(value_gensym());
  EXPECT_NE(a, b);
  EXPECT_EQ(std::string(value_symbol_name(value_gensym_prefix("loop"))).rfind("loop", 0), 0u);
}

TEST_F(ValueTest, NullAndWrongKindsAnswerNothing) {
  EXPECT_EQ(value_list_len(nullptr), 0);
  EXPECT_EQ(value_list_push(nullptr, value_nil_new()), nullptr);
  EXPECT_EQ(value_list_push(value_number_new(1), value_nil_new()), nullptr);
  EXPECT_EQ(value_list_rest(nullptr), nullptr);
  EXPECT_EQ(value_clone(nullptr), nullptr);
  EXPECT_EQ(value_symbol_new(nullptr), nullptr);
  EXPECT_EQ(value_symbol_name(value_string_new("s")), nullptr);
  EXPECT_FALSE(value_is_nil(nullptr));
  EXPECT_EQ(value_number_get(nullptr), 0);
}

TEST_F(ValueTest, ReleaseGivesBackWhatIsYounger) {
  lispier_value *kept = value_list_new();
  value_list_push(kept, value_number_new(1));
  struct lispier_value_mark inner = lispier_value_mark();
  const void *first = value_nil_new();
  for (int i = 0; i < 100000; ++i)
    value_string_new("takes more than one chunk");
  lispier_value_release(inner);
  EXPECT_EQ(value_nil_new(), first);
  EXPECT_EQ(text(kept), "(1)");
}

// A macro that walks a long list by its rest must not copy it each time.
TEST_F(ValueTest, WalkingByRestIsLinear) {
  lispier_value *list = value_list_new();
  for (int i = 0; i < 100000; ++i)
    value_list_push(list, value_nil_new());
  int64_t steps = 0;
  for (lispier_value *rest = list; value_list_len(rest) > 0; rest = value_list_rest(rest))
    ++steps;
  EXPECT_EQ(steps, 100000);
}
