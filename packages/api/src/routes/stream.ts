/** Handler of `/stream`. */
import type { StreamUpdate } from '@sluice/quoting'
import type { RequestHandler, Response } from 'express'
import { classifyRequest } from '../admission/kind.ts'
import type { Config } from '../config.ts'
import { ApiError, errorFields } from '../errors.ts'
import { callerOf, type ProxyTrust } from '../http/caller.ts'
import { contextOf, type RequestContext } from '../http/context.ts'
import { endStream, sendEvent } from '../http/event-streams.ts'
import { beginStream } from '../http/reply.ts'
import type { ServedChain } from '../served-chain.ts'
import type { Services } from '../services.ts'
import { bodyOfQuote, type ParsedRequest, readRequest } from '../swap/answer.ts'
import { checkFeeExemptKey, refuseBlockAndProof, toQuoteRequest } from '../swap/request.ts'
import { toApiError, toLoggedApiError } from '../translate.ts'

/** Number of consecutive heartbeats with a failing chain after which the chain's streams end. */
const MAX_FAILING_HEARTBEATS = 2

/**
 * Creates the handler of quote streams, which send an event whenever a new block changes the quote (Server-Sent
 * Events).
 */
export function stream(services: Services, config: Config, isTrustedProxy: ProxyTrust): RequestHandler {
  return async (request, response) => {
    const context = contextOf(response)
    const chain: ServedChain = response.locals.chain
    const parsed = readRequest('from' in request.query ? 'swap' : 'quote', request.query)
    refuseBlockAndProof(parsed.query)
    checkFeeExemptKey(parsed.query.feeExemptKey ?? request.get('x-fee-exempt-key'), config.feeExemptKeyHashes)
    const quoteRequest = toQuoteRequest(parsed.query, chain)
    const caller = callerOf(request, isTrustedProxy)
    response.once('close', services.streams.takeSlot(caller))

    // Updates that arrive before the response has begun.
    const earlyUpdates: StreamUpdate[] = []
    let handleUpdate = (update: StreamUpdate) => void earlyUpdates.push(update)
    const task = { caller, kind: classifyRequest(request.originalUrl)!.kind }
    const opening = chain.admission.run(context.signal, task, async () => {
      const quoteStream = chain.liveChain.streams.open(quoteRequest, (update) => handleUpdate(update))
      response.once('close', quoteStream.close)
      if (response.closed) quoteStream.close()
      await quoteStream.firstUpdate
    })
    await context.orAborted(opening)
    const [firstUpdate] = earlyUpdates
    if (firstUpdate?.kind === 'end') throw toApiError(firstUpdate.error)

    context.markAsStream()
    beginStream(response, services.streams.rateLimitHeaders(caller))
    handleUpdate = (update) => {
      services.metrics.streamEvents.inc({ chain: chain.chain.chainId, event: update.kind })
      send(response, update, parsed, chain, context)
    }
    for (const update of earlyUpdates) handleUpdate(update)
    let failingHeartbeats = 0
    services.streams.keepAlive(response, () => {
      failingHeartbeats = chain.liveChain.status().state === 'failing' ? failingHeartbeats + 1 : 0
      return failingHeartbeats >= MAX_FAILING_HEARTBEATS
        ? new ApiError('RPC_FAILED', 'no node of the chain answers')
        : undefined
    })
  }
}

function send(
  response: Response,
  update: StreamUpdate,
  parsed: ParsedRequest,
  chain: ServedChain,
  { log }: RequestContext,
): void {
  switch (update.kind) {
    case 'quote': {
      const { quote } = update
      const body = sharedBody(update, parsed, () => JSON.stringify(bodyOfQuote(parsed, quote, chain)))
      return void sendEvent(response, 'quote', quote.block.number, body)
    }
    case 'block': {
      const { number, hash } = update.block
      const body = JSON.stringify({ simulationBlock: number, blockHash: hash })
      return void sendEvent(response, 'block', number, body)
    }
    case 'refused': {
      const body = JSON.stringify(errorFields(toApiError(update.error)))
      return void sendEvent(response, 'refused', update.block?.number, body)
    }
    case 'end':
      return void endStream(response, toLoggedApiError(update.error, log))
  }
}

/**
 * Encoded bodies by update, and then by the parts of the request that a body repeats. So streams of equal requests
 * share a body.
 */
const encodedBodies = new WeakMap<StreamUpdate, Map<string, string>>()

function sharedBody(update: StreamUpdate, { kind, query }: ParsedRequest, encode: () => string): string {
  const bodies = encodedBodies.get(update) ?? new Map<string, string>()
  encodedBodies.set(update, bodies)
  const bodyKey = [kind, query.src.input, query.dst.input, query.from?.input].join()
  const body = bodies.get(bodyKey) ?? encode()
  bodies.set(bodyKey, body)
  return body
}
