/** Quotes several requests at one block. */
import type { Address } from '@sluice/chains'
import type { BlockHeader } from '@sluice/rpc'
import { RpcError, Semaphore } from '@sluice/rpc'
import type { ChainRuntime } from '../chain/runtime.ts'
import type { ChainView } from '../view/view.ts'
import type { SwapQuote } from './finalize.ts'
import type { Work } from './ports.ts'
import type { QuoteRequest } from './request.ts'

/** Maximum rounds: a round is repeated if a reorg removes its block. */
const MAX_ATTEMPTS = 8
/**
 * Maximum quotes of one batch in flight. Admission counts the batch as one request, so it may not use more of the
 * process and the node.
 */
const MAX_AT_ONCE = 2

/** Results of several requests at one block. */
export type QuoteBatch = {
  readonly block: BlockHeader
  /** One result per request, in the same order. */
  readonly results: readonly PromiseSettledResult<SwapQuote>[]
}

/** A request, or the error of parsing it, which becomes its result. */
export type RequestOrError = QuoteRequest | Error

type Options = {
  readonly runtime: ChainRuntime
  readonly endsOf: (request: QuoteRequest) => readonly Address[]
  readonly quoteAt: (view: ChainView, request: QuoteRequest, work: Work) => Promise<SwapQuote>
}

/**
 * Quotes all requests at the chain's head; each result succeeds or fails on its own. Repeated if a reorg removes the
 * block.
 *
 * @throws RpcError, MarketError if the head cannot be read
 */
export async function quoteBatch(inputs: readonly RequestOrError[], work: Work, options: Options): Promise<QuoteBatch> {
  const { runtime, endsOf, quoteAt } = options
  const { signal } = work
  const requests = inputs.map((request) => attempt(() => withEnds(request, endsOf)))
  const groups = requests.flatMap((request) => ('ends' in request ? [request.ends] : []))
  const minimumBlock = Math.max(
    0,
    ...inputs.map((requestOrError) => (requestOrError instanceof Error ? 0 : (requestOrError.minimumBlock ?? 0))),
  )
  let earlier: ChainView | undefined
  for (let round = 1; ; round++) {
    const { views } = runtime.now
    const view = earlier ?? (await work.time('state', () => views.atHead(groups, minimumBlock, signal)))
    const slots = new Semaphore(MAX_AT_ONCE)
    const results = await Promise.allSettled(
      requests.map((batchRequest) =>
        'error' in batchRequest
          ? Promise.reject(batchRequest.error)
          : slots.run(() => quoteAt(view, batchRequest.request, work)),
      ),
    )
    signal.throwIfAborted()
    const { block } = view.snapshot
    if (round === MAX_ATTEMPTS || isConfirmed(results, block)) return { block, results }
    await runtime.now.views.head(signal)
    if (!runtime.holds(block)) earlier = undefined
    else {
      // The node may lack a block that another process published.
      earlier = results.some(isBlockError) ? views.earlier(view) : undefined
      if (!earlier) return { block, results }
    }
  }
}

type ParsedRequest = { readonly request: QuoteRequest; readonly ends: readonly Address[] } | { readonly error: unknown }

function withEnds(request: RequestOrError, endsOf: Options['endsOf']): ParsedRequest {
  if (request instanceof Error) throw request
  return { request, ends: endsOf(request) }
}

function attempt(read: () => ParsedRequest): ParsedRequest {
  try {
    return read()
  } catch (error) {
    return { error }
  }
}

/** True if each simulation reported the block as the node's head, and none failed because of the block. */
function isConfirmed(results: readonly PromiseSettledResult<SwapQuote>[], block: BlockHeader): boolean {
  return results.every((result) =>
    result.status === 'fulfilled' ? result.value.head?.hash === block.hash : !isBlockError(result),
  )
}

function isBlockError(result: PromiseSettledResult<SwapQuote>): boolean {
  return result.status === 'rejected' && result.reason instanceof RpcError && result.reason.mayDependOnBlock
}
