export const CHAIN_ID = 31337

/** 2025-01-01 00:00:00 UTC. Every block of the local chain is one second after its parent, whatever the wall clock says. */
export const GENESIS_TIMESTAMP = 1_735_689_600
export const BLOCK_SECONDS = 1
