#include "live/native/unwind.h"

#include <cxxabi.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>

#include "base/text.h"
#include "live/native/dw_library.h"
#include "live/stacks/target_memory.h"

namespace lockstep::live {
namespace {

constexpr size_t kMostFrames = 512;
constexpr int kGoOn = 0, kEnough = 1;  // DWARF_CB_OK, DWARF_CB_ABORT

// "void work<int>(float) const" is work<int>: what a stack tells is which function, not which types.
std::string without_types(const std::string& demangled) {
  size_t end = demangled.rfind(')');
  if (end == std::string::npos) return demangled;
  int depth = 0;
  do {
    if (demangled[end] == ')') ++depth;
    if (demangled[end] == '(') --depth;
  } while (depth > 0 && end-- > 0);
  return depth == 0 && end > 0 ? demangled.substr(0, end) : demangled;
}

// A symbol's version (@@GLIBC_2.34) is the linker's affair.
std::string readable(const char* name) {
  if (name == nullptr) return "";
  if (!starts_with(name, "_Z")) return std::string(name, std::strcspn(name, "@"));
  int status = 0;
  char* demangled = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string text = demangled != nullptr ? without_types(demangled) : name;
  std::free(demangled);
  return text;
}

// libdw gives its callbacks no argument of ours: whoever holds dw::turn() says whose files it reads.
pid_t whose_files = 0;

int find_elf(dw::Module* module, void** user, const char* name, uint64_t base, char** file,
             dw::Elf** elf) {
  if (name[0] == '/') {
    const std::string path = "/proc/" + std::to_string(whose_files) + "/root" + name;
    struct stat facts {};
    // To open a mapped device might hang.
    const bool ordinary = stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
    const int descriptor = ordinary ? open(path.c_str(), O_RDONLY | O_CLOEXEC) : -1;
    if (descriptor >= 0) {
      *file = strdup(path.c_str());
      return descriptor;
    }
  }
  return dw::library().value()->dwfl_linux_proc_find_elf(module, user, name, base, file, elf);
}

struct Address {
  uint64_t pc;
  bool exact;  // the instruction itself; otherwise the one after a call
};

}  // namespace

const Frame* SymbolCache::find(const Place& place) const {
  const auto found = frames_.find(place);
  return found == frames_.end() ? nullptr : &found->second;
}

const Frame& SymbolCache::add(Place place, Frame frame) {
  return frames_.emplace(std::move(place), std::move(frame)).first->second;
}

struct Unwinder::Session {
  Session(const dw::Library& dwfl, pid_t process, SymbolCache* cache)
      : dw(dwfl), pid(process), memory(static_cast<uint32_t>(process)), symbols(cache) {}
  ~Session() {
    const std::lock_guard<std::mutex> lock(dw::turn());
    if (session != nullptr) dw.dwfl_end(session);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Status begin();
  Frame frame_at(const Address& address);
  Frame look_up(dw::Module* module, uint64_t code, Frame frame) const;
  dw::UnitLine* line_of_unit(dw::Module* module, uint64_t code) const;
  static int note_frame(dw::Frame* frame, void* self);
  static bool read_word(dw::Session*, uint64_t address, uint64_t* word, void* self);
  static bool set_registers(dw::Thread* thread, void* self);

  const dw::Library& dw;
  pid_t pid;
  ProcessMemory memory;
  SymbolCache* symbols;
  dw::Session* session = nullptr;
  const ThreadCopy* copy = nullptr;
  std::vector<Address> addresses;
};

namespace {

pid_t next_thread(dw::Session*, void*, void**) { return 0; }

bool get_thread(dw::Session*, pid_t, void* self, void** argument) {
  *argument = self;
  return true;
}

}  // namespace

// Of what the copy does not hold only code and constants are asked for, which do not change: a stack
// that is deeper than its copy ends there.
bool Unwinder::Session::read_word(dw::Session*, uint64_t address, uint64_t* word, void* self) {
  auto* session = static_cast<Session*>(self);
  const ThreadCopy& copy = *session->copy;
  if (address >= copy.stack_from && address < copy.stack_end) {
    const uint64_t at = address - copy.stack_from;
    if (at + sizeof *word > copy.stack.size()) return false;
    std::memcpy(word, copy.stack.data() + at, sizeof *word);
    return true;
  }
  return session->memory.read_value(address, word);
}

bool Unwinder::Session::set_registers(dw::Thread* thread, void* self) {
  auto* session = static_cast<Session*>(self);
  const Registers& registers = session->copy->registers;
  session->dw.dwfl_thread_state_register_pc(thread, registers.pc);
  return session->dw.dwfl_thread_state_registers(thread, 0, kDwarfRegisters,
                                                 registers.by_number.data());
}

int Unwinder::Session::note_frame(dw::Frame* frame, void* self) {
  auto* session = static_cast<Session*>(self);
  Address address{};
  if (!session->dw.dwfl_frame_pc(frame, &address.pc, &address.exact)) return kEnough;
  session->addresses.push_back(address);
  return session->addresses.size() < kMostFrames ? kGoOn : kEnough;
}

Status Unwinder::Session::begin() {
  static const dw::Callbacks callbacks = {find_elf, dw.dwfl_standard_find_debuginfo, nullptr,
                                          nullptr};
  static const dw::ThreadCallbacks thread_callbacks = {next_thread,   get_thread, read_word,
                                                       set_registers, nullptr,    nullptr};
  const auto failure = [this](const char* doing) {
    const char* why = dw.dwfl_errmsg(-1);
    return Status::error(std::string("libdw cannot ") + doing + ": " +
                         (why == nullptr ? "it does not say why" : why));
  };
  session = dw.dwfl_begin(&callbacks);
  if (session == nullptr) return failure("begin");
  if (dw.dwfl_linux_proc_report(session, pid) != 0 ||
      dw.dwfl_report_end(session, nullptr, nullptr) != 0)
    return failure("see which files the process maps");
  if (!dw.dwfl_attach_state(session, nullptr, pid, &thread_callbacks, this))
    return failure("unwind code of this machine");
  return Status();
}

// A call's return address may belong to the next line, or even function: the call is before it.
Frame Unwinder::Session::frame_at(const Address& address) {
  const uint64_t code = address.exact ? address.pc : address.pc - 1;
  Frame frame;
  frame.offset = address.pc;
  dw::Module* module = dw.dwfl_addrmodule(session, code);
  if (module == nullptr) return frame;
  uint64_t start = 0, bias = 0;
  const char* path =
      dw.dwfl_module_info(module, nullptr, &start, nullptr, nullptr, nullptr, nullptr, nullptr);
  if (path == nullptr) return frame;
  dw.dwfl_module_getelf(module, &bias);
  const unsigned char* id = nullptr;
  uint64_t id_address = 0;
  const int id_bytes = dw.dwfl_module_build_id(module, &id, &id_address);
  SymbolCache::Place place{
      id_bytes > 0 ? std::string(reinterpret_cast<const char*>(id), static_cast<size_t>(id_bytes))
                   : std::string(path),
      code - start};
  if (const Frame* known = symbols->find(place)) return *known;
  frame.module = base_name(path);
  frame.offset = code - start;
  return symbols->add(std::move(place), look_up(module, code, std::move(frame)));
}

Frame Unwinder::Session::look_up(dw::Module* module, uint64_t code, Frame frame) const {
  uint64_t offset = 0;
  Elf64_Sym symbol{};
  frame.function =
      readable(dw.dwfl_module_addrinfo(module, code, &offset, &symbol, nullptr, nullptr, nullptr));
  int number = 0;
  const char* file = nullptr;
  if (dw::Line* line = dw.dwfl_module_getsrc(module, code))
    file = dw.dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
  else if (dw::UnitLine* of_unit = line_of_unit(module, code))
    file = dw.dwarf_lineno(of_unit, &number) == 0 ? dw.dwarf_linesrc(of_unit, nullptr, nullptr)
                                                  : nullptr;
  if (file != nullptr) frame.file = file;
  if (file != nullptr && number > 0) frame.line = static_cast<uint32_t>(number);
  return frame;
}

// libdw finds the unit of an address by .debug_aranges, which clang does not write. Then each unit says
// itself which addresses it has.
dw::UnitLine* Unwinder::Session::line_of_unit(dw::Module* module, uint64_t code) const {
  uint64_t bias = 0;
  for (dw::Unit* unit = dw.dwfl_module_nextcu(module, nullptr, &bias); unit != nullptr;
       unit = dw.dwfl_module_nextcu(module, unit, &bias)) {
    if (dw.dwarf_haspc(unit, code - bias) == 1) return dw.dwarf_getsrc_die(unit, code - bias);
  }
  return nullptr;
}

Unwinder::Unwinder(std::unique_ptr<Session> session) : session_(std::move(session)) {}
Unwinder::~Unwinder() = default;

Result<std::unique_ptr<Unwinder>> Unwinder::open(pid_t pid, SymbolCache* symbols) {
  const Result<const dw::Library*>& library = dw::library();
  if (!library.ok()) return library.status();
  auto session = std::make_unique<Session>(*library.value(), pid, symbols);
  Status begun;
  {
    const std::lock_guard<std::mutex> lock(dw::turn());
    whose_files = pid;
    begun = session->begin();
  }
  if (!begun.ok()) return begun;
  return std::unique_ptr<Unwinder>(new Unwinder(std::move(session)));
}

// An error ends the stack where it is: the frames before it hold.
std::vector<Frame> Unwinder::unwind(const ThreadCopy& copy) {
  const std::lock_guard<std::mutex> lock(dw::turn());
  whose_files = session_->pid;
  session_->copy = &copy;
  session_->addresses.clear();
  session_->dw.dwfl_getthread_frames(session_->session, session_->pid, Session::note_frame,
                                     session_.get());
  std::vector<Frame> frames;
  frames.reserve(session_->addresses.size());
  for (const Address& address : session_->addresses) frames.push_back(session_->frame_at(address));
  return frames;
}

}  // namespace lockstep::live
