// SPDX-License-Identifier: MIT
#include "rma_page_trace/x86_decoder.h"

enum { NONE, X66, XF3, XF2 }; // prefixes that change the operation
enum { LONG = 8, INT = 4, SHORT = 2 };

// The parts of an instruction that are needed here.
struct mpipp_instruction {
  const unsigned char *at;       // the byte behind the opcode
  uint32_t prefix, wide, vector; // wide: 64-bit operands; vector: bytes of an AVX vector, else 0
  uint32_t map, opcode;          // map: 0: one-byte opcodes, 1: 0F, 2: 0F 38, 3: 0F 3A
  int locked, repeats, is_vex;
};

static uint32_t prefix_of(uint32_t bits) {
  static const unsigned char kinds[] = {NONE, X66, XF3, XF2};
  return kinds[bits & 3];
}

static int read_legacy(struct mpipp_instruction *in) {
  for (int count = 0; count < 14; count++, in->at++) {
    switch (*in->at) {
    case 0x66:
      if (in->prefix == NONE) in->prefix = X66;
      break;
    case 0xF3:
      in->prefix = XF3;
      in->repeats = 1;
      break;
    case 0xF2:
      in->prefix = XF2;
      in->repeats = 1;
      break;
    case 0xF0:
      in->locked = 1;
      break;
    case 0x2E:
    case 0x36:
    case 0x3E:
    case 0x26:
    case 0x64:
    case 0x65:
    case 0x67:
      break;
    default:
      return 1;
    }
  }
  return 0;
}

static void read_vex(struct mpipp_instruction *in) {
  const unsigned char *at = in->at;
  int is_long = *at == 0xC4;
  uint32_t last = is_long ? at[2] : at[1];
  in->is_vex = 1;
  in->map = is_long ? at[1] & 31 : 1;
  in->wide = is_long && last & 0x80;
  in->vector = last & 4 ? 32 : 16;
  in->prefix = prefix_of(last);
  in->at += is_long ? 3 : 2;
}

// Returns 0 for an instruction with a mask, which may skip elements.
static int read_evex(struct mpipp_instruction *in) {
  const unsigned char *at = in->at;
  if ((at[3] & 7) || (at[3] & 0x60) == 0x60) return 0;
  in->is_vex = 1;
  in->map = at[1] & 7;
  in->wide = (at[2] & 0x80) != 0;
  in->vector = 16u << (at[3] >> 5 & 3);
  in->prefix = prefix_of(at[2]);
  in->at += 4;
  return 1;
}

static int decode(const unsigned char *at, struct mpipp_instruction *in) {
  *in = (struct mpipp_instruction){.at = at, .vector = 16};
  if (!read_legacy(in)) return 0;
  if (*in->at == 0xC4 || *in->at == 0xC5) {
    read_vex(in);
  } else if (*in->at == 0x62) {
    if (!read_evex(in)) return 0;
  } else {
    if ((*in->at & 0xF0) == 0x40) in->wide = *in->at++ >> 3 & 1;
    if (*in->at == 0x0F) {
      in->map = 1;
      in->at++;
      if (*in->at == 0x38 || *in->at == 0x3A) in->map = *in->at++ == 0x38 ? 2 : 3;
    }
  }
  in->opcode = *in->at++;
  return 1;
}

static uint32_t operand(const struct mpipp_instruction *in) {
  return in->wide ? LONG : in->prefix == X66 ? SHORT : INT;
}

// The middle three bits of the byte behind the opcode, which extend it.
static uint32_t group(const struct mpipp_instruction *in) {
  return *in->at >> 3 & 7;
}

static uint32_t one_byte_loads(const struct mpipp_instruction *in) {
  uint32_t opcode = in->opcode;
  if (opcode < 0x40 && (opcode & 7) == 3) return operand(in);
  if (opcode < 0x40 && (opcode & 7) == 2) return 1;
  switch (opcode) {
  case 0x38: // CMP and others that compare
  case 0x84:
  case 0x8A:
    return 1;
  case 0x39:
  case 0x85:
  case 0x8B:
  case 0x69:
  case 0x6B:
    return operand(in);
  case 0x63:
    return INT;
  case 0x80:
    return group(in) == 7;
  case 0x81:
  case 0x83:
    return group(in) == 7 ? operand(in) : 0;
  case 0xF6:
    return group(in) < 2 || group(in) > 3;
  case 0xF7:
    return group(in) < 2 || group(in) > 3 ? operand(in) : 0;
  case 0xFF:
    return group(in) == 6 ? LONG : 0;
  case 0xD9:
    return group(in) == 0 ? INT : 0;
  case 0xDD:
    return group(in) == 0 ? LONG : 0;
  default:
    return 0;
  }
}

