/**
 * Reads `maxRedeem` for a synthetic holder of shares, because only the vault's own code computes what it can pay out.
 */
import { IERC4626State__factory } from '@sluice/bindings'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { id } from 'ethers'
import type { Read } from '../../family.ts'
import { findHoldings, type Holding } from '../common/holdings.ts'

/** An address derived from a hash: nobody has its key. */
const HOLDER = toAddress(`0x${id('sluice.erc4626.holder').slice(-40)}`)
/** Length of a one-word result, with `0x`. */
export const WORD_DIGITS = 66
/** Gas of one `maxRedeem`. Vaults that lend their assets in several markets query all markets. */
const MAX_REDEEM_GAS = 500_000

const MAX_REDEEM_CALL = IERC4626State__factory.createInterface().encodeFunctionData('maxRedeem', [HOLDER]) as Hex

/**
 * Finds the storage overrides that give the holder each share; null if the balance's slot is unknown or overrides are
 * unsupported.
 */
export const findShareHoldings = (shares: readonly Address[]) => findHoldings(HOLDER, shares)

export const maxRedeemRead = (share: Address, holding: Holding): Read => ({
  to: share,
  data: MAX_REDEEM_CALL,
  storage: { [share]: holding },
  gas: MAX_REDEEM_GAS,
})

/** Decodes `maxRedeem`; null if the read was not made or failed. */
export const decodeMaxRedeem = (answer: Hex | null | undefined): bigint | null =>
  answer?.length === WORD_DIGITS ? BigInt(answer) : null
