// SPDX-License-Identifier: MIT
// Symbols that a library of the wrapper exports to the others. The recorder exports to all parts,
// and a part exports to the parts that are linked with it. All other symbols are hidden. Parts are
// compiled with MPIPP_PART defined.
#ifndef MPIPP_ABI_SEAM_H
#define MPIPP_ABI_SEAM_H

// Marks a function, or a variable that is rarely used, as exported. The libraries are linked with
// -Bsymbolic, so each calls its own functions directly, even exported ones.
#define MPIPP_SEAM __attribute__((visibility("default")))

// Marks a variable of the recorder that every call uses. In the recorder the variable is hidden,
// and so is reached without the global offset table. Parts refer to the function by another name,
// which MPIPP_OFFER defines.
#ifdef MPIPP_PART
#define MPIPP_SEAM_DATA(NAME) __asm__(#NAME "_offered") MPIPP_SEAM
#else
#define MPIPP_SEAM_DATA(NAME) __attribute__((visibility("hidden")))
#endif
#define MPIPP_OFFER(NAME)                                                                          \
  extern __typeof__(NAME) NAME##_offered __attribute__((alias(#NAME), visibility("default")))

#endif
