/** Constants of the local chain. */

/** Chain id of the local chain. */
export const CHAIN_ID = 31337

/**
 * 2025-01-01 00:00:00 UTC. Every block of the local chain is one second after its parent, independent of the wall
 * clock.
 */
export const GENESIS_TIMESTAMP = 1_735_689_600
/** Seconds between blocks of the local chain. */
export const BLOCK_SECONDS = 1
