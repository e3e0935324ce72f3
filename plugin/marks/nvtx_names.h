// The domains and registered strings of NVTX. A program makes them once and for good, possibly before
// anything is recorded, and gives their handles with every range: that is why each is kept, with its
// text, until the process ends. Making one allocates; asking for its number or whether its ranges are
// wanted does not, nor does it lock. Any thread.
#pragma once

#include <cstdint>

namespace lockstep::plugin {

class NvtxName;

// nullptr where there is no text or no memory: then its ranges have no domain, or no text.
NvtxName* make_nvtx_name(const char* text) noexcept;
// kNullString for nullptr. While a process records.
uint16_t number_of(NvtxName* name);

// By LOCKSTEP_NVTX (config.h), before the process records.
void choose_nvtx_domains(const char* option);
// Whether the ranges of a domain are to be recorded; nullptr is the domain without a name.
bool is_wanted(NvtxName* domain);
// What is_wanted() goes by: `all`, `off` or a list, and a domain's name.
bool names_domain(const char* option, const char* domain);

}  // namespace lockstep::plugin
