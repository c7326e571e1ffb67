// Chat templates, beside what jinja2 makes of them.
// SPDX-License-Identifier: Apache-2.0

#include "mace/generation/chat_template.h"

#include <string>

#include "gtest/gtest.h"

namespace mace::generation {
namespace {

TEST(ChatTemplateTest, RendersAsJinjaDoes) {
  const auto render = [](const std::string& source) {
    const auto result =
        RenderChatTemplate(source, {{"user", "a\"b"}}, {{"bos_token", "<s>"}});
    return result.ok() ? *result : result.status().information();
  };
  // Rendered by jinja2 3.1.6 with trim_blocks and lstrip_blocks.
  EXPECT_EQ(render("{% if true %}\n  a\n  {% endif %}\nb\n"), "  a\nb");
  EXPECT_EQ(render("x  {{- 1 + 2 * 3 }} {{ 7 // 2 }} {{ -7 % 3 }}"), "x7 3 2");
  EXPECT_EQ(render("{{ 'abc'[::-1] ~ 'x'|upper ~ [1,2][-1] }}"), "cbaX2");
  EXPECT_EQ(render("{{ messages | tojson }}"),
            "[{\"role\": \"user\", \"content\": \"a\\\"b\"}]");
  EXPECT_EQ(render("{{ [1, 'a', none, true] }}"), "[1, 'a', None, True]");
  EXPECT_EQ(render("{% set n = namespace(x=0) %}{% for i in range(5) if i % 2 "
                   "%}{% set n.x = n.x + i %}{{ loop.index }}{% endfor %}"
                   "{{ n.x }}"),
            "124");
  EXPECT_EQ(render("{% macro m(a, b='z') %}{{ a }}{{ b }}{% endmacro %}"
                   "{{ m('x') }}{{ m(1, b=2) }}"),
            "xz12");
  EXPECT_EQ(render("{% macro m(a, b=a) %}{{ b }}{% endmacro %}{{ m('x') }}"),
            "x");
  EXPECT_EQ(render("{{ missing }}{{ missing is defined }}{{ 'a' if false }}"),
            "False");
  EXPECT_EQ(render("{{ 'fOO bAR-baz (qux) x_y 3abc a.b'|title }}"),
            "Foo Bar-Baz (Qux) X_y 3abc A.b");
  EXPECT_EQ(render("{{ ('ab'|upper)[0] }}{{ (missing is defined) | string }}"),
            "AFalse");
  EXPECT_EQ(render("{{ \"3abc don't\".title() }}"), "3Abc Don'T");
  EXPECT_EQ(render("{{ ['a', 'A', 'b', 1, 1.0]|unique|join }}"), "ab1");
  EXPECT_EQ(render("{{ '12a'|int }} {{ ' 7 '|int }} {{ 'x'|int(3) }} "
                   "{{ 'x'|float(default=2) }} {{ '1.5'|int }}"),
            "0 7 3 2 1");
  EXPECT_EQ(render("{{ 'a b'.split(maxsplit=1)|join('|') }}"
                   "{{ 'a,b,c'.split(sep=',', maxsplit=1)|join('|') }}"),
            "a|ba|b,c");
  EXPECT_EQ(render("{{ {'a': 1}|tojson(ensure_ascii=false) }}"), "{\"a\": 1}");
  EXPECT_EQ(render("{{ 20 / 2 }} {{ 120 / 1 }} {{ 1 / 8 }} {{ 100000000.0 * "
                   "100000000 }} "
                   "{{ 100000000.0 * 10000000 }} {{ 1 / 100000 }} {{ 0.1 + 0.2 "
                   "}} {{ -2.5 }}"),
            "10.0 120.0 0.125 1e+16 1000000000000000.0 1e-05 "
            "0.30000000000000004 -2.5");
  EXPECT_EQ(render("{{ ' a '|trim }}{{ 'a,b'.split(',')|join('-') }}"), "aa-b");
}

TEST(ChatTemplateTest, RefusesByNameAndEndsInBounds) {
  const auto refused = [](const std::string& source) {
    const auto result = RenderChatTemplate(source, {}, {});
    EXPECT_FALSE(result.ok()) << source;
    return result.ok() ? std::string() : result.status().information();
  };
  EXPECT_NE(refused("\n{% include 'x' %}").find("line 2: the tag 'include'"),
            std::string::npos);
  EXPECT_NE(refused("{{ 1 | shuffle }}").find("the filter 'shuffle'"),
            std::string::npos);
  for (const char* ignored :
       {"{{ [2, 1]|unique(attribute='a') }}", "{{ {}|dictsort(reverse=true) }}",
        "{{ {}|tojson(sort_keys=true) }}", "{{ 'a'|indent(blank=true) }}",
        "{{ [[1]]|map('dictsort', by='value') }}",
        "{{ [{}]|map(attribute=1, by=2) }}",
        "{{ [{}]|map(attribute='a', x=1) }}", "{{ [1]|select('odd', x=1) }}",
        "{% macro m(a) %}{% endmacro %}{{ m(b=1) }}"}) {
    EXPECT_NE(refused(ignored).find("the argument '"), std::string::npos)
        << ignored << ": " << refused(ignored);
  }
  EXPECT_NE(refused("{% for i in [1] %}{% set x %}{% break %}{% endset %}"
                    "{% endfor %}")
                .find("outside of a loop"),
            std::string::npos);
  EXPECT_NE(refused(std::string((1 << 20) + 1, ' ')).find("more than 1048576"),
            std::string::npos);
  for (const char* wrong :
       {"{{ 'a'|upper[0] }}", "{{ 'a'|upper.x }}", "{{ 1 is odd.x }}",
        "{{ [1]|first(2) }}", "{{ [[1]]|map('first last') }}",
        "{{ [1]|map('') }}", "{{ 'a'|upper(1) }}", "{{ 'a'.strip(1) }}",
        "{{ 'a'.startswith('b', 1) }}", "{{ 'a'.upper('b') }}",
        "{{ 'a'.split(1) }}", "{{ 'a b'.split(' ', 'x') }}",
        "{{ {'a': 1}|tojson(ensure_ascii=true) }}"}) {
    refused(wrong);
  }
  EXPECT_NE(refused("{{ ''.__class__() }}").find("the method '__class__'"),
            std::string::npos);
  EXPECT_NE(refused("{{ open('f') }}").find("the function 'open'"),
            std::string::npos);
  EXPECT_NE(refused("{{ raise_exception('no') }}").find("no"),
            std::string::npos);
  const std::string loops =
      "{% for i in range(9999) %}{% for j in range(9999) %}{% endfor %}"
      "{% endfor %}";
  EXPECT_NE(refused(loops).find("steps"), std::string::npos);
  EXPECT_NE(refused("{% set n = namespace(x='aaaaaaaa') %}{% for i in range(99)"
                    " %}{% set n.x = n.x + n.x %}{% endfor %}")
                .find("bytes"),
            std::string::npos);
  EXPECT_NE(refused("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}")
                .find("too deep"),
            std::string::npos);
  EXPECT_NE(refused("{{ " + std::string(5000, '(') + " }}").find("levels"),
            std::string::npos);
}

// Trees that would exhaust the stack when they are evaluated or destroyed.
TEST(ChatTemplateTest, HighTreesAreRefused) {
  const auto repeat = [](const std::string& text, int times) {
    std::string result;
    for (int i = 0; i < times; ++i) result += text;
    return result;
  };
  const int n = 120000;
  const std::string layer = repeat(".a", 190);
  const std::string sources[] = {
      "{{ 1" + repeat("+1", n) + " }}",
      "{{ 1" + repeat(" if 1", n) + " }}",
      "{{ a" + repeat(".a", n) + " }}",
      "{{ a" + repeat("|e", n) + " }}",
      "{{ a" + repeat(" is none", n) + " }}",
      "{% set a" + repeat(".a", n) + " = 1 %}",
      "{% filter e" + repeat("|e", n) + " %}{% endfilter %}",
      "{{ " + repeat("(", 40) + "a" + repeat(layer + ")", 40) + " }}",
      "{{ " + repeat("-(a+", 40) + "1" + repeat(")", 40) + repeat("+1", 350) +
          " }}",
  };
  for (const std::string& source : sources) {
    const auto result = RenderChatTemplate(source, {}, {});
    ASSERT_FALSE(result.ok()) << source.substr(0, 40);
    EXPECT_NE(result.status().information().find("more than 400 blocks"),
              std::string::npos)
        << result.status().information();
  }
  // As high as they may be, also where a branch is not evaluated.
  EXPECT_TRUE(
      RenderChatTemplate("{{ 1" + repeat("+1", 390) + " }}", {}, {}).ok());
}

// Templates of which jinja2 itself would never end, or take all memory.
TEST(ChatTemplateTest, ListsOfThemselvesDoNoHarm) {
  const auto render = [](const std::string& source) {
    const auto result = RenderChatTemplate(source, {{"user", "u"}}, {});
    return result.ok() ? *result : result.status().information();
  };
  const std::string itself =
      "{% set x = [] %}{% set y = [] %}{% set _ = x.append(x) %}"
      "{% set _ = x.append(x) %}{% set _ = y.append(y) %}{% set _ = "
      "y.append(y) "
      "%}";
  EXPECT_NE(render(itself + "{{ x }}").find("bytes"), std::string::npos);
  EXPECT_NE(render(itself + "{{ x | tojson }}").find("bytes"),
            std::string::npos);
  EXPECT_NE(render(itself + "{{ x == y }}").find("steps"), std::string::npos);
  EXPECT_NE(render(itself + "{{ x in [y] }}").find("steps"), std::string::npos);
  // Lists in lists, as deep as steps allow, which are destroyed one by one.
  const std::string deep =
      "{% set n = namespace(x=[], y=[]) %}{% for i in range(20000) %}"
      "{% set n.x = [n.x] %}{% set n.y = [n.y] %}{% endfor %}";
  EXPECT_EQ(render(deep + "ok"), "ok");
  EXPECT_NE(render(deep + "{{ n.x == n.y }}").find("steps"), std::string::npos);
  EXPECT_NE(render(deep + "{{ n.x | length }}").find("1"), std::string::npos);
  const std::string doubles =
      "{% set n = namespace(x=['a']) %}{% for i in range(60) %}"
      "{% set n.x = [n.x, n.x] %}{% endfor %}{{ n.x }}";
  EXPECT_NE(render(doubles).find("bytes"), std::string::npos);
}

// Each of these would take minutes, gigabytes, or all of the stack.
TEST(ChatTemplateTest, WorkAndMemoryAreBounded) {
  const auto render = [](const std::string& source) {
    const auto result =
        RenderChatTemplate(source, {{"user", std::string(1 << 20, 'a')}}, {});
    return result.ok() ? *result : result.status().information();
  };
  std::string maps = "{% set a = [] %}{% set _ = a.append(a) %}{{ a|map(";
  for (int i = 0; i < 20000; ++i) maps += "'map', ";
  EXPECT_NE(render(maps + "'list') }}").find("too deep"), std::string::npos);
  const std::string text = "{% set x = messages[0].content %}";
  const auto loop = [&](const std::string& body) {
    return render("{% set n = namespace(x=[], d={}) %}" + text +
                  "{% for i in range(90000) %}" + body + "{% endfor %}");
  };
  for (const char* body :
       {"{% set _ = n.x.append(x.strip()) %}",
        "{% set _ = n.x.append({x + 'b': 1}) %}",
        "{% set _ = n.x.append(dict({'a': 1, 'b': 2, 'c': 3}, d=x + 'c')) %}",
        "{% for c in {x + 'b': 1} %}{% endfor %}",
        "{{ '[1, 2, 3]'|from_json }}"}) {
    EXPECT_NE(loop(body).find("steps"), std::string::npos) << body;
  }
  EXPECT_NE(loop("{% set _ = n.d.update({i|string: 1}) %}").find("keys"),
            std::string::npos);
  EXPECT_EQ(render(text + "{% set y = x[:500000] + 'b' %}{{ y in x }}"
                          "{{ x.find(y) }}{{ x.split(y)|length }}"
                          "{{ x.replace(y, 'c') == x }}"),
            "False-11True");
  // Lists that only lists of JSON refer to, which are destroyed one by one.
  EXPECT_EQ(
      render("{% set n = namespace(x=[]) %}{% for i in range(30000) %}"
             "{% set m = ('[[]]'|from_json)[0] %}"
             "{% set _ = m.append(n.x) %}{% set n.x = m %}{% endfor %}ok"),
      "ok");
}

TEST(ChatTemplateTest, CharactersOfLongTexts) {
  const std::string content(1 << 20, 'a');
  const auto render = [&](const std::string& source) {
    const auto result =
        RenderChatTemplate(source, {{"user", content + "\xc3\xa9"}}, {});
    return result.ok() ? *result : result.status().information();
  };
  EXPECT_EQ(render("{{ messages[0].content[-1] }}"), "\xc3\xa9");
  EXPECT_EQ(render("{{ messages[0].content[:3] }}"), "aaa");
  EXPECT_EQ(render("{{ messages[0].content | length }}"), "1048577");
  EXPECT_NE(render("{% for c in messages[0].content %}{% endfor %}")
                .find("characters"),
            std::string::npos);
  EXPECT_NE(
      render("{{ messages[0].content.split('a') | length }}").find("elements"),
      std::string::npos);
}

TEST(ChatTemplateTest, NumbersDoNotOverflow) {
  const auto render = [](const std::string& source) {
    const auto result = RenderChatTemplate(source, {}, {});
    return result.ok() ? *result : result.status().information();
  };
  const std::string least = "(-9223372036854775807 - 1)";
  for (const std::string& source :
       {"-" + least, least + " // -1", least + " | abs",
        std::string("9223372036854775807 + 1"), least + " * 2"}) {
    EXPECT_NE(render("{{ " + source + " }}").find("too large"),
              std::string::npos)
        << source;
  }
  EXPECT_EQ(render("{{ 9223372036854775806 % 9223372036854775807 }}"),
            "9223372036854775806");
  EXPECT_EQ(render("{{ " + least + " // 3 }} {{ 7 // -2 }} {{ 7 % -2 }}"),
            "-3074457345618258603 -4 -1");
  EXPECT_NE(render("{{ 9223372036854775808 }}").find("too large"),
            std::string::npos);
  EXPECT_NE(render("{{ '[-9223372036854775809]' | from_json }}").find("byte"),
            std::string::npos);
}

// The values are those of Python.
TEST(ChatTemplateTest, ComparesWholeNumbersExactly) {
  const auto render = [](const std::string& source) {
    const auto result = RenderChatTemplate("{{ " + source + " }}", {}, {});
    return result.ok() ? *result : result.status().information();
  };
  EXPECT_EQ(render("9007199254740993 == 9007199254740992"), "False");
  EXPECT_EQ(render("9007199254740993 > 9007199254740992"), "True");
  EXPECT_EQ(render("2 == 2.0"), "True");
  EXPECT_EQ(render("1.5 < 2"), "True");
  EXPECT_EQ(render("3.0 is odd"), "True");
  EXPECT_EQ(render("-3 is odd"), "True");
  EXPECT_EQ(render("-4.0 is even"), "True");
  EXPECT_EQ(render("2.5 is even"), "False");
  EXPECT_EQ(render("2.5 is odd"), "False");
  EXPECT_EQ(render("[x]"), "[Undefined]");
  for (const char* source : {"'a' is even", "x is odd", "'a' | abs"}) {
    EXPECT_NE(render(source).find(" of "), std::string::npos) << source;
  }
  EXPECT_EQ(render("-1 | abs"), "1") << "(-1) | abs";
  EXPECT_EQ(render("2 - -1 | abs"), "1");
  EXPECT_EQ(render("true | abs"), "1");
  EXPECT_EQ(render("-2 * 3 | abs"), "-6");
  EXPECT_EQ(render("- -3 is odd and not 1 is even"), "True");
  EXPECT_NE(render("'a' | indent('x')").find("whole number"),
            std::string::npos);
}

}  // namespace
}  // namespace mace::generation
