/**
 * Implements `DexFamily` for SyncSwap aqua pools. The source code of their curve is not public. So quotes are
 * interpolated between samples: swaps that are simulated on chain.
 */
import { ISyncswapFactory__factory, ISyncswapState__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { DexFamily, Pool, PoolReads } from '../../family.ts'
import { pairFactory } from '../common/pair-discover.ts'
import { findPoolHoldings, type PoolHoldings, programSamples } from '../common/program-samples.ts'
import type { SampledState } from '../common/sampled-state.ts'

const stateInterface = ISyncswapState__factory.createInterface()
/** Estimated gas to read the vault of one pool. */
const VAULT_GAS = 10_000

/** Immutable data (`Pool.fixed`) of an aqua pool. */
type AquaFixed = {
  /** Vault that holds the tokens; zero if the pool holds them itself. */
  readonly vault: Address
  /** Storage overrides that give the sampling contract (lens) tokens to sell. */
  readonly holdings: PoolHoldings
}

const fixedOf = (pool: Pool<unknown>): AquaFixed => pool.fixed as AquaFixed

const step: DexFamily['step'] = (pool, tokenIn, _tokenOut, input, output) => ({
  op: 'syncswap',
  pool: pool.address,
  vault: fixedOf(pool).vault,
  tokenIn,
  input,
  output,
})

/** SyncSwap aqua pools. Their swap function has the interface of SyncSwap's classic and stable pools. */
export const syncswapAqua: DexFamily<SampledState> = {
  id: 'syncswap-aqua',
  payment: { lockSlots: 1 },
  ...pairFactory(ISyncswapFactory__factory.createInterface(), 'getPool', 'PoolCreated'),
  readFixed,
  statesNeedFixedFacts: true,
  ...programSamples({
    id: 'syncswap-aqua',
    step,
    viewOf: ({ address }) => ({ to: address, data: stateInterface.encodeFunctionData('getReserves') as Hex }),
    holdingsOf: (pool) => fixedOf(pool).holdings,
  }),
  step,
}

/** Reads the vaults of pools, and finds the storage overrides that give the lens tokens to sell. */
function* readFixed(_row: DexRow, pools: readonly Pool<null>[]): PoolReads<Pool<null>> {
  const holdings = yield* findPoolHoldings(pools)
  const answers = yield pools.map(({ address }) => ({
    to: address,
    data: stateInterface.encodeFunctionData('vault') as Hex,
    gas: VAULT_GAS,
  }))
  return pools.map((pool, k) => {
    const [answer, pairHoldings] = [answers[k], holdings[k]]
    if (!answer || !pairHoldings) return null
    const vault = toAddress(stateInterface.decodeFunctionResult('vault', answer)[0] as string)
    return { ...pool, fixed: { vault, holdings: pairHoldings } satisfies AquaFixed }
  })
}
