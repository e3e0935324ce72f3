/* Prints every collective that a run's ranks called: when (ns on the hosts' common clock, or on
 * their own where there is none), host, rank, operation and number of elements.
 *
 *   cc read_run.c $(pkg-config --cflags --libs lockstep) -o read_run && ./read_run my-run */
#include <inttypes.h>
#include <lockstep/read.h>
#include <stdio.h>

static int complain(void) {
  fprintf(stderr, "%s\n", lockstep_error());
  return 3;
}

static void print_collective(const lockstep_run* run, const lockstep_record* record) {
  const lockstep_process* process = lockstep_process_at(run, record->process);
  const char* operation = lockstep_text(record, (size_t)lockstep_find_field(record, "func"));
  const uint64_t count = lockstep_value(record, (size_t)lockstep_find_field(record, "count"));
  lockstep_time time;
  if (lockstep_common_time(run, record->process, record->raw_ns, &time) != LOCKSTEP_OK)
    time.ns = (int64_t)record->raw_ns;
  printf("%" PRId64 " %s %" PRId64 " %s %" PRIu64 "\n", time.ns, process->host, record->rank,
         operation == NULL ? "?" : operation, count);
}

int main(int argc, char** argv) {
  lockstep_run* run;
  lockstep_records* records;
  const lockstep_record* record;
  lockstep_status status;
  const int32_t collective = lockstep_kind_number("Coll");
  size_t i, damages;

  if (lockstep_open(argc > 1 ? argv[1] : ".", &run) != LOCKSTEP_OK) return complain();
  if (lockstep_read_records(run, LOCKSTEP_ALL_PROCESSES, &records) != LOCKSTEP_OK)
    return complain();
  while ((status = lockstep_next(records, &record)) == LOCKSTEP_OK) {
    if (record->call == LOCKSTEP_CALL_START && record->kind == collective)
      print_collective(run, record);
  }
  if (status != LOCKSTEP_END) return complain();
  damages = lockstep_damage_count(records);
  for (i = 0; i < damages; ++i) fprintf(stderr, "%s\n", lockstep_damage_at(records, i)->sentence);
  lockstep_close_records(records);
  lockstep_close(run);
  return damages == 0 ? 0 : 1;
}
