/** Converts ticks to bit positions in the core's bitmap and back. */

/** Bit position of tick 0. It is so large that all ticks have positive positions. */
const ZERO_TICK_POSITION = 89_421_695
/** Bits per bitmap word. */
export const BITS_PER_WORD = 256

/** Returns the bit position of a tick. The tick is rounded down to a multiple of the tick spacing. */
export const bitPositionOf = (tick: number, spacing: number): number => Math.floor(tick / spacing) + ZERO_TICK_POSITION
/** Returns the tick at a bit position. */
export const tickAtBitPosition = (bitPosition: number, spacing: number): number =>
  (bitPosition - ZERO_TICK_POSITION) * spacing
