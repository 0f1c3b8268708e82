/**
 * Caching DNS resolver over `getaddrinfo`, used by the connection pools. A `getaddrinfo` call cannot be canceled and
 * holds a thread of libuv's pool until it returns, which takes half a minute if no name server answers. So each host
 * has at most one lookup in flight, and all hosts together have at most as many as libuv runs at a time. Failures are
 * cached briefly.
 */
import { type LookupAddress, lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { monotonicMs } from './monotonic-clock.ts'

/** Maximum concurrent lookups: libuv runs lookups on half of its four threads; more would only wait in its queue. */
const MAX_LOOKUPS = 2
/** Maximum concurrent lookups of hosts whose last lookup failed, so that such hosts do not delay other hosts. */
const MAX_FAILED_LOOKUPS = 1
/** Milliseconds for which addresses are cached. */
const FRESH_MS = 10_000
/** Milliseconds for which a failure is cached. */
const FAILED_MS = 2_000
/** Milliseconds for which expired addresses are used if new lookups fail. */
const STALE_MS = 3_600_000
/** Milliseconds to wait for a new lookup before expired addresses are used. */
const STALE_WAIT_MS = 100
/** Maximum cached hosts. */
const MAX_HOSTS = 4_096

export type Addresses = readonly LookupAddress[]

type Host = {
  readonly name: string
  addresses?: { readonly list: Addresses; readonly resolvedAt: number }
  failure?: { readonly error: Error; readonly failedAt: number }
  lookup?: PromiseWithResolvers<Addresses>
}

export class HostResolver {
  private readonly hosts = new Map<string, Host>()
  /** Hosts whose lookup is queued. */
  private readonly waiting = new Set<Host>()
  private runningCount = 0
  private runningFailedCount = 0

  /** Number of lookups that are queued or running. */
  get pendingCount(): number {
    return this.waiting.size + this.runningCount
  }

  /** Implements the `lookup` option of `net.connect`. */
  readonly lookup: LookupFunction = (hostname, { all }, callback) => {
    this.resolve(hostname).then(
      (addresses) => {
        if (all) callback(null, [...addresses])
        else callback(null, addresses[0]!.address, addresses[0]!.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, []),
    )
  }

  /**
   * Resolves a host name; IP addresses are returned unchanged.
   *
   * @throws Error of the system's resolver, with a `code` such as `ENOTFOUND`
   */
  resolve(hostname: string): Promise<Addresses> {
    const family = isIP(hostname)
    if (family !== 0) return Promise.resolve([{ address: hostname, family }])
    const now = monotonicMs()
    const host = this.hostOf(hostname)
    const { addresses, failure } = host
    if (addresses && now - addresses.resolvedAt < FRESH_MS) return Promise.resolve(addresses.list)
    const usableAddresses = addresses && now - addresses.resolvedAt < STALE_MS ? addresses.list : undefined
    if (failure && now - failure.failedAt < FAILED_MS)
      return usableAddresses ? Promise.resolve(usableAddresses) : Promise.reject(failure.error)
    const lookup = this.startLookup(host)
    return usableAddresses ? resultOrFallback(lookup, usableAddresses) : lookup
  }

  private hostOf(name: string): Host {
    const existingHost = this.hosts.get(name)
    if (existingHost) return existingHost
    if (this.hosts.size >= MAX_HOSTS)
      for (const [other, { lookup }] of this.hosts)
        if (!lookup) {
          this.hosts.delete(other)
          break
        }
    const host: Host = { name }
    this.hosts.set(name, host)
    return host
  }

  private startLookup(host: Host): Promise<Addresses> {
    if (!host.lookup) {
      host.lookup = Promise.withResolvers()
      host.lookup.promise.catch(() => {})
      this.waiting.add(host)
      this.runWaiting()
    }
    return host.lookup.promise
  }

  private runWaiting(): void {
    while (this.runningCount < MAX_LOOKUPS) {
      const host = this.nextHost()
      if (!host) return
      this.waiting.delete(host)
      const hasFailed = host.failure !== undefined
      this.runningCount++
      if (hasFailed) this.runningFailedCount++
      systemLookup(host.name, { all: true }, (error, list) => {
        this.runningCount--
        if (hasFailed) this.runningFailedCount--
        this.finish(host, error, list)
        this.runWaiting()
      })
    }
  }

  /** Returns the next queued host: hosts whose last lookup failed come last. */
  private nextHost(): Host | undefined {
    let failedHost: Host | undefined
    for (const host of this.waiting) {
      if (!host.failure) return host
      failedHost ??= host
    }
    return this.runningFailedCount < MAX_FAILED_LOOKUPS ? failedHost : undefined
  }

  private finish(host: Host, error: Error | null, list: readonly LookupAddress[]): void {
    const { promise: _, resolve, reject } = host.lookup!
    delete host.lookup
    if (!error && list.length > 0) {
      host.addresses = { list, resolvedAt: monotonicMs() }
      delete host.failure
      resolve(list)
      return
    }
    const failure = error ?? Object.assign(new Error(`${host.name} has no address`), { code: 'ENODATA' })
    host.failure = { error: failure, failedAt: monotonicMs() }
    if (host.addresses && monotonicMs() - host.addresses.resolvedAt < STALE_MS) resolve(host.addresses.list)
    else reject(failure)
  }
}

/** Returns the result of a lookup, or the expired addresses if it takes longer than `STALE_WAIT_MS`. */
function resultOrFallback(lookup: Promise<Addresses>, fallback: Addresses): Promise<Addresses> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(fallback), STALE_WAIT_MS)
    lookup.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
