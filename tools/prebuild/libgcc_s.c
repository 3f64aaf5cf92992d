// SPDX-License-Identifier: MIT
// A stand-in for libgcc_s.so.1, with the functions that the wrapper calls. The wrapper is linked
// with it and loads the system's library. zig would link an unwinder of its own into the wrapper,
// and programs would call that one.
void _Unwind_Backtrace(void) {}
void _Unwind_GetCFA(void) {}
void _Unwind_GetGR(void) {}
void _Unwind_GetIP(void) {}
