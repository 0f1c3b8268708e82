/** Family of SyncSwap aqua pools, quoted from samples: the source of their curve is not public. */
import { ISyncswapFactory__factory, ISyncswapState__factory, SyncswapAquaLens__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { DexFamily, Pool, Reads } from '../../family.ts'
import { lensOf } from '../../lenses.ts'
import { findHoldings, type Holding } from '../common/holdings.ts'
import { pairFactory } from '../common/pair-discover.ts'
import { sampledFamily } from '../common/sampled-family.ts'
import type { SampledState } from '../common/sampled-state.ts'

const LENS = lensOf('SyncswapAquaLens')
const stateInterface = ISyncswapState__factory.createInterface()
const VAULT_GAS = 10_000

/** `fixed` of an aqua pool. */
type AquaFixed = {
  /** Vault that holds the tokens; zero if the pool holds them itself. */
  readonly vault: Address
  /** Overrides that give the lens the first and the second token. */
  readonly holdings: readonly [Holding, Holding]
}

const fixedOf = (pool: Pool<unknown>): AquaFixed => pool.fixed as AquaFixed

/** SyncSwap aqua pools. They have the same swap function as SyncSwap's classic and stable pools. */
export const syncswapAqua: DexFamily<SampledState> = {
  id: 'syncswap-aqua',
  payment: { lockSlots: 1 },
  ...pairFactory(ISyncswapFactory__factory.createInterface(), 'getPool', 'PoolCreated'),
  readFixed,
  stateNeedsFixed: true,
  ...sampledFamily({
    id: 'syncswap-aqua',
    lens: LENS,
    abi: SyncswapAquaLens__factory.createInterface(),
    requestOf: (_row, pool) => {
      const [token0, token1] = pool.tokens
      return { pool: { pool: pool.address, vault: fixedOf(pool).vault, token0, token1 } }
    },
    storageOf: (pool) => {
      const [holding0, holding1] = fixedOf(pool).holdings
      return { [pool.tokens[0]!]: holding0, [pool.tokens[1]!]: holding1 }
    },
  }),
  step: (pool, tokenIn, _tokenOut, input, output) => ({
    op: 'syncswap',
    pool: pool.address,
    vault: fixedOf(pool).vault,
    tokenIn,
    input,
    output,
  }),
}

/** Reads the vaults of pools, and finds the storage overrides that give the lens tokens to sell. */
function* readFixed(_row: DexRow, pools: readonly Pool<null>[]): Reads<readonly (Pool<null> | null)[]> {
  const tokens = [...new Set(pools.flatMap((pool) => pool.tokens))]
  const tokenHoldings = yield* findHoldings(LENS.to, tokens)
  const holdingOf = new Map(tokens.map((token, k) => [token, tokenHoldings[k]!]))
  const answers = yield pools.map(({ address }) => ({
    to: address,
    data: stateInterface.encodeFunctionData('vault') as Hex,
    gas: VAULT_GAS,
  }))
  return pools.map((pool, k) => {
    const holdings = pool.tokens.map((token) => holdingOf.get(token))
    const answer = answers[k]
    if (!answer || !holdings[0] || !holdings[1]) return null
    const vault = toAddress(stateInterface.decodeFunctionResult('vault', answer)[0] as string)
    return { ...pool, fixed: { vault, holdings: [holdings[0], holdings[1]] } satisfies AquaFixed }
  })
}
