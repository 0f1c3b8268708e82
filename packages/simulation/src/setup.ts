/**
 * Builds setups. A setup gives the sender of a simulated swap the input amount and its allowance. It uses storage
 * overrides, a loan from a token holder, or the sender's own balance.
 */
import type { Address } from '@sluice/chains'
import { AccountSlotSearch } from './slots/account-slots.ts'
import { computeBalanceWrites } from './slots/amount.ts'
import { allowanceKey, type Mapping, toWord, type Write } from './slots/mapping.ts'
import { mergeWrites, type StorageWrites, type TokenReader } from './slots/reader.ts'
import type { TokenLayout } from './slots/resolver.ts'
import type { SetUpWays } from './types.ts'

/** Input setup of one attempt. */
export type SetUp = {
  /** Storage overrides of the simulation. */
  readonly writes: StorageWrites
  /**
   * Balance of the sender in base units that the token must report before the swap. This is a minimum if the sender
   * uses its own balance.
   */
  readonly balance: bigint
  /** Base units that the sender approves; 0n for none. */
  readonly approvalAmount: bigint
  readonly loan?: Loan
  readonly ways: SetUpWays
}
/** Amount in base units that a holder transfers to the sender before the swap. */
export type Loan = { readonly holder: Address; readonly amount: bigint }

export type SwapInput = {
  readonly from: Address
  readonly spender: Address
  readonly amountIn: bigint
  /** `kept`: the allowance stays unchanged. `approved`: the sender approves. Absent: an override sets the allowance. */
  readonly allowance?: 'kept' | 'approved' | undefined
  /** Writes by which the target may take the input through Permit2, if Permit2 is the spender. */
  readonly permit2Writes?: readonly [Address, Write[]] | undefined
}

/** Gives the sender the input as a native balance. */
export function nativeSetUp(amountIn: bigint): SetUp {
  return { writes: new Map(), balance: amountIn, approvalAmount: 0n, ways: { balance: 'native', allowance: 'none' } }
}

/** Sets balance and allowance by storage overrides; undefined if the balance cannot be written. */
export async function slotSetUp(
  reader: TokenReader,
  layout: TokenLayout,
  input: SwapInput,
): Promise<SetUp | undefined> {
  const balanceWrite =
    layout.balance && (await computeBalanceWrites(reader, layout.balance, input.from, input.amountIn))
  if (!balanceWrite) return undefined
  const writes = mergeWrites([balanceWrite.contract, balanceWrite.writes], ...allowanceWrites(layout.allowance, input))
  return setUpWith(writes, layout, input, 'slot', balanceWrite.balance)
}

/** Gives the sender the input by a transfer from a holder, and sets the allowance by storage overrides if possible. */
export function loanSetUp(layout: TokenLayout, input: SwapInput, loan: Loan): SetUp {
  const writes = mergeWrites(...allowanceWrites(layout.allowance, input))
  return { ...setUpWith(writes, layout, input, 'lent', input.amountIn), loan }
}

/** True if a token that reports this balance before the swap confirms the setup. */
export function isExpectedBalance({ ways, balance }: SetUp, reportedBalance: bigint): boolean {
  return ways.balance === 'own' ? reportedBalance >= balance : reportedBalance === balance
}

/** Keeps the sender's own balance, and sets the allowance by storage overrides if possible. */
export function ownBalanceSetUp(layout: TokenLayout, input: SwapInput): SetUp {
  return setUpWith(mergeWrites(...allowanceWrites(layout.allowance, input)), layout, input, 'own', input.amountIn)
}

/** Uses the real balance and allowance of the sender. */
export function realBalanceSetUp(input: SwapInput): SetUp {
  const { amountIn, allowance } = input
  const isApproved = allowance === 'approved'
  return {
    ...{
      writes: mergeWrites(...allowanceWrites(undefined, input)),
      balance: amountIn,
      approvalAmount: isApproved ? amountIn : 0n,
    },
    ways: { balance: 'own', allowance: isApproved ? 'approved' : allowance === 'kept' ? 'none' : 'own' },
  }
}

/**
 * Builds a setup for a token whose storage layout follows no known rule: overrides slots that the token reads for this
 * sender. Returns undefined if no slot sets the balance. If no slot sets the allowance, the sender approves.
 */
export async function accountSlotSetUp(
  reader: TokenReader,
  layout: TokenLayout,
  input: SwapInput,
): Promise<SetUp | undefined> {
  const { from, spender, amountIn, allowance: allowanceMode } = input
  const search = new AccountSlotSearch(reader, from)
  const balanceWrite = layout.balance && (await computeBalanceWrites(reader, layout.balance, from, amountIn))
  const [balance, allowance] = await Promise.all([
    balanceWrite ? undefined : search.findBalanceWrite(amountIn),
    allowanceMode || layout.allowance ? undefined : search.findAllowanceWrite(spender, amountIn),
  ])
  if (!balanceWrite && !balance) return undefined
  const writes = mergeWrites(
    ...(balanceWrite ? [[balanceWrite.contract, balanceWrite.writes] as const] : []),
    ...[balance, allowance].flatMap((override) => (override ? [[override.contract, [override.write]] as const] : [])),
    ...allowanceWrites(layout.allowance, input),
  )
  const setUp = setUpWith(writes, layout, input, 'slot', balanceWrite?.balance ?? balance!.amount)
  return allowance ? { ...setUp, approvalAmount: 0n, ways: { ...setUp.ways, allowance: 'slot' } } : setUp
}

/** Returns the setup with an approval of `units` base units by the sender. */
export function withApproval(setUp: SetUp, units: bigint): SetUp {
  return { ...setUp, approvalAmount: units, ways: { ...setUp.ways, allowance: 'approved' } }
}

function setUpWith(
  writes: StorageWrites,
  layout: TokenLayout,
  { amountIn, allowance }: SwapInput,
  balanceSource: 'slot' | 'lent' | 'own',
  balance: bigint,
): SetUp {
  if (allowance === 'kept')
    return { writes, balance, approvalAmount: 0n, ways: { balance: balanceSource, allowance: 'none' } }
  const isAllowanceWritten = layout.allowance !== undefined && allowance === undefined
  return {
    writes,
    balance,
    approvalAmount: isAllowanceWritten ? 0n : amountIn,
    ways: { balance: balanceSource, allowance: isAllowanceWritten ? 'slot' : 'approved' },
  }
}

function allowanceWrites(
  mapping: Mapping | undefined,
  { from, spender, amountIn, allowance, permit2Writes }: SwapInput,
): (readonly [Address, readonly Write[]])[] {
  const isWritten = mapping && !allowance
  return [
    ...(isWritten
      ? [[mapping.contract, [{ key: allowanceKey(mapping, from, spender), value: toWord(amountIn) }]] as const]
      : []),
    ...(permit2Writes ? [permit2Writes] : []),
  ]
}
