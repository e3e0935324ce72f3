/* Marks the steps and ranges of a program in what lockstep records of it, from C or C++. There is
 * nothing to link with: the functions find lockstep in the process, where NCCL has loaded it for
 * itself, and do nothing where it has not (or not yet).
 *
 *   for (uint64_t step = 0; step < steps; ++step) {
 *     lockstep_mark_step_begin(step);
 *     lockstep_mark_range_push("forward");
 *     ...
 *     lockstep_mark_range_pop();
 *     lockstep_mark_step_end(step);
 *   }
 *
 * Each returns 0 when the mark was recorded, 1 when it was not: lockstep is not in the process, it
 * does not record it, NCCL has not initialised yet, or its buffers are full (which is counted). They
 * may be called from any thread at any time, also after NCCL has finalised and in a forked child, and
 * take no lock, allocate nothing and make no system call. While lockstep has not been found, each asks
 * the dynamic loader whether the process has loaded any library since the last one, and if so looks for it.
 *
 * Texts are copied: up to 255 bytes of UTF-8. All different texts of a process together are limited
 * (3,072, or 96 KiB); later ones are recorded as marks whose text is not known. So do not put
 * numbers into them.
 *
 * docs/marks.md says what becomes of marks. Programs that find functions by themselves, as Python's ctypes
 * does, look in the loaded libnccl-profiler.so for those named in lockstep_mark_names below.
 */
#ifndef LOCKSTEP_MARK_H
#define LOCKSTEP_MARK_H

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if !defined(__USE_GNU)
#error "lockstep/mark.h asks the dynamic loader: compile C with -D_GNU_SOURCE, or define it first"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers of the functions, each with a type of its own. */
enum lockstep_mark_function {
  LOCKSTEP_MARK_STEP_BEGIN,    /* int (uint64_t step) */
  LOCKSTEP_MARK_STEP_END,      /* int (uint64_t step) */
  LOCKSTEP_MARK_RANGE_PUSH,    /* int (const char* text) */
  LOCKSTEP_MARK_RANGE_POP,     /* int (void) */
  LOCKSTEP_MARK_TEXT,          /* int (const char* text) */
  LOCKSTEP_MARK_CAPTURE_START, /* int (const char* name) */
  LOCKSTEP_MARK_CAPTURE_STOP,  /* int (const char* name) */
  LOCKSTEP_MARK_FUNCTIONS
};
__attribute__((unused)) static const char* const lockstep_mark_names[LOCKSTEP_MARK_FUNCTIONS] = {
    "lockstep_step_begin", "lockstep_step_end",      "lockstep_range_push",  "lockstep_range_pop",
    "lockstep_text",       "lockstep_capture_start", "lockstep_capture_stop"};

typedef void (*lockstep_mark_pointer)(void);

/* The rest up to "Marks" is how they are found. */

struct lockstep_mark_search {
  unsigned long long loads; /* of libraries into the process so far */
  unsigned skip;            /* so many that could be lockstep were looked into */
  char path[4096];          /* the next one */
};

static inline int lockstep_mark_count_loads(struct dl_phdr_info* info, size_t size, void* search) {
  (void)size;
  ((struct lockstep_mark_search*)search)->loads = info->dlpi_adds;
  return 1;
}

/* Nothing may be opened here: the loader's lock is held. */
static inline int lockstep_mark_next_library(struct dl_phdr_info* info, size_t size, void* search) {
  struct lockstep_mark_search* const s = (struct lockstep_mark_search*)search;
  const char* const path = info->dlpi_name;
  (void)size;
  if (path == NULL || strstr(path, ".so") == NULL || strlen(path) >= sizeof s->path) return 0;
  if (strstr(path, "profiler") == NULL && strstr(path, "lockstep") == NULL) return 0;
  if (s->skip != 0) {
    --s->skip;
    return 0;
  }
  strcpy(s->path, path);
  return 1;
}