static uint32_t one_byte_stores(const struct mpipp_instruction *in) {
  uint32_t opcode = in->opcode;
  if (opcode < 0x38 && (opcode & 7) == 1) return operand(in);
  if (opcode < 0x38 && (opcode & 7) == 0) return 1;
  switch (opcode) {
  case 0x88:
  case 0xC6:
  case 0xA4: // string instructions: one element
  case 0xAA:
  case 0xC0:
  case 0xD0:
  case 0xD2:
    return 1;
  case 0x89:
  case 0xC7:
  case 0xA5:
  case 0xAB:
  case 0xC1:
  case 0xD1:
  case 0xD3:
    return operand(in);
  case 0x80:
    return group(in) != 7;
  case 0x81:
  case 0x83:
    return group(in) != 7 ? operand(in) : 0;
  case 0xF6:
    return group(in) == 2 || group(in) == 3;
  case 0xF7:
    return group(in) == 2 || group(in) == 3 ? operand(in) : 0;
  case 0xFE:
    return group(in) < 2;
  case 0xFF:
    return group(in) < 2 ? operand(in) : 0;
  case 0xD9:
    return group(in) == 2 || group(in) == 3 ? INT : 0;
  case 0xDD:
    return group(in) == 2 || group(in) == 3 ? LONG : 0;
  default:
    return 0;
  }
}

// The size of a floating-point scalar, from the prefix: F3 is single, F2 is double precision.
static uint32_t scalar(const struct mpipp_instruction *in) {
  return in->prefix == XF3 ? INT : in->prefix == XF2 ? LONG : 0;
}

static uint32_t two_byte_loads(const struct mpipp_instruction *in) {
  switch (in->opcode) {
  case 0xB6: // MOVZX and MOVSX, which extend the value
  case 0xBE:
    return !in->is_vex;
  case 0xB7:
  case 0xBF:
    return in->is_vex ? 0 : SHORT;
  case 0xAF:
    return in->is_vex ? 0 : operand(in);
  case 0x2A: // conversions to floating point
    return scalar(in) ? (in->wide ? LONG : INT) : 0;
  case 0x10:
  case 0x2C:
  case 0x2D:
  case 0x51:
  case 0x58:
  case 0x59:
  case 0x5A:
  case 0x5C:
  case 0x5D:
  case 0x5E:
  case 0x5F:
    return scalar(in);
  case 0x2E: // UCOMISS and other comparisons
  case 0x2F:
    return in->prefix == NONE ? INT : in->prefix == X66 ? LONG : 0;
  case 0x12: // MOVLPD and MOVHPD, which load half a vector
  case 0x16:
    return in->prefix == X66 ? LONG : 0;
  case 0x6E:
    return in->prefix == X66 ? (in->wide ? LONG : INT) : 0;
  default:
    return 0;
  }
}

static uint32_t two_byte_stores(const struct mpipp_instruction *in) {
  if ((in->opcode & 0xF0) == 0x90 && !in->is_vex) return 1;
  switch (in->opcode) {
  case 0x11:
    return scalar(in) ? scalar(in) : in->vector;
  case 0x29:
  case 0x2B:
    return scalar(in) ? 0 : in->vector;
  case 0x7F:
    return in->prefix == X66 || in->prefix == XF3 || in->is_vex ? in->vector : LONG;
  case 0xE7:
    return in->prefix == X66 ? in->vector : LONG;
  case 0xC3:
    return in->is_vex ? 0 : in->wide ? LONG : INT;
  case 0xD6:
    return in->prefix == X66 ? LONG : 0;
  case 0x7E:
    return in->prefix == X66 ? (in->wide ? LONG : INT) : 0;
  case 0x13:
  case 0x17:
    return scalar(in) ? 0 : LONG;
  default:
    return 0;
  }
}

// The size of one element of a scalar fused multiply-add.
static uint32_t fused_loads(const struct mpipp_instruction *in) {
  uint32_t low = in->opcode & 15, high = in->opcode >> 4;
  int fused = high >= 9 && high <= 11 && low >= 9 && low & 1;
  return in->is_vex && in->prefix == X66 && fused ? (in->wide ? LONG : INT) : 0;
}

// The size of a store of a part of a vector.
static uint32_t part_stores(const struct mpipp_instruction *in) {
  switch (in->opcode) {
  case 0x14:
    return 1;
  case 0x15:
    return SHORT;
  case 0x16:
    return in->wide ? LONG : INT;
  case 0x17:
    return INT;
  case 0x19:
  case 0x39:
    return in->is_vex && in->vector == 32 ? 16 : 0;
  default:
    return 0;
  }
}

uint32_t mpipp_trace_instruction_bytes(const unsigned char *at, int stores) {
  struct mpipp_instruction in;
  if (!decode(at, &in) || in.locked) return 0;
  if (in.map == 0) return in.is_vex ? 0 : stores ? one_byte_stores(&in) : one_byte_loads(&in);
  if (in.map == 1) return stores ? two_byte_stores(&in) : two_byte_loads(&in);
  if (in.map == 2) return stores ? 0 : fused_loads(&in);
  return in.map == 3 && stores ? part_stores(&in) : 0;
}

int mpipp_trace_instruction_repeats(const unsigned char *at) {
  struct mpipp_instruction in;
  int string = decode(at, &in) && in.map == 0 && !in.is_vex;
  return string && in.repeats && (in.opcode & 0xF4) == 0xA4;
}
