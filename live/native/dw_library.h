// The few functions of elfutils' libdw that stacks need, found at run time: dlopen of libdw.so.1, so
// that building takes no header and a machine without it still gets states from /proc. Declared after
// elfutils/libdwfl.h of version 0.188, whose binary interface has been stable since 0.158. Linked to
// nothing; the library is LGPL. It is not made for several threads: whoever calls it holds turn().
#pragma once

#include <elf.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "lockstep/status.h"

namespace lockstep::live::dw {

// Opaque, as in libdwfl.h.
struct Session;   // Dwfl
struct Module;    // Dwfl_Module
struct Thread;    // Dwfl_Thread
struct Frame;     // Dwfl_Frame
struct Line;      // Dwfl_Line
struct Unit;      // Dwarf_Die of a compilation unit
struct UnitLine;  // Dwarf_Line
struct Elf;       // Elf
struct Section;   // Elf_Scn

// Dwfl_Callbacks
struct Callbacks {
  int (*find_elf)(Module*, void** user, const char* name, uint64_t base, char** file, Elf**);
  int (*find_debuginfo)(Module*, void** user, const char* name, uint64_t base, const char* file,
                        const char* link, uint32_t crc, char** found);
  int (*section_address)(Module*, void** user, const char* name, uint64_t base, const char* section,
                         uint32_t index, const void* header, uint64_t* address);
  char** debuginfo_path;
};

// Dwfl_Thread_Callbacks
struct ThreadCallbacks {
  pid_t (*next_thread)(Session*, void* session_argument, void** thread_argument);
  bool (*get_thread)(Session*, pid_t, void* session_argument, void** thread_argument);
  bool (*memory_read)(Session*, uint64_t address, uint64_t* result, void* session_argument);
  bool (*set_initial_registers)(Thread*, void* thread_argument);
  void (*detach)(Session*, void* session_argument);
  void (*thread_detach)(Thread*, void* thread_argument);
};

struct Library {
  Session* (*dwfl_begin)(const Callbacks*);
  void (*dwfl_end)(Session*);
  int (*dwfl_errno)();
  const char* (*dwfl_errmsg)(int error);
  int (*dwfl_linux_proc_report)(Session*, pid_t);
  int (*dwfl_report_end)(Session*, void* removed, void* argument);
  bool (*dwfl_attach_state)(Session*, Elf*, pid_t, const ThreadCallbacks*, void* argument);
  int (*dwfl_getthread_frames)(Session*, pid_t, int (*each)(Frame*, void*), void* argument);
  bool (*dwfl_thread_state_registers)(Thread*, int first, unsigned count, const uint64_t* values);
  void (*dwfl_thread_state_register_pc)(Thread*, uint64_t pc);
  bool (*dwfl_frame_pc)(Frame*, uint64_t* pc, bool* is_activation);
  Module* (*dwfl_addrmodule)(Session*, uint64_t address);
  const char* (*dwfl_module_info)(Module*, void*** user, uint64_t* start, uint64_t* end,
                                  uint64_t* debug_bias, uint64_t* symbol_bias, const char** file,
                                  const char** debug_file);
  Elf* (*dwfl_module_getelf)(Module*, uint64_t* bias);
  int (*dwfl_module_build_id)(Module*, const unsigned char** bits, uint64_t* address);
  const char* (*dwfl_module_addrinfo)(Module*, uint64_t address, uint64_t* offset, Elf64_Sym*,
                                      uint32_t* section, Elf**, uint64_t* bias);
  Line* (*dwfl_module_getsrc)(Module*, uint64_t address);
  const char* (*dwfl_lineinfo)(Line*, uint64_t* address, int* line, int* column, uint64_t* time,
                               uint64_t* length);
  Unit* (*dwfl_module_nextcu)(Module*, Unit* last, uint64_t* bias);
  int (*dwarf_haspc)(Unit*, uint64_t address);  // 1: it has
  UnitLine* (*dwarf_getsrc_die)(Unit*, uint64_t address);
  const char* (*dwarf_linesrc)(UnitLine*, uint64_t* time, uint64_t* length);
  int (*dwarf_lineno)(UnitLine*, int* line);
  // Given to Callbacks as they are.
  decltype(Callbacks::find_elf) dwfl_linux_proc_find_elf;
  decltype(Callbacks::find_debuginfo) dwfl_standard_find_debuginfo;
};

std::mutex& turn();

// Loaded once, kept until the process ends. The error says what is missing and which package has it.
const Result<const Library*>& library();

}  // namespace lockstep::live::dw
