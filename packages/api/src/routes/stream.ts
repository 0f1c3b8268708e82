/** Handler of `/stream`. */
import type { StreamUpdate } from '@sluice/quoting'
import type { RequestHandler, Response } from 'express'
import { asksFor } from '../admission/kind.ts'
import type { Config } from '../config.ts'
import { ApiError, errorFields } from '../errors.ts'
import { callerOf, type ProxyTrust } from '../http/caller.ts'
import { contextOf } from '../http/context.ts'
import { endStream, sendEvent } from '../http/event-streams.ts'
import { beginStream } from '../http/reply.ts'
import type { ServedChain } from '../served-chain.ts'
import type { Services } from '../services.ts'
import { bodyOfQuote, type ParsedRequest, readRequest } from '../swap/answer.ts'
import { checkFeeExemptKey, refusePast, toQuoteRequest } from '../swap/request.ts'
import { toApiError } from '../translate.ts'

/** Consecutive heartbeats at which the chain's node fails, after which its streams end. */
const MAX_FAILING = 2

/** Creates the handler of quote streams, which send an event whenever a new block changes the quote (Server-Sent Events). */
export function stream(services: Services, config: Config, trusts: ProxyTrust): RequestHandler {
  return async (request, response) => {
    // Express passes HEAD requests to GET handlers; a stream would never answer one.
    if (request.method !== 'GET') throw new ApiError('METHOD_NOT_ALLOWED', 'use GET')
    const context = contextOf(response)
    const chain: ServedChain = response.locals.chain
    const parsed = readRequest('from' in request.query ? 'swap' : 'quote', request.query)
    refusePast(parsed.query)
    checkFeeExemptKey(parsed.query.feeExemptKey ?? request.get('x-fee-exempt-key'), config.feeExemptKeyHashes)
    const quoteRequest = toQuoteRequest(parsed.query, chain)
    const caller = callerOf(request, trusts)
    response.once('close', services.streams.takeSlot(caller))

    const earlyUpdates: StreamUpdate[] = []
    let say = (update: StreamUpdate) => void earlyUpdates.push(update)
    const task = { caller, kind: asksFor(request.originalUrl)!.kind }
    const opening = chain.admission.run(context.signal, task, async () => {
      const open = chain.liveChain.streams.open(quoteRequest, (update) => say(update))
      response.once('close', open.close)
      if (response.closed) open.close()
      await open.first
    })
    await context.orAborted(opening)
    const [first] = earlyUpdates
    if (first?.kind === 'end') throw toApiError(first.error)

    context.stream()
    beginStream(response, services.streams.rateLimitHeaders(caller))
    say = (update) => {
      services.metrics.streamEvents.inc({ chain: chain.chain.chainId, event: update.kind })
      send(response, update, parsed, chain)
    }
    for (const update of earlyUpdates) say(update)
    let failing = 0
    services.streams.keepAlive(response, () => {
      failing = chain.liveChain.status().state === 'failing' ? failing + 1 : 0
      return failing >= MAX_FAILING ? new ApiError('RPC_FAILED', 'no node of the chain answers') : undefined
    })
  }
}

function send(response: Response, update: StreamUpdate, parsed: ParsedRequest, chain: ServedChain): void {
  switch (update.kind) {
    case 'quote': {
      const { quote } = update
      const body = bodyFor(update, parsed, () => JSON.stringify(bodyOfQuote(parsed, quote, chain)))
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
      return void endStream(response, toApiError(update.error))
  }
}

/** Encoded bodies by update and by the spelling of echoed addresses, so streams of the same request share them. */
const encodedBodies = new WeakMap<StreamUpdate, Map<string, string>>()

function bodyFor(update: StreamUpdate, { kind, query }: ParsedRequest, make: () => string): string {
  const bodies = encodedBodies.get(update) ?? new Map<string, string>()
  encodedBodies.set(update, bodies)
  const spelling = [kind, query.src.input, query.dst.input, query.from?.input].join()
  const body = bodies.get(spelling) ?? make()
  bodies.set(spelling, body)
  return body
}
