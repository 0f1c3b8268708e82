/**
 * Sends the transactions of quotes after recorded blocks. Measures the output of each transaction, and with which
 * slippage tolerances it reverts.
 */
import { readBlocks, replayBlock } from '@sluice/devnet'
import type { Trade } from '../lib/trades.ts'
import { fund } from '../lib/wallet.ts'
import { type Outcome, type ServiceUnderTest, send, withRevert } from './trade.ts'

export type LandedOutcome = Extract<Outcome, { readonly kind: 'landed' }>
/** Outcomes of the transactions of one quote after a block. */
export type ReplayedOutcome = {
  /** Output of the transaction without a slippage limit; null if it reverts even without a limit. */
  readonly paid: bigint | null
  /** Slippage tolerances with which the transaction reverts. */
  readonly revertedTolerances: ReadonlySet<string>
}
/** Outcomes of all trades after a block, in the order of the trades. `transactions` counts those of the block. */
export type AfterBlock = {
  readonly block: number
  readonly transactions: number
  readonly outcomes: readonly ReplayedOutcome[]
}

/** Replays the recorded blocks one after the other. After each block, sends every trade, each from the same state. */
export async function replayAndSend(
  service: ServiceUnderTest,
  trades: readonly { readonly trade: Trade; readonly outcome: LandedOutcome }[],
): Promise<readonly AfterBlock[]> {
  const outcomesByBlock: AfterBlock[] = []
  for (const block of readBlocks()) {
    await replayBlock(service.node.url, block)
    const outcomes: ReplayedOutcome[] = []
    for (const { trade, outcome } of trades)
      outcomes.push(await withRevert(service.node, () => sendWithEachTolerance(service, trade, outcome)))
    outcomesByBlock.push({ block: block.number, transactions: block.transactions.length, outcomes })
  }
  return outcomesByBlock
}

async function sendWithEachTolerance(
  service: ServiceUnderTest,
  trade: Trade,
  { laterTransactions, gasEstimate }: LandedOutcome,
): Promise<ReplayedOutcome> {
  if (!(await fund(service.node, trade.src, trade.amount, service.guard)))
    throw new Error(`${trade.src} cannot be given to the wallet`)
  const paidBy = (tx: LandedOutcome['laterTransactions']['unlimitedTx']) =>
    withRevert(service.node, async () => (await send(service, trade, tx, gasEstimate)).paid)
  const revertedTolerances = new Set<string>()
  for (const [tolerance, tx] of Object.entries(laterTransactions.txByTolerance))
    if ((await paidBy(tx)) === null) revertedTolerances.add(tolerance)
  return { paid: await paidBy(laterTransactions.unlimitedTx), revertedTolerances }
}
