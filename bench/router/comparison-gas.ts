/** Gas table by which all routers of the benchmark are compared net of gas. */
export const COMPARISON_GAS = {
  route: 100_000,
  hop: { 'uniswap-v2': 60_000, 'uniswap-v3': 90_000, 'curve-stable': 90_000 },
  tick: 20_000,
}
