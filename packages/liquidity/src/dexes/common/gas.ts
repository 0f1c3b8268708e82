/**
 * Gas of one more hop in a route, transfers included, from routes of one and two hops through genuine pools whose tokens
 * are plain ERC-20. Routing weighs pools by it; what a route costs is measured when it is simulated.
 */
export const HOP_GAS = {
  'uniswap-v2': 55_000,
  'uniswap-v3': 75_000,
  'pancake-v3': 80_000,
  slipstream: 90_000,
  'ramses-cl': 90_000,
  'uniswap-v4': 75_000,
  solidly: 75_000,
  'velodrome-v2': 80_000,
  'curve-stable': 110_000,
  'curve-crypto': 220_000,
  'balancer-v2': 100_000,
  'balancer-v3': 110_000,
  erc4626: 70_000,
  'rate-wrapper': 90_000,
  'wrapped-native': 30_000,
  'algebra-integral': 90_000,
  'algebra-v1': 100_000,
  'liquidity-book': 90_000,
  'dodo-v2': 110_000,
} as const

export type GasFamily = keyof typeof HOP_GAS

/** A further bin of a liquidity-book pair: its reserves are read and written. */
export const BIN_GAS = 20_000

/** An initialised tick crossed: its fee growth is read and turned over. */
export const TICK_GAS = 21_000
