/** Parts per million: the whole, for exact amounts. */
export const PPM = 1_000_000n
/** The same for shares and measures, which are floats. */
export const FLOAT_PPM = 1_000_000
/** 1 % in parts per million. */
export const PPM_PER_PERCENT = 10_000n
/** Basis points: the whole, for shares and measures. */
export const FLOAT_BPS = 10_000
