/** Bit positions of ticks in the core's bitmap. */

/** Offset that makes the positions of negative ticks positive and centers tick 0 in a word. */
const OFFSET = 89_421_695
/** Bits per word. */
export const BITS_PER_WORD = 256

/** Returns the bit position of the last multiple of the spacing at or below the tick. */
export const bitPositionOf = (tick: number, spacing: number): number => Math.floor(tick / spacing) + OFFSET
/** Returns the tick at a bit position. */
export const tickAtBitPosition = (bitPosition: number, spacing: number): number => (bitPosition - OFFSET) * spacing
