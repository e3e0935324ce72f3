#include "dumper/options/load_config.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "dumper/options/option_names.h"
#include "test/unit/temp_dir.h"

namespace lockstep::dumper {
namespace {

using Strings = std::vector<std::string>;

LoadedConfig load(Strings environment) {
  std::vector<const char*> pointers;
  for (const std::string& entry : environment) pointers.push_back(entry.c_str());
  pointers.push_back(nullptr);
  return load_config(pointers.data());
}

Strings sentences(const LoadedConfig& loaded) {
  Strings all;
  for (const Notice& notice : loaded.notices) all.push_back(notice.sentence);
  return all;
}

class ConfigFile : public testing::Test {
 protected:
  LoadedConfig load_file(const std::string& json, Strings environment = {}) {
    std::ofstream(path_) << json;
    environment.push_back("LOCKSTEP_CONFIG=" + path_);
    return load(environment);
  }
  const TempDir folder_;
  const std::string path_ = folder_ / "c.json";
};

TEST(Config, HasTheDefaultsOfTheTable) {
  const LoadedConfig loaded = load({});

  EXPECT_EQ(loaded.config.u64(Option::DumpIntervalUs), 1000000u);
  EXPECT_EQ(loaded.config.u64(Option::BufferMb), 256u);
  EXPECT_EQ(loaded.config.u64(Option::MaxDiskMb), 0u);
  EXPECT_EQ(loaded.config.u64(Option::Events), 0x7fffu & ~(0x10u | 0x20u | 0x80u));
  EXPECT_TRUE(loaded.config.flag(Option::CrashSafe));
  EXPECT_STREQ(loaded.config.text(Option::Sync), "none");
  EXPECT_STREQ(loaded.config.text(Option::Dir), "");
  EXPECT_FALSE(loaded.config.is_set(Option::Enable));
  EXPECT_EQ(sentences(loaded), Strings{});
}

TEST(Config, EveryDefaultIsAValueOfItsOwnRange) {
  for (const OptionRow& row : kOptions) {
    if (*row.value == '\0') continue;
    Config config;
    const auto option = static_cast<Option>(&row - kOptions);
    EXPECT_TRUE(config.set(option, row.value, Origin::File).ok()) << row.name;
  }
}

TEST(Config, TakesValuesFromTheEnvironment) {
  const LoadedConfig loaded =
      load({"PATH=/bin", "LOCKSTEP_DUMP_INTERVAL_US=250000", "LOCKSTEP_SYNC=interval",
            "LOCKSTEP_CRASH_SAFE=off", "LOCKSTEP_OVERHEAD_PERCENT=0.5", "LOCKSTEP_DIR=/d"});

  EXPECT_EQ(loaded.config.u64(Option::DumpIntervalUs), 250000u);
  EXPECT_EQ(loaded.config.origin(Option::DumpIntervalUs), Origin::Environment);
  EXPECT_EQ(loaded.config.u64(Option::Sync), 2u);
  EXPECT_FALSE(loaded.config.flag(Option::CrashSafe));
  EXPECT_DOUBLE_EQ(loaded.config.real(Option::OverheadPercent), 0.5);
  EXPECT_STREQ(loaded.config.text(Option::Dir), "/d");
  EXPECT_EQ(loaded.config.origin(Option::BufferMb), Origin::Default);
  EXPECT_EQ(sentences(loaded), Strings{});
}

TEST(Config, SaysInOneLineWhatIsNotDefaultAndWhereItWasSet) {
  EXPECT_EQ(settings_in_words(load({}).config), "configuration: all default");
  const LoadedConfig loaded =
      load({"LOCKSTEP_EVENTS=all", "LOCKSTEP_BUFFER_MB=3", "LOCKSTEP_DIR=/runs"});
  EXPECT_EQ(settings_in_words(loaded.config),
            "configuration: LOCKSTEP_EVENTS=all (environment), LOCKSTEP_DIR=/runs (environment); "
            "the rest is default");
}

TEST(Config, NamesTheNearestOptionForAMisspelledVariable) {
  const LoadedConfig loaded =
      load({"LOCKSTEP_DUMP_INTERVL_US=5", "LOCKSTEP_FOO_BAR_BAZ=1", "LOCKSTEP_TEST_LOG=1"});

  EXPECT_EQ(
      sentences(loaded),
      (Strings{
          "LOCKSTEP_DUMP_INTERVL_US is not an option of lockstep: did you mean "
          "LOCKSTEP_DUMP_INTERVAL_US?",
          "LOCKSTEP_FOO_BAR_BAZ is not an option of lockstep; `lockstep config` lists the names"}));
}

TEST(Config, KeepsTheDefaultAndSaysTheRangeForABadValue) {
  const LoadedConfig loaded =
      load({"LOCKSTEP_BUFFER_MB=3", "LOCKSTEP_ZSTD_LEVEL=fast", "LOCKSTEP_SYNC=always",
            "LOCKSTEP_CRASH_SAFE=2", "LOCKSTEP_ROTATE_MB=-1",
            "LOCKSTEP_MAX_DISK_MB=99999999999999999999"});

  EXPECT_EQ(loaded.config.u64(Option::BufferMb), 256u);
  EXPECT_EQ(loaded.config.u64(Option::RotateMb), 256u);
  EXPECT_EQ(
      sentences(loaded),
      (Strings{
          "LOCKSTEP_BUFFER_MB=3: expected a whole number from 4 to 1048576; using 256 (default)",
          "LOCKSTEP_ZSTD_LEVEL=fast: expected a whole number from 1 to 19; using 1 (default)",
          "LOCKSTEP_SYNC=always: expected one of none|chunk|interval; using none (default)",
          "LOCKSTEP_CRASH_SAFE=2: expected 0 or 1; using 1 (default)",
          "LOCKSTEP_ROTATE_MB=-1: expected a whole number from 1 to 1048576; using 256 (default)",
          "LOCKSTEP_MAX_DISK_MB=99999999999999999999: expected a whole number from 0 to "
          "1073741824; using 0 "
          "(default)"}));
}

TEST(Config, KeepsOfHowManyOperationsTheDeepKindsAreWanted) {
  EXPECT_EQ(load({}).config.events().one_in, 1u);
  const LoadedConfig loaded = load({"LOCKSTEP_EVENTS=step:1/16"});
  EXPECT_EQ(loaded.config.events().kinds, loaded.config.u64(Option::Events));
  EXPECT_EQ(loaded.config.events().one_in, 16u);
  EXPECT_EQ(load({"NCCL_PROFILE_EVENT_MASK=6"}).config.events().one_in, 1u);
}

TEST(Config, HonoursNcclsMaskOnlyWhereOurOwnNameIsNotGiven) {
  EXPECT_EQ(load({"NCCL_PROFILE_EVENT_MASK=6"}).config.u64(Option::Events), 6u);
  EXPECT_EQ(load({"NCCL_PROFILE_EVENT_MASK=6", "LOCKSTEP_EVENTS=Coll"}).config.u64(Option::Events),
            2u);
}

TEST(Config, TreatsAnEmptyVariableAsUnset) {
  const LoadedConfig loaded = load({"LOCKSTEP_BUFFER_MB=", "LOCKSTEP_ENABLE="});

  EXPECT_EQ(loaded.config.origin(Option::BufferMb), Origin::Default);
  EXPECT_FALSE(loaded.config.is_set(Option::Enable));
  EXPECT_EQ(sentences(loaded), Strings{});
}

TEST_F(ConfigFile, LosesToTheEnvironmentKeyByKey) {
  const LoadedConfig loaded =
      load_file(R"({"rotate_mb": 16, "buffer_mb": 64, "crash_safe": false, "dir": "/x"})",
                {"LOCKSTEP_ROTATE_MB=32"});

  EXPECT_EQ(loaded.config.u64(Option::RotateMb), 32u);
  EXPECT_EQ(loaded.config.origin(Option::RotateMb), Origin::Environment);
  EXPECT_EQ(loaded.config.u64(Option::BufferMb), 64u);
  EXPECT_EQ(loaded.config.origin(Option::BufferMb), Origin::File);
  EXPECT_FALSE(loaded.config.flag(Option::CrashSafe));
  EXPECT_EQ(sentences(loaded), Strings{});
}

TEST_F(ConfigFile, KeepsItsValueWhenTheVariableIsWrong) {
  const LoadedConfig loaded = load_file(R"({"rotate_mb": 16})", {"LOCKSTEP_ROTATE_MB=x"});

  EXPECT_EQ(loaded.config.u64(Option::RotateMb), 16u);
  EXPECT_EQ(
      sentences(loaded),
      Strings{"LOCKSTEP_ROTATE_MB=x: expected a whole number from 1 to 1048576; using 16 (file)"});
}

// Found by test/fuzz/config: the reader looked for the rest of the character behind the text.
TEST_F(ConfigFile, EndsWhereTheFileEndsAlsoInsideACharacter) {
  for (const char* text : {"{\"dir\": \"/\xe2", "{\"dir\": \"/\xf0\x9f", "{\"\xc3"}) {
    const LoadedConfig loaded = load_file(text);

    ASSERT_EQ(loaded.notices.size(), 1u);
    EXPECT_NE(loaded.notices[0].sentence.find("The whole file is ignored"), std::string::npos)
        << loaded.notices[0].sentence;
  }
}

TEST_F(ConfigFile, ReportsEachWrongKeyAndValueWithItsLine) {
  const LoadedConfig loaded = load_file(
      "{\n\"dump_intervall_us\": 5,\n\"zstd_level\": 99,\n\"sync\": [\"chunk\"],\n\"config\": "
      "\"y\",\n"
      "\"dir\": null,\n\"buffer_mb\": 8\n}");

  EXPECT_EQ(loaded.config.u64(Option::BufferMb), 8u);
  EXPECT_EQ(
      sentences(loaded),
      (Strings{
          path_ + ", line 2: dump_intervall_us is not an option of lockstep: did you mean "
                  "dump_interval_us?",
          path_ + ", line 3: zstd_level is '99': expected a whole number from 1 to 19; using 1",
          path_ + ", line 4: sync: expected one value, not a list or an object",
          path_ + ", line 5: config belongs in the environment (LOCKSTEP_CONFIG), not in a file",
          path_ + ", line 6: dir: null is no value; leave the key out"}));
}

TEST_F(ConfigFile, ReportsLineAndColumnOfBadJsonAndIgnoresAllOfIt) {
  const LoadedConfig loaded = load_file("{\n  \"buffer_mb\": 64,\n  \"rotate_mb\": 16,\n}");

  EXPECT_EQ(loaded.config.u64(Option::BufferMb), 256u);
  EXPECT_EQ(
      sentences(loaded),
      Strings{path_ +
              ", line 4, column 1: Missing a name for object member. The whole file is ignored"});
}

TEST_F(ConfigFile, SurvivesNestingWithoutEnd) {
  const LoadedConfig loaded = load_file(std::string(1000000, '['));

  ASSERT_EQ(loaded.notices.size(), 1u);
  EXPECT_NE(loaded.notices[0].sentence.find("line 1, column 1000001"), std::string::npos);
}

TEST_F(ConfigFile, MustBeAnObject) {
  EXPECT_EQ(sentences(load_file("[1]")),
            Strings{path_ + ": expected one object of options; the file is ignored"});
}

TEST_F(ConfigFile, IsMissedAloudAndRelativePathsShowTheirFolder) {
  char folder[4096];
  ASSERT_NE(getcwd(folder, sizeof(folder)), nullptr);

  EXPECT_EQ(sentences(load({"LOCKSTEP_CONFIG=nowhere.json"})),
            Strings{std::string("cannot read the configuration nowhere.json (in ") + folder +
                    "): No such file or directory; it is ignored"});
  EXPECT_EQ(sentences(load({"LOCKSTEP_CONFIG=/dev/zero"})),
            Strings{"cannot read the configuration /dev/zero: it is not a file; it is ignored"});
}

std::string notice_in(const Strings& environment) {
  std::vector<const char*> pointers;
  for (const std::string& entry : environment) pointers.push_back(entry.c_str());
  pointers.push_back(nullptr);
  return not_enabled_notice(pointers.data());
}

TEST(Config, SaysWhatIsSetInVainWhenNotEnabled) {
  EXPECT_EQ(notice_in({"LOCKSTEP_DIR=/d", "HOME=/", "LOCKSTEP_ROTATE_MB=4"}),
            "lockstep is configured (LOCKSTEP_DIR, LOCKSTEP_ROTATE_MB) but not enabled, so nothing "
            "is recorded: set "
            "NCCL_PROFILER_PLUGIN=lockstep or LOCKSTEP_ENABLE=1");
  EXPECT_EQ(notice_in({"LOCKSTEP_DIR=/d", "LOCKSTEP_ENABLE=0"}), "");
  EXPECT_EQ(notice_in({}), "");
}

TEST(Config, DoesNotTakeNcclsNamesOrTheCommandsForAWishToRecord) {
  EXPECT_EQ(notice_in({"NCCL_PROFILE_EVENT_MASK=6", "LOCKSTEP_DUCKDB=/d.so", "LOCKSTEP_DIR="}), "");
}

TEST(Config, ShowsWhatAPresetSetsAndThatThePresetSetIt) {
  const Config config =
      load({"LOCKSTEP_CLOCK_PRESET=low-overhead", "LOCKSTEP_CLOCK_DEGREE=6"}).config;

  EXPECT_STREQ(config.text(Option::ClockCadenceUs), "1000000");
  EXPECT_EQ(config.u64(Option::ClockCadenceUs), 1'000'000u);
  EXPECT_EQ(config.origin(Option::ClockCadenceUs), Origin::Preset);
  EXPECT_EQ(config.u64(Option::ClockDegree), 6u);
  EXPECT_EQ(config.origin(Option::ClockDegree), Origin::Environment);
  EXPECT_EQ(config.origin(Option::ClockTrain), Origin::Default);
}

TEST(Config, HasOnlyValuesInItsPresetsThatTheirOptionsTake) {
  for (const OptionPreset& preset : kClockPresets)
    EXPECT_TRUE(Config().set(preset.option, preset.value, Origin::Preset).ok()) << preset.value;
}

TEST_F(ConfigFile, OfXlasProfilerIsReadUnderOurs) {
  std::ofstream(path_) << R"({"enabled": true, "probe_cadence_us": 800, "probe_cadance_us": 1})";

  const LoadedConfig loaded =
      load({"XLA_DIST_PROF_CONFIG=" + path_, "LOCKSTEP_CLOCK_SPACING_US=50"});

  EXPECT_EQ(loaded.config.u64(Option::ClockCadenceUs), 800u);
  EXPECT_EQ(loaded.config.origin(Option::ClockCadenceUs), Origin::File);
  EXPECT_TRUE(loaded.config.flag(Option::Clock));
  EXPECT_EQ(loaded.config.u64(Option::ClockSpacingUs), 50u);
  const Strings said = sentences(loaded);
  EXPECT_EQ(said.front(), "XLA_DIST_PROF_CONFIG is read like LOCKSTEP_CONFIG");
  EXPECT_NE(std::find_if(said.begin(), said.end(),
                         [](const std::string& sentence) {
                           return sentence.find(
                                      "probe_cadance_us is not an option of lockstep: did you mean "
                                      "probe_cadence_us?") != std::string::npos;
                         }),
            said.end());
}

TEST(Config, NamesTheXlaVariableThatIsMisspelledAndNoOther) {
  const LoadedConfig loaded = load({"XLA_PROBE_CADANCE_US=800", "XLA_FLAGS=--xla_dump_to=/d",
                                    "XLA_PYTHON_CLIENT_MEM_FRACTION=.5", "XLA_PROBE_WINDOW_S=4"});
  EXPECT_EQ(sentences(loaded),
            (Strings{"XLA_PROBE_CADANCE_US is not an option: did you mean XLA_PROBE_CADENCE_US?",
                     "XLA_PROBE_WINDOW_S is taken as LOCKSTEP_CLOCK_WINDOW_S"}));
  EXPECT_EQ(loaded.config.origin(Option::ClockCadenceUs), Origin::Default);
}

TEST(Config, ShowsEveryOptionWithItsOriginAsJson) {
  const std::string json = config_json(load({"LOCKSTEP_DIR=a\"b"}).config);

  EXPECT_NE(json.find(R"("dir":{"value":"a\"b","origin":"environment"})"), std::string::npos);
  EXPECT_NE(json.find(R"("rotate_mb":{"value":"256","origin":"default"})"), std::string::npos);
}

}  // namespace
}  // namespace lockstep::dumper
