/**
 * JSON with bigints: `"#ff"` is 255, `"#-1"` is −1, and a string that starts with `#` gets another `#` in front.
 * Hexadecimal is several times faster than decimal, and a walk over the value several times faster than JSON callbacks.
 */

/** Parses a text. @throws SyntaxError */
export const fromText = <T>(text: string): T => restoreBigints(JSON.parse(text)) as T

const NUMBER_SIGN = '#'.charCodeAt(0)

/** Encodes JSON values and bigints. Undefined is omitted from objects and becomes null in arrays, as in JSON. */
export function toText(value: unknown): string {
  switch (typeof value) {
    case 'bigint':
      return `"#${value.toString(16)}"`
    case 'string':
      return JSON.stringify(value.charCodeAt(0) === NUMBER_SIGN ? `#${value}` : value)
    case 'number':
      return Number.isFinite(value) ? `${value}` : 'null'
    case 'boolean':
      return value ? 'true' : 'false'
    case 'object':
      if (value === null) return 'null'
      return Array.isArray(value) ? arrayText(value) : objectText(value as Readonly<Record<string, unknown>>)
    default:
      return 'null'
  }
}

function arrayText(items: readonly unknown[]): string {
  let text = '['
  for (let i = 0; i < items.length; i++) text += i === 0 ? toText(items[i]) : `,${toText(items[i])}`
  return `${text}]`
}

function objectText(fields: Readonly<Record<string, unknown>>): string {
  let text = '{'
  for (const key in fields) {
    const value = fields[key]
    if (value !== undefined) text += `${text.length === 1 ? '' : ','}${JSON.stringify(key)}:${toText(value)}`
  }
  return `${text}}`
}

/** Converts a parsed value in place. */
function restoreBigints(value: unknown): unknown {
  if (typeof value === 'string') return value.charCodeAt(0) === NUMBER_SIGN ? parseTaggedText(value) : value
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = restoreBigints(value[i])
  } else if (typeof value === 'object' && value !== null) {
    const fields = value as Record<string, unknown>
    for (const key in fields) fields[key] = restoreBigints(fields[key])
  }
  return value
}

function parseTaggedText(text: string): string | bigint {
  if (text.charCodeAt(1) === NUMBER_SIGN) return text.slice(1)
  return text[1] === '-' ? -BigInt(`0x${text.slice(2)}`) : BigInt(`0x${text.slice(1)}`)
}
