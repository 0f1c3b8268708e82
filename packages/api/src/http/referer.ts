/** Identifies integrators by the `Referer` header. */
import { BoundedMap } from '@sluice/simulation'

/** Maximum characters of a header that are read. */
const MAX_LENGTH = 2_048
/** Maximum cached headers; few pages send most requests. */
const MAX_HOSTS = 256
const hosts = new BoundedMap<string, string>(MAX_HOSTS)

/** Returns the host of a `Referer` header, `none` without one, and `invalid` for anything but an http URL. */
export function integratorOf(referer: string | undefined): string {
  if (!referer) return 'none'
  const text = referer.slice(0, MAX_LENGTH)
  const cachedHost = hosts.get(text)
  if (cachedHost !== undefined) return cachedHost
  const host = hostOf(text)
  hosts.set(text, host)
  return host
}

function hostOf(referer: string): string {
  const url = URL.parse(referer)
  if (!url || !/^https?:$/.test(url.protocol) || url.hostname.length > 253) return 'invalid'
  return url.hostname
}

/** Bounds the number of label values: the first `limit` keep their name, later ones become `other`. */
export class BoundedLabels {
  private readonly labels = new Set<string>()
  private readonly limit: number

  constructor(limit: number) {
    this.limit = limit
  }

  labelFor(label: string): string {
    if (this.labels.has(label)) return label
    if (this.labels.size >= this.limit) return 'other'
    this.labels.add(label)
    return label
  }
}
