/** Parses pasted input of the Explain page. */
import { isAddress, isHash } from '../format/hex.ts'

/** Parsed input: calldata, a whole transaction, a hash, or a link that contains one of them. */
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

/** Maximum length of calldata as text: `0x` and 128 KiB in hex. Nodes accept no larger transaction. */
const MAX_CALLDATA_CHARS = 262_146

export function readPasted(text: string): PastedInput {
  const trimmedText = text.trim()
  if (trimmedText === '') return { kind: 'nothing' }
  if (trimmedText.length > 2 * MAX_CALLDATA_CHARS)
    return { kind: 'wrong', reason: 'That is longer than any transaction.' }
  if (/^https?:\/\//.test(trimmedText))
    return readPasted(decodeUri(trimmedText.slice(trimmedText.indexOf('#') + 1 || trimmedText.length)))
  if (trimmedText.startsWith('{')) return inputFromJson(trimmedText)
  if (trimmedText.startsWith('data=')) return inputFromFields(Object.fromEntries(new URLSearchParams(trimmedText)))
  const hex = trimmedText.replace(/\s+/g, '')
  if (isHash(hex)) return { kind: 'hash', hash: hex }
  if (/^0x([0-9a-fA-F]{2})+$/.test(hex)) return { kind: 'transaction', tx: { data: hex as `0x${string}` } }
  return { kind: 'wrong', reason: 'Paste 0x and hex digits, a transaction as JSON, or a link to this page.' }
}

function inputFromJson(text: string): PastedInput {
  try {
    const json = JSON.parse(text) as Record<string, unknown>
    // A response of the service has the transaction in `tx`.
    return inputFromFields((json.tx ?? json) as Record<string, unknown>)
  } catch {
    return { kind: 'wrong', reason: 'That is no JSON.' }
  }
}

function inputFromFields(fields: Readonly<Record<string, unknown>>): PastedInput {
  const data = String(fields.data ?? fields.input ?? '')
  if (!/^0x([0-9a-fA-F]{2})+$/.test(data)) return { kind: 'wrong', reason: 'The transaction has no calldata.' }
  const value = fields.value === undefined ? undefined : parseWei(String(fields.value))
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

function parseWei(text: string): string | null {
  return /^(\d{1,78}|0x[0-9a-fA-F]{1,64})$/.test(text) ? BigInt(text).toString() : null
}

/** Decodes a part of a URL. Returns invalid encodings, such as `50%`, unchanged. */
export function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Returns the text after the `#` of a link to the transaction. Browsers do not send this text to the server. */
export function fragmentOf({ data, to, from, value }: PastedTx): string {
  const fields = { data, to, from, value: value === '0' ? undefined : value }
  const presentFields = Object.entries(fields).filter(([, field]) => field !== undefined) as [string, string][]
  return presentFields.length === 1 ? data : new URLSearchParams(presentFields).toString()
}
