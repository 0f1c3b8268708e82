/**
 * Reads `maxRedeem` of vaults: the number of shares that can be redeemed now. Only the vault's code can compute it, and
 * only for an account with shares. So the reads override storage to give shares to a synthetic holder.
 */
import { IERC4626State__factory } from '@sluice/bindings'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { id } from 'ethers'
import type { Read } from '../../family.ts'
import { findHoldings, type Holding } from '../common/holdings.ts'

/** Synthetic holder: an address derived from a hash, for which no key is known. */
const HOLDER = toAddress(`0x${id('sluice.erc4626.holder').slice(-40)}`)
/** Characters of a result of one 32-byte word, with `0x`. */
export const WORD_LENGTH = 66
/** Estimated gas of one `maxRedeem`. It is high for vaults that lend their assets in several markets. */
const MAX_REDEEM_GAS = 500_000

const MAX_REDEEM_CALL = IERC4626State__factory.createInterface().encodeFunctionData('maxRedeem', [HOLDER]) as Hex

/**
 * Finds the storage override of each share token that gives shares to the holder. Returns null for a share if the
 * storage slot of the balance is unknown, or if the node does not support overrides.
 */
export const findShareHoldings = (shares: readonly Address[]) => findHoldings(HOLDER, shares)

/** Returns the read of `maxRedeem` for the holder. @param holding - override that gives shares to the holder */
export const maxRedeemRead = (share: Address, holding: Holding): Read => ({
  to: share,
  data: MAX_REDEEM_CALL,
  storage: { [share]: holding },
  gas: MAX_REDEEM_GAS,
})

/** Decodes the result of `maxRedeem`; null if it was not read or the read failed. */
export const decodeMaxRedeem = (answer: Hex | null | undefined): bigint | null =>
  answer?.length === WORD_LENGTH ? BigInt(answer) : null
