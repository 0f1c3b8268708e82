/** 100 % in parts per million, for exact amounts. */
export const PPM = 1_000_000n
/** 100 % in parts per million, for floats. */
export const FLOAT_PPM = 1_000_000
/** 1 % in parts per million. */
export const PPM_PER_PERCENT = 10_000n
/** 100 % in basis points, for floats. */
export const FLOAT_BPS = 10_000
