/** Reading of tokens that are shares of something else, through one lens. */
import { RedemptionLens__factory } from '@sluice/bindings'
import { type Address, type Hex, NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Reads } from '../family.ts'
import { lensOf } from '../lenses.ts'

const LENS = lensOf('RedemptionLens')
const lens = RedemptionLens__factory.createInterface()

/** Most tokens are none, which takes a tenth of it to see. */
const READ_GAS = 400_000
const ONE = 1e18

/** In the order of RedemptionLens.sol. */
const KINDS = [null, 'vault', 'reserve', 'market', 'staked', 'pair', 'weighted', 'stable', 'crypto'] as const
export type RedemptionKind = NonNullable<(typeof KINDS)[number]>

/** A share as it stands at the end of one block. */
export type Redemption = {
  readonly share: Address
  readonly kind: RedemptionKind
  /** Base units of the share. */
  readonly supply: bigint
  readonly parts: readonly RedeemedPart[]
  /** Base units of the one part for a base unit of the share; of several parts the virtual price, in whole units. */
  readonly rate: number
  /** Base units of the one part that can be withdrawn now, where that is known to be less than `held`. */
  readonly limit: bigint | null
}

export type RedeemedPart = {
  /** The zero address for the native token. */
  readonly token: Address
  /** Base units that are there to be paid out. */
  readonly held: bigint
  /** Weight among all parts, or worth beside the others where these are meant to be worth the same; 0 when not told. */
  readonly scale: number
}

/**
 * Null for what is no share, undefined for what has none given out as yet.
 *
 * @param holders - for each share an account that may hold some of it; the zero address where none is known
 * @param registries - Curve's list of its registries, where the chain has one
 */
export function* readRedemptions(
  shares: readonly Address[],
  holders: readonly Address[],
  registries: Address = ZERO_ADDRESS,
): Reads<readonly (Redemption | null | undefined)[]> {
  const answers = yield shares.map((share, k) => ({
    ...LENS,
    data: lens.encodeFunctionData('read', [share, holders[k] ?? ZERO_ADDRESS, registries]) as Hex,
    gas: READ_GAS,
  }))
  return shares.map((share, k) => (answers[k] ? decode(share, answers[k]) : null))
}

function decode(share: Address, answer: Hex): Redemption | null | undefined {
  const [state] = lens.decodeFunctionResult('read', answer)
  const kind = KINDS[Number(state.kind)]
  if (state.supply === 0n) return undefined
  if (!kind || state.sample === 0n) return null
  const [tokens, held, scales] = [[...state.tokens], [...state.held], [...state.scales]]
  const parts = tokens.map((token, k) => ({
    token: partAt(token),
    held: held[k]!,
    scale: Number(scales[k] ?? 0n) / ONE,
  }))
  const isOwn = parts.some(({ token }) => token === share)
  const rate = Number(state.redeemed) / Number(state.sample)
  const needsRate = kind !== 'pair' && kind !== 'weighted'
  if (parts.length === 0 || isOwn || (needsRate && !(rate > 0 && Number.isFinite(rate)))) return null
  const limit = parts.length === 1 && state.limit < parts[0]!.held ? state.limit : null
  return { share, kind, supply: state.supply, parts, rate, limit }
}

/** Curve's pools name the native token otherwise than others. */
function partAt(token: string): Address {
  const address = toAddress(token)
  return address === NATIVE ? ZERO_ADDRESS : address
}
