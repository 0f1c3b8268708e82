/**
 * Reads balances before and after a simulated transaction. The logs of some tokens do not show all balance changes.
 * Rebasing tokens and shares of lending markets grow without a transfer. Other tokens log the amount before their own
 * fee.
 */
import { type Address, type Hex, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import type { Changes, TokenTransfer } from './flows.ts'

/** An account and a token that it holds. */
export type TokenHolding = { readonly account: Address; readonly token: Address }

/** Maximum balances that are read before and after one transaction. */
const MAX_HOLDINGS = 150
/** Gas limit of one read: many times the gas that a token with computed balances needs. */
const READ_GAS = 500_000n
/** Selector of `balanceOf(address)`. */
const BALANCE_OF = '0x70a08231'

/**
 * Lists the holdings that transfers change, with the holdings of `firstAccount` first. Excludes the wrapped native
 * token that its own contract holds.
 */
export function holdingsOf(
  flows: readonly TokenTransfer[],
  firstAccount: Address,
  wrappedNative: Address | null,
): readonly TokenHolding[] {
  const holdings = new Map<string, TokenHolding>()
  for (const { token, from, to } of flows) {
    if (token === NATIVE) continue
    for (const account of [from, to])
      if (account !== ZERO_ADDRESS && !(token === wrappedNative && account === wrappedNative))
        holdings.set(`${account} ${token}`, { account, token })
  }
  const rank = ({ account }: TokenHolding) => (account === firstAccount ? 0 : 1)
  return [...holdings.values()].sort((a, b) => rank(a) - rank(b)).slice(0, MAX_HOLDINGS)
}

/** Returns the calls of a simulation that read the balances. */
export function balanceCalls(holdings: readonly TokenHolding[]): readonly object[] {
  return holdings.map(({ account, token }) => ({
    from: ZERO_ADDRESS,
    to: token,
    input: `${BALANCE_OF}${account.slice(2).padStart(64, '0')}`,
    gas: `0x${READ_GAS.toString(16)}`,
  }))
}

/** Change of a balance in base units. */
export type BalanceChange = TokenHolding & { readonly amount: bigint }

/** Returns the changes between two rounds of reads. Skips tokens that fail to return a balance. */
export function balanceChanges(
  holdings: readonly TokenHolding[],
  before: readonly (Hex | undefined)[],
  after: readonly (Hex | undefined)[],
): readonly BalanceChange[] {
  return holdings.flatMap((holding, k) => {
    const [start, end] = [wordOf(before[k]), wordOf(after[k])]
    return start === undefined || end === undefined ? [] : [{ ...holding, amount: end - start }]
  })
}

const wordOf = (data: Hex | undefined) =>
  data !== undefined && /^0x[0-9a-fA-F]{64}/.test(data) ? BigInt(data.slice(0, 66)) : undefined

/**
 * Replaces logged changes by the changes of balances that were read. A logged change stays if the balance was not read
 * or did not change. Recordings for tests hold only part of the state, so that a token which computes balances from an
 * index reports zero before and after.
 */
export function withBalances(changes: Changes, balances: readonly BalanceChange[]): Changes {
  const correctedChanges = new Map([...changes].map(([account, tokenChanges]) => [account, new Map(tokenChanges)]))
  for (const { account, token, amount } of balances) {
    if (amount === 0n) continue
    const ownChanges = correctedChanges.get(account) ?? new Map<Address, bigint>()
    correctedChanges.set(account, ownChanges.set(token, amount))
  }
  return correctedChanges
}
