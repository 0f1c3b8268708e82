/** Constants of the local chain. */

/** Chain id of the local chain. */
export const CHAIN_ID = 31337

/**
 * Timestamp of the first block: 2025-01-01 00:00:00 UTC. Timestamps of the local chain do not depend on the wall clock.
 */
export const GENESIS_TIMESTAMP = 1_735_689_600
/** Seconds between the timestamps of consecutive blocks of the local chain. */
export const BLOCK_SECONDS = 1
