/** Sends the transactions of quotes after real blocks, to measure the drift of their output and the tolerances that it exceeds. */
import { readBlocks, replayBlock } from '@sluice/devnet'
import type { Trade } from '../lib/trades.ts'
import { fund } from '../lib/wallet.ts'
import { type Outcome, type Place, send, withRevert } from './trade.ts'

export type LandedOutcome = Extract<Outcome, { readonly kind: 'landed' }>
/** Output without a slippage limit, null if it still reverts, and the tolerances with which it reverts. */
export type After = { readonly paid: bigint | null; readonly reverted: ReadonlySet<string> }
export type AfterBlock = { readonly block: number; readonly transactions: number; readonly after: readonly After[] }

/** Replays the blocks permanently. After each block, every trade is sent and reverted separately. */
export async function afterBlocks(
  place: Place,
  trades: readonly { readonly trade: Trade; readonly outcome: LandedOutcome }[],
): Promise<readonly AfterBlock[]> {
  const afterBlocks: AfterBlock[] = []
  for (const block of readBlocks()) {
    await replayBlock(place.node.url, block)
    const after: After[] = []
    for (const { trade, outcome } of trades)
      after.push(await withRevert(place.node, () => sendLater(place, trade, outcome)))
    afterBlocks.push({ block: block.number, transactions: block.transactions.length, after })
  }
  return afterBlocks
}

async function sendLater(place: Place, trade: Trade, { later, gasEstimate }: LandedOutcome): Promise<After> {
  if (!(await fund(place.node, trade.src, trade.amount, place.guard))) throw new Error(`${trade.src} cannot be had`)
  const paidBy = (tx: LandedOutcome['later']['boundless']) =>
    withRevert(place.node, async () => (await send(place, trade, tx, gasEstimate)).paid)
  const revertedTolerances = new Set<string>()
  for (const [tolerance, tx] of Object.entries(later.within))
    if ((await paidBy(tx)) === null) revertedTolerances.add(tolerance)
  return { paid: await paidBy(later.boundless), reverted: revertedTolerances }
}
