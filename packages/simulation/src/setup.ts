/** Ways to give the sender its input: storage overrides where the slots are known, otherwise a holder that lends it. */
import type { Address } from '@sluice/chains'
import { balanceSetting } from './slots/amount.ts'
import { KeyedSearch } from './slots/keyed.ts'
import { allowanceKey, type Mapping, type Write, word } from './slots/mapping.ts'
import { mergeWrites, type StorageWrites, type TokenReader } from './slots/reader.ts'
import type { TokenLayout } from './slots/resolver.ts'
import type { SetUpWays } from './types.ts'

export type SetUp = {
  readonly writes: StorageWrites
  /** The sender's balance before the swap as the token should tell it, base units. */
  readonly balance: bigint
  /** Base units that the sender approves by itself. */
  readonly approve: bigint
  readonly lend?: Loan
  readonly ways: SetUpWays
}
export type Loan = { readonly holder: Address; readonly amount: bigint }

export type Input = {
  readonly from: Address
  readonly spender: Address
  readonly amountIn: bigint
  /** @see SimulationRequest.allowance */
  readonly allowance?: 'kept' | 'approved' | undefined
}

export function nativeSetUp(amountIn: bigint): SetUp {
  return { writes: new Map(), balance: amountIn, approve: 0n, ways: { balance: 'native', allowance: 'none' } }
}

/** undefined when the token's balances cannot be written. */
export async function slotSetUp(reader: TokenReader, layout: TokenLayout, input: Input): Promise<SetUp | undefined> {
  const setting = layout.balance && (await balanceSetting(reader, layout.balance, input.from, input.amountIn))
  if (!setting) return undefined
  const writes = mergeWrites([setting.contract, setting.writes], ...allowanceWrites(layout.allowance, input))
  return setUpWith(writes, layout, input, 'slot', setting.balance)
}

export function lentSetUp(layout: TokenLayout, input: Input, lend: Loan): SetUp {
  const writes = mergeWrites(...allowanceWrites(layout.allowance, input))
  return { ...setUpWith(writes, layout, input, 'lent', input.amountIn), lend }
}

/** The balance and the allowance that the sender has. */
export function ownSetUp({ amountIn, allowance }: Input): SetUp {
  const isApproved = allowance === 'approved'
  return {
    ...{ writes: new Map(), balance: amountIn, approve: isApproved ? amountIn : 0n },
    ways: { balance: 'own', allowance: isApproved ? 'approved' : allowance === 'kept' ? 'none' : 'own' },
  }
}

/**
 * By the slots that the token reads for this very account, where its layout follows no known rule; undefined where there are none.
 * Where the allowance alone is missing, the sender approves by itself.
 */
export async function keyedSetUp(reader: TokenReader, layout: TokenLayout, input: Input): Promise<SetUp | undefined> {
  const { from, spender, amountIn, allowance: as } = input
  const search = new KeyedSearch(reader, from)
  const setting = layout.balance && (await balanceSetting(reader, layout.balance, from, amountIn))
  const [balance, allowance] = await Promise.all([
    setting ? undefined : search.balance(amountIn),
    as || layout.allowance ? undefined : search.allowance(spender, amountIn),
  ])
  if (!setting && !balance) return undefined
  const writes = mergeWrites(
    ...(setting ? [[setting.contract, setting.writes] as const] : []),
    ...[balance, allowance].flatMap((of) => (of ? [[of.contract, [of.write]] as const] : [])),
    ...allowanceWrites(layout.allowance, input),
  )
  const setUp = setUpWith(writes, layout, input, 'slot', setting?.balance ?? balance!.amount)
  return allowance ? { ...setUp, approve: 0n, ways: { ...setUp.ways, allowance: 'slot' } } : setUp
}

/** The same, but with the sender approving by itself. */
export function approving(setUp: SetUp, units: bigint): SetUp {
  return { ...setUp, approve: units, ways: { ...setUp.ways, allowance: 'approved' } }
}

function setUpWith(
  writes: StorageWrites,
  layout: TokenLayout,
  { amountIn, allowance }: Input,
  way: 'slot' | 'lent',
  balance: bigint,
): SetUp {
  if (allowance === 'kept') return { writes, balance, approve: 0n, ways: { balance: way, allowance: 'none' } }
  const isWritten = layout.allowance !== undefined && allowance === undefined
  return {
    writes,
    balance,
    approve: isWritten ? 0n : amountIn,
    ways: { balance: way, allowance: isWritten ? 'slot' : 'approved' },
  }
}

function allowanceWrites(
  mapping: Mapping | undefined,
  { from, spender, amountIn, allowance }: Input,
): [Address, Write[]][] {
  return mapping && !allowance
    ? [[mapping.contract, [{ key: allowanceKey(mapping, from, spender), value: word(amountIn) }]]]
    : []
}
