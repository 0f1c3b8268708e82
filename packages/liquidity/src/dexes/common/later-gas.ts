/** Extra gas of swaps that are mined later. @see DexFamily.laterGas */

/**
 * Algebra computes the last day's volatility by a binary search in up to 65,536 timepoints: 16 steps of two cold slots.
 */
export const TIMEPOINT_SEARCH_GAS = 67_200
