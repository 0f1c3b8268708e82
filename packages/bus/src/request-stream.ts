/**
 * Encodes and decodes the requests of workers to the owner of a chain (the process that indexes it), as JSON in a
 * stream.
 */
import type { Address } from '@sluice/chains'
import type { Connection } from './connection.ts'
import type { ChainKeys } from './keys.ts'

/** Maximum length of the stream; workers repeat requests that were dropped. */
const MAX_REQUESTS = 1_000
/** Maximum tokens in one request, far above what a quote needs. */
const MAX_TOKENS = 2_000

/** A request to load pools, or to read a block. */
export type PairRequest = {
  /**
   * Groups of tokens for which a worker waits: loads the pools between the tokens of each group, and between these
   * tokens and the intermediate tokens of routes.
   */
  readonly groups?: readonly (readonly Address[])[]
  /** Tokens whose pools with the chain's hub tokens are loaded in the background. */
  readonly tokens?: readonly Address[]
  /** Number of a block that a worker's node already has. */
  readonly block?: number
}

/** Appends a request to the stream. */
export async function sendRequest(
  connection: Connection,
  { requests }: ChainKeys,
  request: PairRequest,
): Promise<void> {
  await connection.call('XADD', requests, 'MAXLEN', '~', MAX_REQUESTS, '*', 'want', JSON.stringify(request))
}

/** Parses a request; null if it is invalid or names too many tokens. */
export function readRequest(text: string | undefined): PairRequest | null {
  try {
    const request = JSON.parse(text ?? '') as PairRequest
    const tokens = [...(request.groups?.flat() ?? []), ...(request.tokens ?? [])]
    const areTokens = tokens.every((token) => typeof token === 'string' && /^0x[0-9a-f]{40}$/.test(token))
    return areTokens && tokens.length <= MAX_TOKENS ? request : null
  } catch {
    return null
  }
}
