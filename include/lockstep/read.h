/* Reads what lockstep recorded, from C, C++, or any language that calls C: a run's processes, its
 * records in time order with every field by name, texts, and times on three clocks. Link with
 * -llockstep. docs/reading.md explains it; docs/examples/ has a reader in C and one in Python.
 *
 *   lockstep_run* run;
 *   lockstep_records* records;
 *   const lockstep_record* record;
 *   if (lockstep_open("my-run", &run) != LOCKSTEP_OK) return complain(lockstep_error());
 *   if (lockstep_read_records(run, LOCKSTEP_ALL_PROCESSES, &records) == LOCKSTEP_OK) {
 *     while (lockstep_next(records, &record) == LOCKSTEP_OK) use(record);
 *     lockstep_close_records(records);
 *   }
 *   lockstep_close(run);
 *
 * Errors are a lockstep_status and a sentence, lockstep_error(). No C++ exception leaves the library,
 * and nothing is printed. Damage in a file is no error: reading goes on behind it, and
 * lockstep_damage_count() and lockstep_damage_at() tell what was passed over.
 *
 * Threads: a run and what was made from it are used by one thread at a time; different runs are
 * independent. The library starts no thread.
 *
 * Memory: whatever a function returns a pointer to belongs to the library and is read-only. It lives
 * as long as its comment says. Memory used does not depend on how long the recording is.
 *
 * Versions: later versions add functions, enumerators and last members of lockstep_process and
 * lockstep_record, and raise LOCKSTEP_READ_VERSION. A change of anything else would be another
 * library, liblockstep.so.1.
 */
#ifndef LOCKSTEP_READ_H
#define LOCKSTEP_READ_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define LOCKSTEP_API __attribute__((visibility("default")))
#else
#define LOCKSTEP_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header, and that of the library in use. */
#define LOCKSTEP_READ_VERSION 3
LOCKSTEP_API uint32_t lockstep_read_version(void);

typedef enum lockstep_status {
  LOCKSTEP_OK = 0,
  LOCKSTEP_END = 1,          /* there are no more records: no error */
  LOCKSTEP_UNREADABLE = 2,   /* nothing in the folder can be read */
  LOCKSTEP_BAD_ARGUMENT = 3, /* a NULL handle, or a process that the run does not have */
  LOCKSTEP_NO_CLOCK = 4,     /* this host is on no common clock */
  LOCKSTEP_NO_MEMORY = 5
} lockstep_status;

/* Why the last call of this thread that did not return LOCKSTEP_OK or LOCKSTEP_END failed: a sentence
 * with the file and, for damage, the byte offset. "" when none did. Valid until this thread's next
 * failure. */
LOCKSTEP_API const char* lockstep_error(void);

/* ---- Runs and processes ---- */

typedef struct lockstep_run lockstep_run;

/* Opens a run directory, the one that LOCKSTEP_DIR named, and puts the handle into *run. A run that
 * is still being written can be read: what comes later needs a new open. */
LOCKSTEP_API lockstep_status lockstep_open(const char* directory, lockstep_run** run);
/* Records that are being read stay valid. NULL is allowed. */
LOCKSTEP_API void lockstep_close(lockstep_run* run);

typedef struct lockstep_process {
  const char* host;
  uint32_t pid;
  uint32_t nccl_version;       /* as ncclGetVersion gives it: 23102 is 2.31.2; 0 = not known */
  const char* boot_id;         /* of its host; processes of one host share their raw clock */
  const char* command;         /* the program's name */
  const char* library_version; /* of the lockstep that recorded it */
  const char* facts; /* all facts as JSON: docs/format.md, "Facts"; "" = none can be read */
} lockstep_process;

LOCKSTEP_API size_t lockstep_process_count(const lockstep_run* run);
/* Process 0 to count - 1, by host and pid; NULL for others. Valid until lockstep_close(). */
LOCKSTEP_API const lockstep_process* lockstep_process_at(const lockstep_run* run, size_t process);

/* ---- Records ---- */

