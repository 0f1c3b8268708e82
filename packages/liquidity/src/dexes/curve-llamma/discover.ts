/** Finds the pools (lending AMMs) of the factories of crvUSD and LlamaLend. */
import { LlammaLens__factory } from '@sluice/bindings'
import { callCodec } from '@sluice/bindings/codec'
import { type Address, type DexRow, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool, Reads, TokenPair } from '../../family.ts'
import { type Lens, lensOf, lensRead } from '../../lenses.ts'
import { contractPool } from '../common/make-pool.ts'

export const LENS: Lens = lensOf('LlammaLens')

/** `version` of the factory of crvUSD, to which only Curve's governance adds markets. */
const GOVERNED_VERSION = 'mint-factory'

/** Immutable data (`Pool.fixed`) of a pool. */
export type LlammaFixed = {
  /** True if Curve's governance chose the oracle of the pool. */
  readonly isGoverned: boolean
}

/**
 * Maximum pools of a factory. If there are more, the oldest are taken. Anyone can create pools in LlamaLend's
 * factories.
 */
const MAX_POOLS = 256
/** Estimated gas to read `MAX_POOLS` pools with their tokens. */
const FIND_GAS = 4_000_000

type FoundPool = { readonly pool: string; readonly borrowed: string; readonly collateral: string }
const findCodec = callCodec<[factory: string, max: bigint], [FoundPool[]]>(
  LlammaLens__factory.createInterface(),
  'find',
)

/** Finds pools in the whole list of the factory, because no getter returns the pools of a pair. */
export function* findPools(row: DexRow, pairs: readonly TokenPair[]): Reads<readonly Pool<null>[]> {
  const fixed = { isGoverned: row.version === GOVERNED_VERSION } satisfies LlammaFixed
  const [answer] = yield [lensRead(LENS, findCodec.encode(row.address, BigInt(MAX_POOLS)), FIND_GAS)]
  if (!answer) return []
  // Copy the decoded list into an array: `flatMap` of an ethers `Result` returns [0] instead of an empty list.
  return [...findCodec.decode(answer)[0]].flatMap(({ pool, borrowed, collateral }) => {
    const [address, ...tokens] = [pool, borrowed, collateral].map(toAddress) as [Address, Address, Address]
    const isRequested = tokens[0] !== tokens[1] && pairs.some((pair) => tokens.every((token) => pair.includes(token)))
    return isRequested && !tokens.includes(ZERO_ADDRESS) ? [contractPool(row, address, tokens, fixed)] : []
  })
}
