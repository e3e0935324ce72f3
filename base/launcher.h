// What launchers and schedulers say about the job a process belongs to: one table of their variables
// for SLURM, torchrun, PMIx, Open MPI, MPICH's Hydra, PBS, LSF and Flux. Whatever needs the job,
// the rank or the number of ranks asks here; a segment keeps these variables and no others. Cold
// code; reads no environment by itself, so tests pass theirs. Never fails: what nobody says is empty.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace lockstep {

enum class Launcher : uint8_t { Slurm, Torchrun, Pmix, OpenMpi, Hydra, Pbs, Lsf, Flux };

enum class LaunchFact : uint8_t {
  Job,       // the id of the job, the same for all of its processes and for no other job's
  JobName,   // what its owner calls it
  ArrayJob,  // of a job array: the array, and which of its jobs this is
  ArrayTask,
  Step,       // which program of the job
  Component,  // of a heterogeneous job
  Restart,    // how often it was begun again under the same id
  Rank,       // among all processes of the step; below, how many there are
  Ranks,
  LocalRank,  // among those of this host
  Node,       // the host's place among the job's; below, how many there are
  Nodes,
  Master,  // address and port where the job's processes meet
  MasterPort,
};

struct LaunchVariable {
  LaunchFact fact;
  Launcher launcher;
  const char* name;
};

// For each fact the first that is set counts.
inline constexpr LaunchVariable kLaunchVariables[] = {
    {LaunchFact::Job, Launcher::Slurm, "SLURM_JOB_ID"},
    {LaunchFact::Job, Launcher::Slurm, "SLURM_JOBID"},
    {LaunchFact::Job, Launcher::Torchrun, "TORCHELASTIC_RUN_ID"},
    {LaunchFact::Job, Launcher::Pmix, "PMIX_NAMESPACE"},
    {LaunchFact::Job, Launcher::OpenMpi, "OMPI_MCA_ess_base_jobid"},
    {LaunchFact::Job, Launcher::Pbs, "PBS_JOBID"},
    {LaunchFact::Job, Launcher::Lsf, "LSB_JOBID"},
    {LaunchFact::Job, Launcher::Flux, "FLUX_JOB_ID"},
    {LaunchFact::JobName, Launcher::Slurm, "SLURM_JOB_NAME"},
    {LaunchFact::JobName, Launcher::Pbs, "PBS_JOBNAME"},
    {LaunchFact::JobName, Launcher::Lsf, "LSB_JOBNAME"},
    {LaunchFact::ArrayJob, Launcher::Slurm, "SLURM_ARRAY_JOB_ID"},
    {LaunchFact::ArrayTask, Launcher::Slurm, "SLURM_ARRAY_TASK_ID"},
    {LaunchFact::ArrayTask, Launcher::Pbs, "PBS_ARRAY_INDEX"},
    {LaunchFact::ArrayTask, Launcher::Lsf, "LSB_JOBINDEX"},
    {LaunchFact::Step, Launcher::Slurm, "SLURM_STEP_ID"},
    {LaunchFact::Component, Launcher::Slurm, "SLURM_HET_GROUP_ID"},
    {LaunchFact::Restart, Launcher::Slurm, "SLURM_RESTART_COUNT"},
    {LaunchFact::Restart, Launcher::Torchrun, "TORCHELASTIC_RESTART_COUNT"},
    {LaunchFact::Rank, Launcher::Slurm, "SLURM_PROCID"},
    {LaunchFact::Rank, Launcher::OpenMpi, "OMPI_COMM_WORLD_RANK"},
    {LaunchFact::Rank, Launcher::Pmix, "PMIX_RANK"},
    {LaunchFact::Rank, Launcher::Hydra, "PMI_RANK"},
    {LaunchFact::Rank, Launcher::Flux, "FLUX_TASK_RANK"},
    {LaunchFact::Rank, Launcher::Torchrun, "RANK"},
    {LaunchFact::Ranks, Launcher::Slurm, "SLURM_NTASKS"},
    {LaunchFact::Ranks, Launcher::OpenMpi, "OMPI_COMM_WORLD_SIZE"},
    {LaunchFact::Ranks, Launcher::Hydra, "PMI_SIZE"},
    {LaunchFact::Ranks, Launcher::Flux, "FLUX_JOB_SIZE"},
    {LaunchFact::Ranks, Launcher::Torchrun, "WORLD_SIZE"},
    {LaunchFact::LocalRank, Launcher::Slurm, "SLURM_LOCALID"},
    {LaunchFact::LocalRank, Launcher::OpenMpi, "OMPI_COMM_WORLD_LOCAL_RANK"},
    {LaunchFact::LocalRank, Launcher::Hydra, "MPI_LOCALRANKID"},
    {LaunchFact::LocalRank, Launcher::Flux, "FLUX_TASK_LOCAL_ID"},
    {LaunchFact::LocalRank, Launcher::Torchrun, "LOCAL_RANK"},
    {LaunchFact::Node, Launcher::Slurm, "SLURM_NODEID"},
    {LaunchFact::Node, Launcher::Torchrun, "GROUP_RANK"},
    {LaunchFact::Nodes, Launcher::Slurm, "SLURM_JOB_NUM_NODES"},
    {LaunchFact::Nodes, Launcher::Flux, "FLUX_JOB_NNODES"},
    {LaunchFact::Master, Launcher::Torchrun, "MASTER_ADDR"},
    {LaunchFact::MasterPort, Launcher::Torchrun, "MASTER_PORT"},
};

// The value of an environment variable, empty when it is not set.
using Variables = std::function<std::string(const char* name)>;
// `environment` as `environ` is: NAME=value strings, ended by a null pointer. It must outlive the
// result.
Variables variables_of(const char* const* environment);
// Those of this process, by getenv().
Variables process_variables();

struct LaunchValue {
  const LaunchVariable* variable = nullptr;  // null when nobody says
  std::string text;
};
// The fact as the first launcher of the table that states it, or as the given launcher alone. torchrun's
// run id without a rendezvous is `none` for every job, so it counts as not stated.
LaunchValue launch_value(LaunchFact fact, const Variables& variables,
                         std::optional<Launcher> only = std::nullopt);
std::string launch_fact(LaunchFact fact, const Variables& variables,
                        std::optional<Launcher> only = std::nullopt);

}  // namespace lockstep
