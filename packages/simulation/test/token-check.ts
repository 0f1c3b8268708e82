/** The full check of a token: what was written is what it answers, and a spender can really take it. */
import type { Address } from '@sluice/chains'
import { countRoundTrips } from '@sluice/devnet'
import type { Rpc } from '@sluice/rpc'
import { type SetUp, slotSetUp } from '../src/setup.ts'
import { fictitiousOwner, SLOT_PROBE, TokenReader } from '../src/slots/reader.ts'
import type { SlotResolver } from '../src/slots/resolver.ts'

export type Check = {
  readonly outcome:
    | 'passed'
    | 'no balance slot'
    | 'no allowance slot'
    | 'not representable'
    | 'wrong balance'
    | 'not moved'
  readonly shares: boolean
  /** Round trips and time until both slots were known. */
  readonly calls: number
  readonly ms: number
}

/** Some tokens refuse small transfers, others do not have the large amount. */
const AMOUNTS = [3_000_007n, 10n ** 18n]

/** Owners and receivers are tried in turn: of many tokens, the slots of limits are recorded for pools alone. */
export async function checkToken(
  rpc: Rpc,
  resolver: SlotResolver,
  token: Address,
  owners: readonly Address[],
): Promise<Check> {
  const counter = countRoundTrips(rpc)
  const reader = new TokenReader({ rpc: counter.rpc, token, block: 'latest', request: { timeoutMs: 20_000 } })
  const start = performance.now()
  const layout = await resolver.layout(reader)
  const facts = {
    shares: layout.balance?.shape.kind === 'shares',
    calls: counter.roundTrips(),
    ms: Math.round((performance.now() - start) * 10) / 10,
  }
  if (!layout.balance) return { ...facts, outcome: 'no balance slot' }
  if (!layout.allowance) return { ...facts, outcome: 'no allowance slot' }
  let outcome: Check['outcome'] = 'not representable'
  for (const amountIn of AMOUNTS) {
    for (const from of owners) {
      const setUp = await slotSetUp(reader, layout, { from, spender: SLOT_PROBE, amountIn })
      for (const to of setUp ? [SLOT_PROBE, ...owners].filter((account) => account !== from) : []) {
        outcome = await checkMove(reader, setUp!, { from, to, amountIn })
        if (outcome === 'passed') return { ...facts, outcome }
      }
    }
  }
  return { ...facts, outcome }
}

type Move = { readonly from: Address; readonly to: Address; readonly amountIn: bigint }

async function checkMove(reader: TokenReader, setUp: SetUp, { from, to, amountIn }: Move): Promise<Check['outcome']> {
  const { balanceBefore: before, balanceAfter: after } = await reader.transfer(from, to, amountIn, setUp.writes)
  if (before !== setUp.balance || before < amountIn || before > amountIn + 2n) return 'wrong balance'
  return after < before && before - after >= amountIn - 2n ? 'passed' : 'not moved'
}

/** An account that nobody has. */
export const unusedAccount = fictitiousOwner(7_000_000)
