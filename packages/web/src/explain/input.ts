/** Parses pasted input of the Explain page. */
import { isAddress, isHash } from '../format/hex.ts'

/** Input that a user pastes: calldata, a whole transaction, a hash, or a link that contains one of them. */
export type PastedInput =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'hash'; readonly hash: `0x${string}` }
  | { readonly kind: 'transaction'; readonly tx: PastedTx }
  | { readonly kind: 'wrong'; readonly reason: string }

/** A pasted transaction. Only `data` is always present. */
export type PastedTx = {
  readonly data: `0x${string}`
  readonly to?: string
  readonly from?: string
  /** Wei, decimal. */
  readonly value?: string
}

/** Maximum hex digits of the calldata, with prefix. The Guard accepts no more than a transaction of 128 kB carries. */
const MAX_HEX = 262_146

export function readPasted(text: string): PastedInput {
  const trimmedText = text.trim()
  if (trimmedText === '') return { kind: 'nothing' }
  if (trimmedText.length > 2 * MAX_HEX) return { kind: 'wrong', reason: 'That is longer than any transaction.' }
  if (/^https?:\/\//.test(trimmedText))
    return readPasted(decode(trimmedText.slice(trimmedText.indexOf('#') + 1 || trimmedText.length)))
  if (trimmedText.startsWith('{')) return fromJson(trimmedText)
  if (trimmedText.startsWith('data=')) return fromFields(Object.fromEntries(new URLSearchParams(trimmedText)))
  const hex = trimmedText.replace(/\s+/g, '')
  if (isHash(hex)) return { kind: 'hash', hash: hex }
  if (/^0x([0-9a-fA-F]{2})+$/.test(hex)) return { kind: 'transaction', tx: { data: hex as `0x${string}` } }
  return { kind: 'wrong', reason: 'Paste 0x and hex digits, a transaction as JSON, or a link to this page.' }
}

function fromJson(text: string): PastedInput {
  try {
    const json = JSON.parse(text) as Record<string, unknown>
    // A response of the service has the transaction in `tx`.
    return fromFields((json.tx ?? json) as Record<string, unknown>)
  } catch {
    return { kind: 'wrong', reason: 'That is no JSON.' }
  }
}

function fromFields(fields: Readonly<Record<string, unknown>>): PastedInput {
  const data = String(fields.data ?? fields.input ?? '')
  if (!/^0x([0-9a-fA-F]{2})+$/.test(data)) return { kind: 'wrong', reason: 'The transaction has no calldata.' }
  const value = fields.value === undefined ? undefined : wei(String(fields.value))
  if (value === null) return { kind: 'wrong', reason: 'The value is no number of wei.' }
  return {
    kind: 'transaction',
    tx: {
      data: data as `0x${string}`,
      ...(isAddress(fields.to) && { to: fields.to }),
      ...(isAddress(fields.from) && { from: fields.from }),
      ...(value !== undefined && { value }),
    },
  }
}

function wei(text: string): string | null {
  return /^(\d{1,78}|0x[0-9a-fA-F]{1,64})$/.test(text) ? BigInt(text).toString() : null
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns the text after the `#` of a link. Browsers do not send it to the server. */
export function fragmentOf({ data, to, from, value }: PastedTx): string {
  const fields = { data, to, from, value: value === '0' ? undefined : value }
  const present = Object.entries(fields).filter(([, field]) => field !== undefined) as [string, string][]
  return present.length === 1 ? data : new URLSearchParams(present).toString()
}
