/**
 * Chain ids by the network names that CoW Protocol uses in solver URLs.
 *
 * @see docs.cow.fi, tutorials/solvers/onboard
 */
export const NETWORKS: ReadonlyMap<string, number> = new Map([
  ['mainnet', 1],
  ['optimism', 10],
  ['bnb', 56],
  ['xdai', 100],
  ['polygon', 137],
  ['base', 8453],
  ['plasma', 9745],
  ['arbitrum-one', 42161],
  ['avalanche', 43114],
  ['ink', 57073],
  ['linea', 59144],
  ['sepolia', 11155111],
])
