// SPDX-License-Identifier: MIT
// Symbols that a library of the wrapper exports to the others. The recorder exports to all parts, a
// part to the parts that are linked with it. A library hides all others. Parts are compiled with
// MPIPP_PART defined.
#ifndef MPIPP_ABI_SEAM_H
#define MPIPP_ABI_SEAM_H

// A function, or a variable that is rarely used. The libraries are linked with -Bsymbolic: each
// calls its own functions directly, exported or not.
#define MPIPP_SEAM __attribute__((visibility("default")))

// A variable of the recorder that every call uses. It is hidden in the recorder, which so reaches
// it without the global offset table. Parts refer to another name of it, which MPIPP_OFFER defines.
#ifdef MPIPP_PART
#define MPIPP_SEAM_DATA(NAME) __asm__(#NAME "_offered") MPIPP_SEAM
#else
#define MPIPP_SEAM_DATA(NAME) __attribute__((visibility("hidden")))
#endif
#define MPIPP_OFFER(NAME)                                                                          \
  extern __typeof__(NAME) NAME##_offered __attribute__((alias(#NAME), visibility("default")))

#endif
