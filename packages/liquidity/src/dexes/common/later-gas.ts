/** Gas that a swap may cost more when it is mined later. @see DexFamily.laterGas */

/** Algebra searches the last day's volatility among up to 65,536 timepoints: 16 steps of two cold slots. */
export const TIMEPOINT_SEARCH_GAS = 67_200
