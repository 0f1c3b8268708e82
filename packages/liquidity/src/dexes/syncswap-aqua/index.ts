/** Family of SyncSwap aqua pools, quoted from samples: the source of their curve is not public. */
import { ISyncswapFactory__factory, ISyncswapState__factory, SyncswapAquaLens__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { DexFamily, Pool, Reads } from '../../family.ts'
import { lensOf } from '../../lenses.ts'
import { findHoldings, type Holding } from '../common/holdings.ts'
import { pairFactory } from '../common/pair-discover.ts'
import { DIRECTION_GAS, SAMPLE_GAS, type SampleAmounts, sampledFamily } from '../common/sampled-family.ts'
import type { SampledState } from '../common/sampled-state.ts'

const LENS = lensOf('SyncswapAquaLens')
const lens = SyncswapAquaLens__factory.createInterface()
const state = ISyncswapState__factory.createInterface()
const VAULT_GAS = 10_000

/** `fixed` of an aqua pool. */
type AquaFixed = {
  /** Vault that holds the tokens; zero if the pool holds them itself. */
  readonly vault: Address
  /** Overrides that give the lens the first and the second token. */
  readonly holdings: readonly [Holding, Holding]
}

const fixedOf = (pool: Pool): AquaFixed => pool.fixed as AquaFixed

/** SyncSwap aqua pools, which swap by the same call as its classic and stable ones. */
export const syncswapAqua: DexFamily<SampledState> = {
  id: 'syncswap-aqua',
  payment: { locks: 1 },
  ...pairFactory(ISyncswapFactory__factory.createInterface(), 'getPool', 'PoolCreated'),
  readFixed,
  stateNeedsFixed: true,
  ...sampledFamily({ id: 'syncswap-aqua', readOf, decode }),
  step: (pool, tokenIn, _tokenOut, input, output) => ({
    op: 'syncswap',
    pool: pool.address,
    vault: fixedOf(pool).vault,
    tokenIn,
    input,
    output,
  }),
}

/** Reads the vaults of pools, and finds out how the lens can be given their tokens. */
function* readFixed(_row: DexRow, pools: readonly Pool<null>[]): Reads<readonly (Pool<null> | null)[]> {
  const tokens = [...new Set(pools.flatMap((pool) => pool.tokens))]
  const tokenHoldings = yield* findHoldings(LENS.to, tokens)
  const holdingOf = new Map(tokens.map((token, k) => [token, tokenHoldings[k]!]))
  const answers = yield pools.map(({ address }) => ({
    to: address,
    data: state.encodeFunctionData('vault') as Hex,
    gas: VAULT_GAS,
  }))
  return pools.map((pool, k) => {
    const holdings = pool.tokens.map((token) => holdingOf.get(token))
    const answer = answers[k]
    if (!answer || !holdings[0] || !holdings[1]) return null
    const vault = toAddress(state.decodeFunctionResult('vault', answer)[0] as string)
    return { ...pool, fixed: { vault, holdings: [holdings[0], holdings[1]] } satisfies AquaFixed }
  })
}

function readOf(_row: DexRow, pool: Pool<unknown>, [amounts0, amounts1]: SampleAmounts) {
  const { vault, holdings } = fixedOf(pool)
  const [token0, token1] = [pool.tokens[0]!, pool.tokens[1]!]
  const request = {
    pool: { pool: pool.address, vault, token0, token1 },
    amounts0: [...amounts0],
    amounts1: [...amounts1],
    gasEach: SAMPLE_GAS,
    gasAll: DIRECTION_GAS,
  }
  return {
    ...LENS,
    data: lens.encodeFunctionData('sample', [request]) as Hex,
    storage: { [token0]: holdings[0], [token1]: holdings[1] },
  }
}

function decode(answer: Hex) {
  const { outputs0, outputs1, stamp } = lens.decodeFunctionResult('sample', answer)
  return { outputs: [[...outputs0], [...outputs1]] as const, stamp }
}
