/** Reads `maxRedeem` for a synthetic holder of shares, because only the vault's own code computes what it can pay out. */
import { IERC20__factory, IERC4626State__factory } from '@sluice/bindings'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { balanceWrites, usualMappings } from '@sluice/simulation'
import { id } from 'ethers'
import type { Read, Reads } from '../../family.ts'

/** Storage overrides of a share that give the synthetic holder its balance. */
export type ShareOverrides = Readonly<Record<Hex, Hex>>

/** An address derived from a hash: nobody has its key. */
const HOLDER = toAddress(`0x${id('sluice.erc4626.holder').slice(-40)}`)
/**
 * Balance of the holder in base units. It exceeds the supply of almost every share, and fits 112 bits, the narrowest
 * packed balance.
 */
const HOLDER_BALANCE = 1n << 111n
/** Length of a one-word result, with `0x`. */
const WORD_DIGITS = 66
const FIND_GAS = 50_000
/** Gas of one `maxRedeem`. Vaults that lend their assets in several markets query all markets. */
const MAX_REDEEM_GAS = 500_000

const balanceOf = IERC20__factory.createInterface().encodeFunctionData('balanceOf', [HOLDER]) as Hex
const maxRedeem = IERC4626State__factory.createInterface().encodeFunctionData('maxRedeem', [HOLDER]) as Hex

/** Finds the storage overrides that give the holder each share; null if the balance's slot is unknown or overrides are unsupported. */
export function* findHoldings(shares: readonly Address[]): Reads<readonly (ShareOverrides | null)[]> {
  // All candidate slots are written in one call, each with a different balance.
  const candidates = shares.map((share) =>
    usualMappings(share)
      .filter(({ order }) => order !== 'minime')
      .map((mapping, k) => balanceWrites(mapping, HOLDER, HOLDER_BALANCE + BigInt(k))),
  )
  const answers = yield shares.map((share, k) => ({
    to: share,
    data: balanceOf,
    storage: { [share]: holdingOf(candidates[k]!.flat()) },
    gas: FIND_GAS,
  }))
  return answers.map((answer, k) => {
    const match = answer && candidates[k]!.find((writes) => writes.some(({ value }) => value === answer))
    return match ? holdingOf(match) : null
  })
}

const holdingOf = (writes: readonly { readonly key: Hex; readonly value: Hex }[]): ShareOverrides =>
  Object.fromEntries(writes.map(({ key, value }) => [key, value]))

export const maxRedeemRead = (share: Address, holding: ShareOverrides): Read => ({
  to: share,
  data: maxRedeem,
  storage: { [share]: holding },
  gas: MAX_REDEEM_GAS,
})

/** Decodes `maxRedeem`; null if the read was not made or failed. */
export const decodeMaxRedeem = (answer: Hex | null | undefined): bigint | null =>
  answer?.length === WORD_DIGITS ? BigInt(answer) : null
