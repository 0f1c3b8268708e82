/** Parts per million: the whole, for exact amounts. */
export const PPM = 1_000_000n
/** 1 % in parts per million. */
export const PPM_PER_PERCENT = 10_000n
