/** Factories of pools: a pool's address follows by CREATE2 from the factory, the pool's code and its tokens. */
import { type Step, tradesOf } from '@sluice/program'
import { WORD } from './calls.ts'
import type { PoolFactory, SwapContracts } from './contracts.ts'
import { keccak256 } from './keccak.ts'
import type { Hex, SwapLeg } from './types.ts'

/** Fee tiers of Uniswap V3 and its forks, in parts per million. A pool of another tier counts as not known. */
const FEE_TIERS = [100, 200, 300, 400, 500, 2_500, 3_000, 10_000]
const NO_HOOKS = `0x${'0'.repeat(40)}`

/**
 * The pools of a proven route that may run anybody's code: those that none of the factories made for the leg's tokens. Pools of
 * Uniswap V4 without a hook run none but their manager's, and the wrapper is known by its address; managers and wrapper are
 * held against the chain's elsewhere. Vaults and the pools of Curve, Balancer and others cannot be told by their address.
 *
 * @param swaps - legs that were proven to be what the steps do
 */
export function unknownPools(
  swaps: readonly SwapLeg[],
  steps: readonly Step[],
  { factories, wrapper }: Pick<SwapContracts, 'factories' | 'wrapper'>,
): readonly string[] {
  const known = new Set(steps.flatMap(hooklessOf))
  if (wrapper) known.add(wrapper.toLowerCase())
  const pools = new Map(swaps.map((leg) => [leg.pool.toLowerCase(), leg]))
  return [...pools].flatMap(([pool, leg]) => (known.has(pool) || isMadeBy(factories, pool, leg) ? [] : [pool]))
}

/** Ids of the pools whose key says that they run no code but their manager's. */
function hooklessOf(step: Step): readonly string[] {
  return tradesOf(step, keccak256).flatMap(({ pool, hooks }) => (hooks === NO_HOOKS ? [pool] : []))
}

function isMadeBy(factories: readonly PoolFactory[], pool: string, { tokenIn, tokenOut }: SwapLeg): boolean {
  const [token0, token1] = [tokenIn, tokenOut].map((token) => token.slice(2).toLowerCase()).sort() as [string, string]
  const salts = {
    'uniswap-v2': [keccak256(`0x${token0}${token1}`)],
    'uniswap-v3': FEE_TIERS.map((fee) => keccak256(`0x${[token0, token1, fee.toString(16)].map(word).join('')}`)),
  }
  return factories.some(({ kind, deployer, initCodeHash }) =>
    salts[kind].some((salt) => create2(deployer, salt, initCodeHash) === pool),
  )
}

function create2(deployer: string, salt: Hex, initCodeHash: string): Hex {
  const packed = [deployer, salt, initCodeHash].map((text) => text.slice(2).toLowerCase()).join('')
  return `0x${keccak256(`0xff${packed}`).slice(-40)}`
}

function word(digits: string): string {
  return digits.padStart(WORD, '0')
}
