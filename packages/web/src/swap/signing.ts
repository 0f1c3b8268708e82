/** Hook that runs a swap from the click to the receipt, and reports its progress as the steps that the page shows. */
import {
  ClientError,
  gasLimit,
  type Proven,
  type Route,
  type SwapContracts,
  type SwapProgress,
  type SwapRequest,
} from '@sluice/client'
import { type SwapQuestion, type SwapRun, useSwap } from '@sluice/react'
import { useState } from 'react'
import type { PageToken } from '../service/tokens.ts'
import type { ConnectedWallet } from '../wallet/use-wallet.ts'
import { minedChange } from './batch-outcome.ts'
import { recordEntry, updateEntry } from './ledger.ts'
import { receiptOf, type SentSwapReceipt } from './sent-receipt.ts'
import type { ShownQuote } from './use-quote.ts'

export type StepName = 'allow' | 'check' | 'confirm' | 'land'
export type StepState = 'todo' | 'now' | 'done'

export type Signing = {
  readonly steps: Readonly<Record<StepName, StepState>>
  /** Way in which the Guard contract gets its allowance; undefined while unknown, or if no allowance is needed. */
  readonly allowance: 'approval' | 'permit' | 'batch' | undefined
  readonly route: Route | undefined
  readonly proof: Proven | undefined
  readonly gasLimit: bigint | undefined
  /** Number of pools whose address does not prove which factory created them. */
  readonly unknownPoolCount: number
  /** A new quote below the displayed one, which the user must accept or decline. */
  readonly lowerQuote: SwapQuestion | undefined
  /** Unix milliseconds of the request that the wallet has not answered yet; undefined if there is none. */
  readonly waitingSince: number | undefined
  /** Hash of the swap's transaction. */
  readonly hash: string | undefined
  /** Kind of the last transaction that the wallet has sent for this swap, including earlier attempts. */
  readonly lastSent: 'nothing' | 'approval' | 'swap'
  readonly receipt: SentSwapReceipt | undefined
  readonly error: unknown
}

export type SignedOrder = {
  readonly chainId: number
  readonly src: PageToken
  readonly dst: PageToken
  readonly request: SwapRequest
  /** Displayed quote. */
  readonly displayedQuote: ShownQuote
  readonly contracts: SwapContracts | undefined
  /** True if the Executor pays the recipient directly. Tokens with a transfer tax need this mode. */
  readonly isDirect: boolean
}

export function useSigning() {
  const run = useSwap()
  const [isApproved, setIsApproved] = useState(false)
  const [result, setResult] = useState<Pick<Signing, 'receipt' | 'error'> & { readonly hash: string }>()

  async function start(order: SignedOrder, connected: ConnectedWallet): Promise<void> {
    const { chainId, request, displayedQuote, contracts, isDirect } = order
    const record = ledgerRecorder(order)
    const displayedMinimum = BigInt(displayedQuote.minToAmount ?? displayedQuote.toAmount)
    const outcome = await run.start(chainId, request, {
      ...{ contracts, direct: isDirect },
      // The page shows the number of unknown pools instead of rejecting them.
      knownPools: false,
      wallet: async () => (await connected.open()).wallet,
      confirm: (_, { minOutput }) => (minOutput < displayedMinimum ? 'ask' : true),
      // Runs after `cancel` too, because the user may still confirm the swap in the wallet.
      onProgress(progress) {
        record(progress)
        if (progress.stage === 'approving') setIsApproved(true)
      },
    })
    if (!outcome) return
    const { hash, route } = outcome
    const { provider } = await connected.open()
    await receiptOf(provider, route, request.recipient ?? connected.address, hash).then(
      (receipt) => {
        setResult({ hash, receipt, error: undefined })
        const { block, received } = receipt
        updateEntry(hash, { status: 'landed', block, ...(received !== undefined && { received: String(received) }) })
      },
      (error: unknown) => setResult({ hash, receipt: undefined, error }),
    )
  }
  // Ignores the result of an earlier swap.
  const ownResult = result?.hash === run.hash ? result : undefined
  return {
    state: run.status === 'idle' ? undefined : signingOf(run, isApproved, ownResult?.receipt, ownResult?.error),
    start,
    /** Stops following the swap. The user can still sign it in the wallet. */
    cancel() {
      setIsApproved(false)
      run.cancel()
    },
  }
}

/** Returns a listener that records the swap's transactions in the ledger. */
function ledgerRecorder({ chainId, src, dst, request, displayedQuote }: SignedOrder): (progress: SwapProgress) => void {
  let entryId: string | undefined
  return (progress) => {
    if (!('state' in progress) || progress.hash === undefined) return
    const { stage, hash: id, state } = progress
    const route = state.route ?? displayedQuote
    const kind =
      stage === 'sent' ? 'swap' : stage === 'batching' ? 'batch' : stage === 'approving' ? 'approval' : undefined
    if (kind) {
      entryId = id
      recordEntry({
        ...{ id, kind, chainId, from: state.from, sentAt: Date.now(), status: 'pending' },
        src: { symbol: src.symbol, decimals: src.decimals },
        dst: { symbol: dst.symbol, decimals: dst.decimals },
        fromAmount: kind === 'approval' ? String(request.amount ?? displayedQuote.fromAmount) : route.fromAmount,
        toAmount: route.toAmount,
      })
    }
    // The hash can change until the swap is mined: the wallet may replace the transaction, or report a batch by its id.
    if (stage === 'done' && entryId !== undefined) updateEntry(entryId, minedChange(id))
  }
}

function signingOf(
  run: SwapRun,
  isApproved: boolean,
  receipt: SentSwapReceipt | undefined,
  receiptError: unknown,
): Signing {
  const { events, route, proven, question, promptedAt, hash } = run
  const prompts = events.flatMap((event) => (event.stage === 'prompted' ? [event.prompt] : []))
  return {
    steps: stepsOf(events, prompts, proven !== undefined, receipt !== undefined),
    allowance: prompts.findLast((prompt) => prompt !== 'swap'),
    lastSent: events.some(({ stage }) => stage === 'sent' || stage === 'batching')
      ? 'swap'
      : isApproved
        ? 'approval'
        : 'nothing',
    ...{ route, hash, receipt, proof: proven, lowerQuote: question, waitingSince: promptedAt },
    gasLimit: route && gasLimit(route),
    unknownPoolCount: proven?.unknownPools.length ?? 0,
    error: run.error ?? receiptError,
  }
}

type Prompt = Extract<SwapProgress, { readonly stage: 'prompted' }>['prompt']

function stepsOf(
  events: readonly SwapProgress[],
  prompts: readonly Prompt[],
  isProven: boolean,
  isPaid: boolean,
): Signing['steps'] {
  const hasStage = (...stages: readonly SwapProgress['stage'][]) => events.some(({ stage }) => stages.includes(stage))
  const state = (isDone: boolean, isNow: boolean): StepState => (isPaid || isDone ? 'done' : isNow ? 'now' : 'todo')
  const isSent = hasStage('sent', 'batching')
  const isAllowed = hasStage('approved', 'permit-signed') || prompts.includes('swap')
  return {
    check: state(isProven, true),
    allow: state(isSent || isAllowed, prompts.length > 0),
    confirm: state(isSent, prompts.includes('swap') || prompts.includes('batch')),
    land: state(false, isSent),
  }
}

/** Returns true if the user rejected a request in the wallet. */
export function wasRejected(error: unknown): boolean {
  return error instanceof ClientError && error.code === 'REJECTED'
}
