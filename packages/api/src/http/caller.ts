/**
 * Determines the caller of a request: the client address to which the limits per caller apply. Follows the same rules
 * as Express's `request.ip`, but also works for requests that are refused before they reach Express.
 */
import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'

/**
 * Predicate for trusted proxies, as Express compiles it from `trust proxy`.
 *
 * @param steps - number of proxies between us and the address
 */
export type ProxyTrust = (address: string, steps: number) => boolean

/** Maximum number of `X-Forwarded-For` addresses that are read, beginning with the last. */
const MAX_FORWARDED_ADDRESSES = 32

/**
 * Returns the key of the client address (see `sharedKey`). Without a trusted proxy, the client address is that of the
 * connection. Behind trusted proxies, it is the last address in `X-Forwarded-For` that is not a trusted proxy.
 */
export function callerOf({ socket, headers }: IncomingMessage, isTrustedProxy: ProxyTrust): string {
  let address = socket.remoteAddress ?? ''
  const forwardedFor = headers['x-forwarded-for']
  if (forwardedFor === undefined || !isTrustedProxy(address, 0)) return sharedKey(address)
  const forwardedAddresses = String(forwardedFor).split(',').slice(-MAX_FORWARDED_ADDRESSES).reverse()
  for (const [k, forwardedAddress] of forwardedAddresses.entries()) {
    address = forwardedAddress.trim()
    if (!isTrustedProxy(address, k + 1)) break
  }
  return sharedKey(address)
}

/** Returns a key that all addresses of one client share: the IPv4 address, or the /64 prefix of an IPv6 address. */
export function sharedKey(address: string): string {
  const plainAddress =
    address.startsWith('::ffff:') && address.includes('.') ? address.slice('::ffff:'.length) : address
  if (!plainAddress.includes(':') || !isIPv6(plainAddress)) return plainAddress.slice(0, 64)
  const [head = '', tail] = plainAddress.split('%')[0]!.split('::') as [string, string?]
  const headGroups = head === '' ? [] : head.split(':')
  const tailGroups = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeroGroups =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - headGroups.length - tailGroups.length) }, () => '0')
  const groups = [...headGroups, ...zeroGroups, ...tailGroups].slice(0, 4)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
