/** Places of ticks in the core's bitmap. */

/** Bits below tick 0, so that it lies inside of a word. */
const OFFSET = 89_421_695
/** Bits of a word. */
export const WORD = 256

/** The bit of the last multiple of the spacing that is not above the tick. */
export const placeOf = (tick: number, spacing: number): number => Math.floor(tick / spacing) + OFFSET
export const tickAtPlace = (place: number, spacing: number): number => (place - OFFSET) * spacing
