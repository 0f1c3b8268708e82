/** Reads tokens that are shares of other tokens, such as vault shares and LP tokens, through RedemptionLens.sol. */
import { RedemptionLens__factory } from '@sluice/bindings'
import { type Address, type Hex, NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Reads } from '../family.ts'
import { lensOf } from '../lenses.ts'

const LENS = lensOf('RedemptionLens')
const lensInterface = RedemptionLens__factory.createInterface()

/** Estimated gas for one share. Most tokens are not shares, and cost a tenth of this. */
const READ_GAS = 400_000
const SCALE_UNIT = 1e18

/** Kinds of shares, in the order of the enum in RedemptionLens.sol. */
const KINDS = [null, 'vault', 'reserve', 'market', 'staked', 'pair', 'weighted', 'stable', 'crypto'] as const
/** Kind of contract that issued the share. */
export type RedemptionKind = NonNullable<(typeof KINDS)[number]>

/** A share token at the end of one block. */
export type Redemption = {
  readonly share: Address
  readonly kind: RedemptionKind
  /** Total supply, in base units of the share. */
  readonly supply: bigint
  readonly parts: readonly RedeemedPart[]
  /**
   * Redemption rate. With one part: base units of the part per base unit of the share. With several parts: the virtual
   * price, in whole units.
   */
  readonly rate: number
  /**
   * Maximum base units that can be withdrawn now, for a share with one part. Null if all of the part's `balance` can be
   * withdrawn, or for a share with several parts.
   */
  readonly maxRedeemable: bigint | null
}

/** Result for a token whose read failed, and for a share that reports no rate, such as a paused vault. */
export const UNREADABLE = Symbol('unreadable')
type Reading = Redemption | typeof UNREADABLE | null | undefined

/** One of the tokens that a share redeems into. */
export type RedeemedPart = {
  /** The zero address is the native token. */
  readonly token: Address
  /** Base units of `token` that back all shares. */
  readonly balance: bigint
  /** Weight among all parts, or price relative to the other parts of a stable pool; 0 if unknown. */
  readonly scale: number
}

/**
 * Reads the assets that shares redeem for: null for a token that is not a share, undefined for a token without supply,
 * `UNREADABLE` if a later read may find a share.
 *
 * @param holders - for each share, an account that may hold some units of the share; the zero address if unknown
 * @param addressProvider - Curve's address provider, if the chain has one
 */
export function* readRedemptions(
  shares: readonly Address[],
  holders: readonly Address[],
  addressProvider: Address = ZERO_ADDRESS,
): Reads<readonly Reading[]> {
  const results = yield shares.map((share, i) => ({
    ...LENS,
    data: lensInterface.encodeFunctionData('read', [share, holders[i] ?? ZERO_ADDRESS, addressProvider]) as Hex,
    gas: READ_GAS,
  }))
  return shares.map((share, i) => (results[i] ? decode(share, results[i]) : UNREADABLE))
}

function decode(share: Address, answer: Hex): Reading {
  const [state] = lensInterface.decodeFunctionResult('read', answer)
  const kind = KINDS[Number(state.kind)]
  if (state.supply === 0n) return undefined
  if (!kind || state.sample === 0n) return null
  const [tokens, balances, scales] = [[...state.tokens], [...state.held], [...state.scales]]
  const parts = tokens.map((token, i) => ({
    token: partAddress(token),
    balance: balances[i]!,
    scale: Number(scales[i] ?? 0n) / SCALE_UNIT,
  }))
  const includesItself = parts.some(({ token }) => token === share)
  const rate = Number(state.redeemed) / Number(state.sample)
  const needsRate = kind !== 'pair' && kind !== 'weighted'
  if (parts.length === 0 || includesItself) return null
  if (needsRate && !(rate > 0 && Number.isFinite(rate))) return UNREADABLE
  const maxRedeemable = parts.length === 1 && state.limit < parts[0]!.balance ? state.limit : null
  return { share, kind, supply: state.supply, parts, rate, maxRedeemable }
}

/** Curve pools use 0xEeee…EEeE for the native token. */
function partAddress(token: string): Address {
  const address = toAddress(token)
  return address === NATIVE ? ZERO_ADDRESS : address
}
