/**
 * Refuses what a chain has no room for before it costs more than its own parsing: under overload most requests end here,
 * and every microsecond they take is missing for those that are served.
 */
import type { IncomingMessage } from 'node:http'
import type { Services } from '../services.ts'

/** Endpoints that have nothing to answer from memory. */
const working = /^\/(aggregator|simulate|tokens)\/([1-9][0-9]{0,15})(?:[?/]|$)/

/** Pattern of the path of a request that is to be refused; undefined for one that may go on. */
export function refusedPath({ url = '', method }: IncomingMessage, services: Services): string | undefined {
  if (method === 'OPTIONS') return undefined
  const match = working.exec(url)
  return match && services.isFull(Number(match[2])) ? `/${match[1]}/:chainId` : undefined
}
