/**
 * Who asks: the address that is answered for, by which room is shared. Express's `request.ip` by the same trust, for requests that
 * are refused before Express sees them: the overload benchmark needs it.
 */
import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'

/** True for an address, so many steps away, that is a proxy whose word counts; as Express compiles `trust proxy`. */
export type Trust = (address: string, steps: number) => boolean

/** Addresses in `X-Forwarded-For` that are looked at. */
const MOST_STEPS = 32

/** The address of the caller: of the connection, or behind trusted proxies the last one that no trusted proxy vouches for. */
export function callerOf({ socket, headers }: IncomingMessage, trusts: Trust): string {
  let address = socket.remoteAddress ?? ''
  const forwarded = headers['x-forwarded-for']
  if (forwarded === undefined || !trusts(address, 0)) return sharedKey(address)
  const hops = String(forwarded).split(',').slice(-MOST_STEPS).reverse()
  for (const [k, hop] of hops.entries()) {
    address = hop.trim()
    if (!trusts(address, k + 1)) break
  }
  return sharedKey(address)
}

/** One for all addresses that one caller may have: of IPv6 the first 64 bits, which every household is given. */
export function sharedKey(address: string): string {
  const plain = address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address
  if (!plain.includes(':') || !isIPv6(plain)) return plain.slice(0, 64)
  const [head = '', tail] = plain.split('%')[0]!.split('::') as [string, string?]
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const gap = tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  const groups = [...left, ...gap, ...right].slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