typedef enum lockstep_call {
  LOCKSTEP_CALL_START = 0,
  LOCKSTEP_CALL_STATE = 1,
  LOCKSTEP_CALL_STOP = 2,
  LOCKSTEP_CALL_COMM_INIT = 3,
  LOCKSTEP_CALL_COMM_FINALIZE = 4,
  LOCKSTEP_CALL_COMM_INFO = 5, /* a communicator's name and id, where its init did not tell them */
  /* From version 3 on: marks of the program's own (lockstep/mark.h). */
  LOCKSTEP_CALL_STEP_BEGIN = 6,
  LOCKSTEP_CALL_STEP_END = 7,
  LOCKSTEP_CALL_RANGE_PUSH = 8,
  LOCKSTEP_CALL_RANGE_POP = 9,
  LOCKSTEP_CALL_RANGE_START = 10, /* a range of NVTX that any thread may end */
  LOCKSTEP_CALL_RANGE_END = 11,
  LOCKSTEP_CALL_TEXT = 12,
  LOCKSTEP_CALL_CAPTURE_START = 13,
  LOCKSTEP_CALL_CAPTURE_STOP = 14
} lockstep_call;

/* How to read the number that lockstep_value() gives. */
typedef enum lockstep_type {
  LOCKSTEP_TYPE_UNSIGNED = 0,
  LOCKSTEP_TYPE_SIGNED = 1,   /* cast it to int64_t */
  LOCKSTEP_TYPE_FLAG = 2,     /* 0 or 1 */
  LOCKSTEP_TYPE_TEXT = 3,     /* lockstep_text() gives the text */
  LOCKSTEP_TYPE_ADDRESS = 4,  /* a pointer or hash, best shown in hexadecimal */
  LOCKSTEP_TYPE_EVENT = 5,    /* the id of an event; 0 = none */
  LOCKSTEP_TYPE_GPU_TIME = 6, /* a GPU's own clock; 0 = none */
  LOCKSTEP_TYPE_ARGUMENT = 7  /* a number, or LOCKSTEP_NO_ARGUMENT where NCCL passed none */
} lockstep_type;
#define LOCKSTEP_NO_ARGUMENT UINT64_MAX

typedef struct lockstep_field {
  const char* name; /* as `lockstep cat` prints it */
  const char* unit; /* "bytes", "ns", or "" for a plain number */
  const char* note; /* for people, for example "from v7"; may be "" */
  lockstep_type type;
} lockstep_field;

/* One call that NCCL made. */
typedef struct lockstep_record {
  uint64_t raw_ns;    /* when: CLOCK_MONOTONIC_RAW of the process's host */
  uint64_t id;        /* of the event, shared by its start, states and stop; 0 in comm_* calls */
  const char* thread; /* the name of the thread that made the call */
  const lockstep_field* fields; /* field_count of them, field 0 being the id or the comm number */
  uint32_t field_count;
  uint32_t process; /* its number in the run */
  uint32_t tid;     /* thread id */
  lockstep_call call;
  int32_t kind;  /* 0 Group, 1 Coll, ...; -1 in comm_* calls */
  int32_t state; /* NCCL's number of the state; -1 where the call is none */
  /* Its communicator: the number is the process's own, from 1 (0 = not known). The members behind it
   * are not known (0, -1, 0, NULL) before the communicator's first record. */
  uint32_t comm;
  uint32_t ranks;   /* how many it has */
  int64_t rank;     /* of this process in it */
  uint64_t comm_id; /* the same in all of its ranks */
  const char* comm_name;
} lockstep_record;

typedef struct lockstep_records lockstep_records;

#define LOCKSTEP_ALL_PROCESSES SIZE_MAX

/* From version 2 on. Later lockstep_read_records() give only those records of this process that were
 * made from `from_raw_ns` to `to_raw_ns` of its host's raw clock, both included; 0 and UINT64_MAX mean
 * all again. What lies elsewhere in the files is not read. */
LOCKSTEP_API lockstep_status lockstep_select_time(lockstep_run* run, size_t process,
                                                  uint64_t from_raw_ns, uint64_t to_raw_ns);
