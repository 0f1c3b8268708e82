/** Finds and reads Fluid DEX pools. */
import { type FluidDexLens, FluidDexLens__factory } from '@sluice/bindings'
import { type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { Pool, Reads, TokenPair } from '../../family.ts'
import { lensOf, lensRead } from '../../lenses.ts'
import { pairKey } from '../common/direction.ts'
import { contractPool } from '../common/make-pool.ts'
import { withNative } from '../common/native-pairs.ts'
import { stateReader } from '../common/read-each.ts'
import type { FluidDexState, FluidReserves } from './types.ts'

const LENS = lensOf('FluidDexLens')
const lensInterface = FluidDexLens__factory.createInterface()

/** Estimated gas to list a few dozen pools of two words each. */
const LIST_GAS = 3_000_000
/** Estimated gas to read prices, and both curves from the Liquidity contract. */
const READ_GAS = 400_000

/**
 * Finds pools in the list of all pools that the resolver returns, because it has no getter for the pools of a token.
 */
export function* findPools(row: DexRow, pairs: readonly TokenPair[]): Reads<readonly Pool<null>[]> {
  const [answer] = yield [lensRead(LENS, lensInterface.encodeFunctionData('list', [row.address]), LIST_GAS)]
  if (!answer) return []
  const [pools, tokens] = lensInterface.decodeFunctionResult('list', answer) as unknown as [string[], string[]]
  const pairKeys = new Set(withNative(pairs, row.contracts?.wrappedNative).map(pairKey))
  // Copy the decoded list into an array: `flatMap` of an ethers `Result` returns [0] instead of an empty list.
  return [...pools].flatMap((pool, k) => {
    const pair = [toAddress(tokens[2 * k]!), toAddress(tokens[2 * k + 1]!)] as const
    return pairKeys.has(pairKey(pair)) ? [contractPool(row, toAddress(pool), pair)] : []
  })
}

export const readStates = stateReader(
  ({ address, tokens }) =>
    lensRead(LENS, lensInterface.encodeFunctionData('read', [address, tokens[0]!, tokens[1]!]), READ_GAS),
  decodeState,
)

/** Bits of `settings` (storage slot 1 of a pool) that enable the collateral curve and the debt curve. */
const [COLLATERAL_FLAG, DEBT_FLAG] = [1n, 2n]
/** Position and mask of the fee in `settings`. */
const [FEE_SHIFT, FEE_MASK] = [2n, 0x1ffffn]
/** Position and mask of the protocol's share of the fee in `settings`. */
const [CUT_SHIFT, CUT_MASK] = [19n, 0x7fn]
/** Position of the bit in `settings` that pauses swaps. */
const PAUSED_SHIFT = 255n

function decodeState(answer: Hex): FluidDexState {
  const [readResult] = lensInterface.decodeFunctionResult('read', answer) as unknown as [FluidDexLens.StateStructOutput]
  const reservesOf = (from: typeof readResult.collateral | typeof readResult.debt): FluidReserves => ({
    real: [from.token0RealReserves, from.token1RealReserves],
    imaginary: [from.token0ImaginaryReserves, from.token1ImaginaryReserves],
  })
  return {
    paused: readResult.settings >> PAUSED_SHIFT !== 0n,
    feePpm: (readResult.settings >> FEE_SHIFT) & FEE_MASK,
    revenueCut: (readResult.settings >> CUT_SHIFT) & CUT_MASK,
    lastPrice: readResult.lastStoredPrice,
    centerPrice: readResult.centerPrice,
    collateral: readResult.settings & COLLATERAL_FLAG ? reservesOf(readResult.collateral) : null,
    debt: readResult.settings & DEBT_FLAG ? reservesOf(readResult.debt) : null,
    owed: [readResult.debt.token0Debt, readResult.debt.token1Debt],
    decimals: [readResult.decimals0, readResult.decimals1],
  }
}
