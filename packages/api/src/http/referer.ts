/** Identifies integrators (web pages that use the API) by the `Referer` header. */
import { BoundedMap } from '@sluice/simulation'

/** Maximum characters of a header that are read. */
const MAX_LENGTH = 2_048
/** Maximum number of cached headers. A few pages send most of the requests. */
const MAX_CACHED_HEADERS = 256
/** Maximum characters of a DNS name. */
const MAX_HOST_LENGTH = 253
const hostByReferer = new BoundedMap<string, string>(MAX_CACHED_HEADERS)

/** Returns the host of a `Referer` header; `none` if there is no header, and `invalid` if it is not an http(s) URL. */
export function integratorOf(referer: string | undefined): string {
  if (!referer) return 'none'
  const text = referer.slice(0, MAX_LENGTH)
  const cachedHost = hostByReferer.get(text)
  if (cachedHost !== undefined) return cachedHost
  const host = hostOf(text)
  hostByReferer.set(text, host)
  return host
}

function hostOf(referer: string): string {
  const url = URL.parse(referer)
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname.length > MAX_HOST_LENGTH) return 'invalid'
  return url.hostname
}

/**
 * Bounds the number of values of a metric label. The first `limit` values stay as they are; all others become `other`.
 */
export class BoundedLabels {
  private readonly values = new Set<string>()
  private readonly limit: number

  constructor(limit: number) {
    this.limit = limit
  }

  labelFor(value: string): string {
    if (this.values.has(value)) return value
    if (this.values.size >= this.limit) return 'other'
    this.values.add(value)
    return value
  }
}
