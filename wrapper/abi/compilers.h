// SPDX-License-Identifier: MIT
// Differences between C compilers.
#ifndef MPIPP_ABI_COMPILERS_H
#define MPIPP_ABI_COMPILERS_H

// This case is so likely that the compiler should reserve no register for the other case.
#if __GNUC__ >= 9 && !defined(__clang__)
#define MPIPP_LIKELY(x) __builtin_expect_with_probability(!!(x), 1, 0.9999)
#define MPIPP_UNLIKELY(x) __builtin_expect_with_probability(!!(x), 0, 0.9999)
#else
#define MPIPP_LIKELY(x) __builtin_expect(!!(x), 1)
#define MPIPP_UNLIKELY(x) __builtin_expect(!!(x), 0)
#endif

// Defines a function that is always in line. Its code belongs to the line of the call, so that a
// breakpoint at the beginning of MPI_X stops in MPI_X. In GCC's debug information, inlined code
// belongs to that line anyway.
#ifdef __clang__
#define MPIPP_INLINE static inline __attribute__((always_inline, nodebug))
#else
#define MPIPP_INLINE static inline __attribute__((always_inline))
#endif

// Returns the result of another wrapper by a jump to it, so that its return address is in the
// program. GCC makes such jumps by itself when it optimizes.
#if defined(__clang__) && __has_attribute(musttail)
#define MPIPP_JUMP __attribute__((musttail)) return
#else
#define MPIPP_JUMP return
#endif

#endif