/* Begins to read the records of one process, or of all. Several may be read at once. */
LOCKSTEP_API lockstep_status lockstep_read_records(const lockstep_run* run, size_t process,
                                                   lockstep_records** records);
/* The next record in time order. Processes are merged by raw_ns if all are of one host, else by
 * lockstep_wall_ns(). *record and its texts are valid until the next call with these `records`, or
 * lockstep_close_records(). After LOCKSTEP_NO_MEMORY every further call gives that too. */
LOCKSTEP_API lockstep_status lockstep_next(lockstep_records* records,
                                           const lockstep_record** record);
/* Also before the end. NULL is allowed. */
LOCKSTEP_API void lockstep_close_records(lockstep_records* records);

/* The value of field 0 to field_count - 1; 0 for others. */
LOCKSTEP_API uint64_t lockstep_value(const lockstep_record* record, size_t field);
/* The text of such a field; NULL where NCCL passed NULL and for fields of another type. */
LOCKSTEP_API const char* lockstep_text(const lockstep_record* record, size_t field);
/* The number of the field of that name; -1 when the record has none. */
LOCKSTEP_API int lockstep_find_field(const lockstep_record* record, const char* name);

/* The fields that every record of a call has: of a kind's start or stop, of a state (`number` is the
 * kind's or the state's), or of a communicator's call or a mark (`number` is ignored). NULL and *count = 0 when
 * there is no such call. Valid for ever. */
LOCKSTEP_API const lockstep_field* lockstep_fields(lockstep_call call, int32_t number,
                                                   size_t* count);
/* "start", "state", "stop", "comm_init", "comm_finalize", "comm_info", "step_begin" and so on; names of kinds, numbered from
 * 0 without gaps, and of states likewise. NULL for any other number. Valid for ever. */
LOCKSTEP_API const char* lockstep_call_name(lockstep_call call);
LOCKSTEP_API const char* lockstep_kind_name(int32_t kind);
LOCKSTEP_API const char* lockstep_state_name(int32_t state);
/* The kind of that name, for example "Coll"; -1 for none. */
LOCKSTEP_API int32_t lockstep_kind_number(const char* name);

/* ---- Clocks ---- */

/* A record's time by its host's CLOCK_REALTIME at that moment: ns since 1970. */
LOCKSTEP_API uint64_t lockstep_wall_ns(const lockstep_record* record);

/* A time on the clock that all hosts of the run share, CLOCK_MONOTONIC_RAW of its reference host:
 * certainly from lo_ns to hi_ns, and ns is the best estimate. */
typedef struct lockstep_time {
  int64_t ns, lo_ns, hi_ns;
} lockstep_time;

/* Converts `raw_ns` of a process's host. `lockstep align` makes the common clock; LOCKSTEP_NO_CLOCK
 * where it did not run, or found no connection between this host and the reference. */
LOCKSTEP_API lockstep_status lockstep_common_time(const lockstep_run* run, size_t process,
                                                  uint64_t raw_ns, lockstep_time* time);

/* ---- Damage ---- */

/* Bytes that could not be read and were left out. */
typedef struct lockstep_damage {
  const char* sentence; /* "FILE: 120 bytes at offset 4711: the checksum does not match" */
  const char* file;     /* "" where whole chunks are missing: their place is not known */
  uint64_t offset, bytes;
} lockstep_damage;

/* What was passed over so far; with LOCKSTEP_ALL_PROCESSES also files that belong to no process. The
 * damage is looked up by the count, and valid until the next count or lockstep_close_records(). Where
 * there is no memory to tell it the count is 0, too, and lockstep_error() says so. */
LOCKSTEP_API size_t lockstep_damage_count(lockstep_records* records);
/* Damage 0 to count - 1; NULL for others. */
LOCKSTEP_API const lockstep_damage* lockstep_damage_at(const lockstep_records* records,
                                                       size_t damage);

#ifdef __cplusplus
}
#endif

#endif /* LOCKSTEP_READ_H */