/* 1 when the library has all functions. */
static inline int lockstep_mark_look_into(const char* path, lockstep_mark_pointer* found) {
  void* const library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  int i = 0;
  if (library == NULL) return 0;
  for (; i < LOCKSTEP_MARK_FUNCTIONS; ++i) {
    void* const symbol = dlsym(library, lockstep_mark_names[i]);
    if (symbol == NULL) break;
    memcpy(&found[i], &symbol, sizeof symbol);
  }
  dlclose(library); /* lockstep stays all the same: it is never unloaded */
  return i == LOCKSTEP_MARK_FUNCTIONS;
}

static inline int lockstep_mark_search_all(lockstep_mark_pointer* found) {
  struct lockstep_mark_search search;
  unsigned looked;
  for (looked = 0;; ++looked) {
    search.skip = looked;
    if (dl_iterate_phdr(lockstep_mark_next_library, &search) == 0) return 0;
    if (lockstep_mark_look_into(search.path, found)) return 1;
  }
}

/* All functions, or NULL while lockstep is not in the process. */
static inline const lockstep_mark_pointer* lockstep_mark_functions(void) {
  static lockstep_mark_pointer found[LOCKSTEP_MARK_FUNCTIONS];
  static int ready;                /* 1 once `found` is complete */
  static unsigned long long loads; /* when it was looked for last */
  lockstep_mark_pointer looked[LOCKSTEP_MARK_FUNCTIONS];
  struct lockstep_mark_search now;
  int i;
  if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE)) return found;
  if (dl_iterate_phdr(lockstep_mark_count_loads, &now) == 0 ||
      __atomic_exchange_n(&loads, now.loads, __ATOMIC_RELAXED) == now.loads ||
      !lockstep_mark_search_all(looked))
    return NULL;
  /* Threads that look at once find and store the same. */
  for (i = 0; i < LOCKSTEP_MARK_FUNCTIONS; ++i)
    __atomic_store_n(&found[i], looked[i], __ATOMIC_RELAXED);
  __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
  return found;
}

static inline int lockstep_mark_number(int function, uint64_t number) {
  const lockstep_mark_pointer* const functions = lockstep_mark_functions();
  return functions == NULL ? 1 : ((int (*)(uint64_t))functions[function])(number);
}
static inline int lockstep_mark_words(int function, const char* text) {
  const lockstep_mark_pointer* const functions = lockstep_mark_functions();
  return functions == NULL ? 1 : ((int (*)(const char*))functions[function])(text);
}

/* ---- Marks ---- */

/* A step of the training loop begins or ends in this process, on whatever thread. Number them alike on
 * all ranks. A step whose end is not marked ends where the next one begins. */
static inline int lockstep_mark_step_begin(uint64_t step) {
  return lockstep_mark_number(LOCKSTEP_MARK_STEP_BEGIN, step);
}
static inline int lockstep_mark_step_end(uint64_t step) {
  return lockstep_mark_number(LOCKSTEP_MARK_STEP_END, step);
}

/* A range of the calling thread: from the push to the pop that belongs to it. They nest. */
static inline int lockstep_mark_range_push(const char* text) {
  return lockstep_mark_words(LOCKSTEP_MARK_RANGE_PUSH, text);
}
static inline int lockstep_mark_range_pop(void) {
  const lockstep_mark_pointer* const functions = lockstep_mark_functions();
  return functions == NULL ? 1 : ((int (*)(void))functions[LOCKSTEP_MARK_RANGE_POP])();
}

/* Something that happened at this moment. */
static inline int lockstep_mark_text(const char* text) {
  return lockstep_mark_words(LOCKSTEP_MARK_TEXT, text);
}

/* Notes where a part that is worth a closer look begins and ends, and records the kinds of
 * LOCKSTEP_CAPTURE_EVENTS besides from the one to the other, unless another capture is under way or the
 * last one began less than ten seconds ago. A capture ends by itself after a minute. */
static inline int lockstep_mark_capture_start(const char* name) {
  return lockstep_mark_words(LOCKSTEP_MARK_CAPTURE_START, name);
}
static inline int lockstep_mark_capture_stop(const char* name) {
  return lockstep_mark_words(LOCKSTEP_MARK_CAPTURE_STOP, name);
}

#ifdef __cplusplus
}
#endif

#endif /* LOCKSTEP_MARK_H */
