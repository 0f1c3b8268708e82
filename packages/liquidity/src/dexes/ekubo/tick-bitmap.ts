/** Converts ticks to bit positions in the core's bitmap and back. */

/** Bit position of tick 0. It makes all positions positive. */
const ZERO_TICK_POSITION = 89_421_695
/** Bits per word. */
export const BITS_PER_WORD = 256

/** Returns the bit position of the highest multiple of the spacing at or below the tick. */
export const bitPositionOf = (tick: number, spacing: number): number => Math.floor(tick / spacing) + ZERO_TICK_POSITION
/** Returns the tick at a bit position. */
export const tickAtBitPosition = (bitPosition: number, spacing: number): number =>
  (bitPosition - ZERO_TICK_POSITION) * spacing
