/** Extra gas of swaps that are mined later than the next block. @see DexFamily.laterGas */

/**
 * Gas of Algebra's search for the timepoint (oracle observation) of one day ago. The binary search in up to 65,536
 * timepoints takes 16 steps, which each read two cold slots.
 */
export const TIMEPOINT_SEARCH_GAS = 67_200
