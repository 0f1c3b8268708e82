/** Quotes several requests at one block. A view is the chain's state at one block. Called by `Quoter.quoteAll`. */
import type { Address } from '@sluice/chains'
import type { BlockHeader } from '@sluice/rpc'
import { RpcError, Semaphore } from '@sluice/rpc'
import type { ChainRuntime } from '../chain/runtime.ts'
import type { ChainView } from '../view/view.ts'
import type { SwapQuote } from './finalize.ts'
import type { QuotingContext } from './ports.ts'
import type { QuoteRequest } from './request.ts'

/** Maximum rounds of quoting the batch; a round is repeated if a reorg removes its block. */
const MAX_ROUNDS = 8
/**
 * Maximum quotes of one batch in flight. Admission control, which limits the requests in flight, counts the batch as
 * one request. The batch should therefore use the process and the node hardly more than a single quote.
 */
const MAX_CONCURRENT_QUOTES = 2

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
  /** Returns the input and output token of a request, as ERC-20 tokens. */
  readonly endTokensOf: (request: QuoteRequest) => readonly Address[]
  readonly quoteAt: (view: ChainView, request: QuoteRequest, requestContext: QuotingContext) => Promise<SwapQuote>
}

/**
 * Quotes all requests at the chain's head; each result succeeds or fails on its own. Quotes all of them again if a
 * reorg removes the block.
 *
 * @throws RpcError, MarketError if the head cannot be read
 */
export async function quoteBatch(
  requestsOrErrors: readonly RequestOrError[],
  requestContext: QuotingContext,
  options: Options,
): Promise<QuoteBatch> {
  const { runtime, endTokensOf, quoteAt } = options
  const { signal } = requestContext
  const parsedRequests = requestsOrErrors.map((request) => parseOrError(() => withEndTokens(request, endTokensOf)))
  const tokenGroups = parsedRequests.flatMap((request) => ('endTokens' in request ? [request.endTokens] : []))
  const minimumBlock = Math.max(
    0,
    ...requestsOrErrors.map((requestOrError) =>
      requestOrError instanceof Error ? 0 : (requestOrError.minimumBlock ?? 0),
    ),
  )
  let earlierView: ChainView | undefined
  for (let round = 1; ; round++) {
    const { views } = runtime.parts
    const view =
      earlierView ?? (await requestContext.time('state', () => views.atHead(tokenGroups, minimumBlock, signal)))
    const slots = new Semaphore(MAX_CONCURRENT_QUOTES)
    const results = await Promise.allSettled(
      parsedRequests.map((parsed) =>
        'error' in parsed
          ? Promise.reject(parsed.error)
          : slots.run(() => quoteAt(view, parsed.request, requestContext)),
      ),
    )
    signal.throwIfAborted()
    const { block } = view.snapshot
    if (round === MAX_ROUNDS || isBlockStillHead(results, block)) return { block, results }
    await runtime.parts.views.head(signal)
    if (!runtime.isCanonical(block)) earlierView = undefined
    else {
      // If another process published the block, the node may lack it. Then quote at the block before.
      earlierView = results.some(isBlockError) ? views.viewBefore(view) : undefined
      if (!earlierView || earlierView.snapshot.block.number < minimumBlock) return { block, results }
    }
  }
}

type ParsedRequest =
  | { readonly request: QuoteRequest; readonly endTokens: readonly Address[] }
  | { readonly error: unknown }

function withEndTokens(request: RequestOrError, endTokensOf: Options['endTokensOf']): ParsedRequest {
  if (request instanceof Error) throw request
  return { request, endTokens: endTokensOf(request) }
}

function parseOrError(parse: () => ParsedRequest): ParsedRequest {
  try {
    return parse()
  } catch (error) {
    return { error }
  }
}

/** True if each simulation reported the block as the node's head, and none failed because of the block. */
function isBlockStillHead(results: readonly PromiseSettledResult<SwapQuote>[], block: BlockHeader): boolean {
  return results.every((result) =>
    result.status === 'fulfilled' ? result.value.head?.hash === block.hash : !isBlockError(result),
  )
}

function isBlockError(result: PromiseSettledResult<SwapQuote>): boolean {
  return result.status === 'rejected' && result.reason instanceof RpcError && result.reason.mayDependOnBlock
}
