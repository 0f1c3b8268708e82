/** Finds and reads ERC-4626 vaults. */
import { Erc4626Lens__factory, IERC20__factory, IERC4626State__factory } from '@sluice/bindings'
import type { Address, DexRow, Hex } from '@sluice/chains'
import { nullIfRefused, type Pool, type PoolReads, type Reads, type TokenPair } from '../../family.ts'
import { lensOf, lensRead } from '../../lenses.ts'
import type { Holding } from '../common/holdings.ts'
import { findTokenRow } from '../common/token-row.ts'
import { decodeMaxRedeem, findShareHoldings, maxRedeemRead, WORD_LENGTH } from './holder.ts'
import { type Erc4626State, quote } from './math.ts'

const LENS = lensOf('Erc4626Lens')
const lensInterface = Erc4626Lens__factory.createInterface()
const vaultInterface = IERC4626State__factory.createInterface()

const erc20 = IERC20__factory.createInterface()

/** Estimated gas to read one vault. */
const READ_GAS = 300_000
/** Maximum decimals offset of a vault: the decimals of the share less those of the asset. */
const MAX_DECIMALS_OFFSET = 18

export function findPools(row: DexRow, pairs: readonly TokenPair[]): Reads<readonly Pool<null>[]> {
  const assetRead = { to: row.address, data: vaultInterface.encodeFunctionData('asset') as Hex }
  return findTokenRow(row, pairs, assetRead, (answer) => vaultInterface.decodeFunctionResult('asset', answer)[0])
}

/** Immutable facts of a vault, which are read once. */
export type Erc4626Fixed = {
  /**
   * Storage override that gives shares to a synthetic holder, for which `maxRedeem` can then be read. Absent if the
   * storage slot of the balance is unknown.
   */
  readonly holding?: Holding
}

export function* readFixed(_row: DexRow, pools: readonly Pool<null>[]): Reads<readonly Pool<null>[]> {
  const holdings = yield* findShareHoldings(pools.map(({ address }) => address))
  return pools.map((pool, k) => ({
    ...pool,
    fixed: { ...(holdings[k] && { holding: holdings[k] }) } satisfies Erc4626Fixed,
  }))
}

export const readStates = (_row: DexRow, pools: readonly Pool[]): PoolReads<Erc4626State> =>
  readVaults(
    pools.map(({ address, tokens, fixed }) => ({
      share: address,
      asset: tokens[0]!,
      ...(fixed as Erc4626Fixed | null),
    })),
  )

/** A vault to read. Its contract is also its share token, which redeems for the asset. */
export type Vault = Erc4626Fixed & { readonly share: Address; readonly asset: Address }

/** Reads vaults. Returns null for a vault that cannot be read, or whose conversion is unknown. */
export function* readVaults(vaults: readonly Vault[]): PoolReads<Erc4626State> {
  const vaultsWithHolding = vaults.flatMap(({ share, holding }) => (holding ? [{ share, holding }] : []))
  const answers = yield [
    ...vaults.map(({ share }) => lensRead(LENS, lensInterface.encodeFunctionData('read', [share]), READ_GAS)),
    ...vaults.map(({ share, asset }) => ({ to: asset, data: erc20.encodeFunctionData('balanceOf', [share]) as Hex })),
    ...vaultsWithHolding.map(({ share, holding }) => maxRedeemRead(share, holding)),
  ]
  const [stateAnswers, cashAnswers, maxRedeemAnswers] = [0, 1, 2].map((k) => answers.slice(k * vaults.length))
  const maxRedeemByShare = new Map(vaultsWithHolding.map(({ share }, k) => [share, maxRedeemAnswers![k]!]))
  return vaults.map(({ share }, k) => {
    const [stateAnswer, cashAnswer] = [stateAnswers![k], cashAnswers![k]]
    // The asset can be any contract, and its `balanceOf` can return less than a word.
    if (!stateAnswer || !cashAnswer || cashAnswer.length < WORD_LENGTH) return null
    const vaultState = decodeState(stateAnswer, BigInt(cashAnswer.slice(0, WORD_LENGTH)))
    const maxRedeem = decodeMaxRedeem(maxRedeemByShare.get(share))
    return vaultState && (maxRedeem === null ? vaultState : { ...vaultState, maxRedeem })
  })
}

/**
 * Decodes a state. The conversion (the formula between assets and shares) must reproduce the vault's own previews of a
 * deposit and a redemption. Returns null if no known conversion does, for example because the vault charges fees.
 */
function decodeState(answer: Hex, cash: bigint): Erc4626State | null {
  const [readResult] = lensInterface.decodeFunctionResult('read', answer)
  const { totalAssets, totalSupply, maxDeposit, rate } = readResult
  const offsetConversions = Array.from({ length: MAX_DECIMALS_OFFSET + 1 }, (_, offset) => ({
    virtualShares: 10n ** BigInt(offset),
  }))
  // `rate` is assets per 10^27 shares; 0 if the vault has no getter for it.
  const rateConversions = rate > 0n ? [{ virtualShares: 0n, rate }] : []
  const conversions = [{ virtualShares: 0n }, ...offsetConversions, ...rateConversions]
  for (const conversion of conversions) {
    const state = { totalAssets, totalSupply, ...conversion, maxDeposit, cash }
    const reproducesDeposit = reproduces(state, true, readResult.sampleAssets, readResult.quotedShares)
    if (reproducesDeposit && reproduces(state, false, readResult.sampleShares, readResult.quotedAssets)) return state
  }
  return null
}

/** True if a state without limits gives the output that the vault itself previewed. */
function reproduces(state: Erc4626State, isDeposit: boolean, amountIn: bigint, amountOut: bigint): boolean {
  const unlimitedState = { ...state, maxDeposit: amountIn, maxRedeem: amountIn }
  return nullIfRefused(() => quote(unlimitedState, isDeposit, amountIn).amountOut) === amountOut
}

const topicOf = (name: 'Deposit' | 'Withdraw') => vaultInterface.getEvent(name).topicHash as Hex
export const topics: readonly Hex[] = [topicOf('Deposit'), topicOf('Withdraw')]
export const applyLog = () => 'reread' as const
