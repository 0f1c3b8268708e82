/** Quotes of one block, made together. */
import type { Address } from '@sluice/chains'
import type { BlockHeader } from '@sluice/rpc'
import { RpcError, Semaphore } from '@sluice/rpc'
import type { ChainRuntime } from '../chain/runtime.ts'
import type { ChainView } from '../view/view.ts'
import type { Quote } from './finalize.ts'
import type { Work } from './ports.ts'
import type { QuoteRequest } from './request.ts'

/** Blocks in a row that a reorg may take away before an answer is given all the same. */
const MAX_ATTEMPTS = 8
/** Quotes of one batch under way together: it has one place among the requests of a chain, and the others wait for the same process and node. */
const MAX_AT_ONCE = 2

export type Batch = {
  readonly block: BlockHeader
  /** In the order of the requests. */
  readonly results: readonly PromiseSettledResult<Quote>[]
}

/** A request, or why it cannot be meant; that is its result. */
export type Wanted = QuoteRequest | Error

type Options = {
  readonly runtime: ChainRuntime
  readonly endsOf: (request: QuoteRequest) => readonly Address[]
  readonly quoteAt: (view: ChainView, request: QuoteRequest, work: Work) => Promise<Quote>
}

/**
 * All at the block that is the head when they are begun, each with its own end. Once more where a reorg takes that block away.
 *
 * @throws what reading the head throws
 */
export async function quoteBatch(wanted: readonly Wanted[], work: Work, options: Options): Promise<Batch> {
  const { runtime, endsOf, quoteAt } = options
  const { signal } = work
  const requests = wanted.map((request) => attempt(() => meant(request, endsOf)))
  const groups = requests.flatMap((request) => ('ends' in request ? [request.ends] : []))
  const minimumBlock = Math.max(0, ...wanted.map((one) => (one instanceof Error ? 0 : (one.minimumBlock ?? 0))))
  let earlier: ChainView | undefined
  for (let round = 1; ; round++) {
    const { views } = runtime.now
    const view = earlier ?? (await work.time('state', () => views.atHead(groups, minimumBlock, signal)))
    const turns = new Semaphore(MAX_AT_ONCE)
    const results = await Promise.allSettled(
      requests.map((one) =>
        'error' in one ? Promise.reject(one.error) : turns.run(() => quoteAt(view, one.request, work)),
      ),
    )
    signal.throwIfAborted()
    const { block } = view.snapshot
    if (round === MAX_ATTEMPTS || stands(results, block)) return { block, results }
    await runtime.now.views.head(signal)
    if (!runtime.holds(block)) earlier = undefined
    else {
      // The node may lack a block that others have told of.
      earlier = results.some(isOfTheBlock) ? views.earlier(view) : undefined
      if (!earlier) return { block, results }
    }
  }
}

type Meant = { readonly request: QuoteRequest; readonly ends: readonly Address[] } | { readonly error: unknown }

function meant(request: Wanted, endsOf: Options['endsOf']): Meant {
  if (request instanceof Error) throw request
  return { request, ends: endsOf(request) }
}

function attempt(read: () => Meant): Meant {
  try {
    return read()
  } catch (error) {
    return { error }
  }
}

/** True where the node has told with each simulation that the block is its head, and failed none for the block's sake. */
function stands(results: readonly PromiseSettledResult<Quote>[], block: BlockHeader): boolean {
  return results.every((result) =>
    result.status === 'fulfilled' ? result.value.head?.hash === block.hash : !isOfTheBlock(result),
  )
}

function isOfTheBlock(result: PromiseSettledResult<Quote>): boolean {
  return result.status === 'rejected' && result.reason instanceof RpcError && result.reason.ofBlock
}
