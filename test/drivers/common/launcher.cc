#include "test/drivers/common/launcher.h"

#include <cstdlib>

namespace lockstep::driver {
namespace {

const char* first_set(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* value = getenv(name);
    if (value != nullptr && *value != '\0') return value;
  }
  return nullptr;
}

// The first host of a SLURM list such as "node[3-7],other": "node3".
std::string first_slurm_host(const std::string& list) {
  const size_t bracket = list.find('[');
  const size_t comma = list.find(',');
  if (bracket == std::string::npos || comma < bracket) return list.substr(0, comma);
  return list.substr(0, bracket) +
         list.substr(bracket + 1, list.find_first_of(",-]", bracket) - bracket - 1);
}

std::string default_master() {
  const char* host = getenv("MASTER_ADDR");
  const char* port = getenv("MASTER_PORT");
  const char* list = first_set({"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"});
  const char* job = getenv("SLURM_JOB_ID");
  const int job_port = 29400 + (job == nullptr ? 0 : atoi(job) % 1000);
  const std::string first = list != nullptr ? first_slurm_host(list) : "127.0.0.1";
  return (host != nullptr ? std::string(host) : first) + ":" +
         (port != nullptr ? std::string(port) : std::to_string(job_port));
}

}  // namespace

PlaceOptions add_place_options(base::Command& program, LaunchPlace* place) {
  const base::Argument ranks =
      program.option("--ranks", &place->world, "ranks, as processes of this machine")
          .between(1, 4096);
  const base::Argument rank =
      program.option("--rank", &place->rank, "run this rank only, started by a launcher");
  const base::Argument world =
      program.option("--world", &place->world, "of so many ranks").needs(rank).excludes(ranks);
  program.option("--master", &place->master,
                 "HOST:PORT where rank 0 listens (default: MASTER_ADDR, MASTER_PORT)");
  return {ranks, world};
}

std::string settle_place(const PlaceOptions& given, LaunchPlace* place) {
  const char* rank = first_set({"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"});
  const char* world = first_set({"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"});
  const bool told = given.ranks.given() || given.world.given() || place->rank != kNobody;
  if (!told && rank != nullptr && world != nullptr && atoi(world) > 1) {
    place->rank = atoi(rank);
    place->world = atoi(world);
  }
  if (place->rank == kNobody) return "";
  if (place->master.empty()) place->master = default_master();
  if (place->rank >= 0 && place->rank < place->world) return "";
  return "rank " + std::to_string(place->rank) + " is not below the world size " +
         std::to_string(place->world);
}

}  // namespace lockstep::driver
