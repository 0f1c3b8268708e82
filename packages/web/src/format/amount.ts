/** Amounts from base units to text and back: strings and bigint all the way, cut and never rounded up. */

/** '1497756731467863547986972' with 18 decimals → whole '1497756', fraction '731467863547986972'. */
function split(amount: bigint | string, decimals: number): readonly [string, string] {
  const text = String(amount).padStart(decimals + 1, '0')
  return [text.slice(0, text.length - decimals), decimals ? text.slice(-decimals) : '']
}

/** Base units as a decimal text without grouping: what a field holds and what is copied. */
export function plain(amount: bigint | string, decimals: number): string {
  const negative = String(amount).startsWith('-')
  const [whole, fraction] = split(String(amount).replace('-', ''), decimals)
  const rest = fraction.replace(/0+$/, '')
  return `${negative ? '-' : ''}${rest ? `${whole}.${rest}` : whole}`
}

export type Typed =
  | { readonly kind: 'empty' }
  | { readonly kind: 'amount'; readonly base: bigint }
  | { readonly kind: 'wrong'; readonly why: string }

/** Typed text as base units. Spaces between digits are passed over, as amounts are shown with them. */
export function parseAmount(text: string, decimals: number): Typed {
  const digits = text.replace(/[\s\u2009\u202f]/g, '')
  if (digits === '' || digits === '.') return { kind: 'empty' }
  const match = /^(\d*)(?:\.(\d*))?$/.exec(digits)
  if (!match) return { kind: 'wrong', why: 'Only digits and one point.' }
  const [, whole = '', fraction = ''] = match
  if (fraction.replace(/0+$/, '').length > decimals)
    return { kind: 'wrong', why: `This token has ${decimals} decimals; there are ${fraction.length}.` }
  const base = BigInt(`${whole}${fraction.slice(0, decimals).padEnd(decimals, '0')}` || '0')
  // uint128 is the most that a program carries.
  if (base >= 1n << 128n) return { kind: 'wrong', why: 'More than any token has.' }
  return base === 0n ? { kind: 'empty' } : { kind: 'amount', base }
}

/** The same with thin spaces between thousands, for fields only. */
export function grouped(text: string): string {
  const [whole = '', ...rest] = text.split('.')
  return [whole.replace(/\B(?=(\d{3})+$)/g, '\u202f'), ...rest].join('.')
}

/** Four digits and a unit, cut: '1.218 M'. For drawings, where room is scarce. */
export function compact(amount: bigint | string, decimals: number): string {
  const [whole, fraction] = split(amount, decimals)
  const thousands = Math.floor((whole.length - 1) / 3)
  if (thousands === 0) {
    const places = whole === '0' ? 4 : Math.max(0, 4 - whole.length)
    const text = `${whole}.${fraction.slice(0, places)}`.replace(/\.0*$/, '')
    return text === '0' && BigInt(amount) > 0n ? '< 0.0001' : text
  }
  const lead = whole.length - 3 * thousands
  const unit = ['', 'k', 'M', 'B', 'T'][thousands] ?? `e${3 * thousands}`
  return `${whole.slice(0, lead)}${lead < 4 ? `.${whole.slice(lead, 4)}` : ''} ${unit}`
}

/** Units of `out` that one unit of `into` paid, as decimal text with 12 places. */
export function rate(
  into: { readonly amount: bigint; readonly decimals: number },
  out: { readonly amount: bigint; readonly decimals: number },
): string {
  if (into.amount === 0n) return '0'
  const PLACES = 12
  const scaled = (out.amount * 10n ** BigInt(into.decimals + PLACES)) / into.amount / 10n ** BigInt(out.decimals)
  return plain(scaled, PLACES)
}

/** By how much `now` lies below `before`, as percent text with four places: '0.0024'; negative where it lies above. */
export function percentBelow(before: bigint, now: bigint): string {
  if (before === 0n) return '0'
  return plain(((before - now) * 1_000_000n) / before, 4)
}
