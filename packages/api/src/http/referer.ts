/** Identifies integrators by the `Referer` header. */
import { Bounded } from '@sluice/simulation'

/** Maximum characters of a header that are read. */
const MOST = 2_048
/** Maximum cached headers; few pages send most requests. */
const REMEMBERED = 256
const hosts = new Bounded<string, string>(REMEMBERED)

/** Returns the host of a `Referer` header, `none` without one, and `invalid` for anything but an http URL. */
export function integrator(referer: string | undefined): string {
  if (!referer) return 'none'
  const text = referer.slice(0, MOST)
  const known = hosts.get(text)
  if (known !== undefined) return known
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
  private readonly seen = new Set<string>()
  private readonly limit: number

  constructor(limit: number) {
    this.limit = limit
  }

  of(label: string): string {
    if (this.seen.has(label)) return label
    if (this.seen.size >= this.limit) return 'other'
    this.seen.add(label)
    return label
  }
}
