#include "analysis/page/embedded.h"

#ifdef LOCKSTEP_PAGE
// LOCKSTEP_PAGE is the folder of the bundle, from the root of the tree, where make runs the compiler.
__asm__(
    ".section .rodata\n"
    ".hidden lockstep_page_js\n.global lockstep_page_js\nlockstep_page_js:\n"
    ".incbin \"" LOCKSTEP_PAGE
    "/page.js\"\n.byte 0\n"
    ".hidden lockstep_page_css\n.global lockstep_page_css\nlockstep_page_css:\n"
    ".incbin \"" LOCKSTEP_PAGE
    "/page.css\"\n.byte 0\n"
    ".hidden lockstep_page_js_hash\n.global lockstep_page_js_hash\nlockstep_page_js_hash:\n"
    ".incbin \"" LOCKSTEP_PAGE
    "/page.js.sha256\"\n.byte 0\n"
    ".hidden lockstep_page_css_hash\n.global lockstep_page_css_hash\nlockstep_page_css_hash:\n"
    ".incbin \"" LOCKSTEP_PAGE
    "/page.css.sha256\"\n.byte 0\n"
    ".text\n");
extern "C" const char lockstep_page_js[], lockstep_page_css[], lockstep_page_js_hash[],
    lockstep_page_css_hash[];
#endif

namespace lockstep::analysis {

#ifdef LOCKSTEP_PAGE
PageFiles page_files() {
  return {lockstep_page_js, lockstep_page_css, lockstep_page_js_hash, lockstep_page_css_hash};
}
#else
PageFiles page_files() { return {}; }
#endif

}  // namespace lockstep::analysis
