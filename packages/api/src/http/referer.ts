import { Bounded } from '@sluice/simulation'

/** Characters of a header that are looked at. */
const MOST = 2_048
/** Pages are few, and ask again and again. */
const REMEMBERED = 256
const hosts = new Bounded<string, string>(REMEMBERED)

/** Host of a `Referer` header, `none` without one and `invalid` for anything that is no http address. */
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

/** Keeps the number of different labels bounded: the first `limit` keep their name, later ones count as `other`. */
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
