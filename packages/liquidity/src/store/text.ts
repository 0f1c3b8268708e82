/**
 * JSON with bigints: `#ff` is the number 255, `#-1` is −1, and a text that starts with `#` is written with another one before
 * it. Numbers are walked through here and not by callbacks of JSON's own, and are hexadecimal: both several times as fast.
 */

export const toText = (value: unknown): string => JSON.stringify(withoutBigints(value))

/** @throws SyntaxError */
export const fromText = <T>(text: string): T => withBigints(JSON.parse(text)) as T

const HASH = '#'.charCodeAt(0)

function withoutBigints(value: unknown): unknown {
  if (typeof value === 'bigint') return `#${value.toString(16)}`
  if (typeof value === 'string') return value.charCodeAt(0) === HASH ? `#${value}` : value
  if (Array.isArray(value)) return value.map(withoutBigints)
  if (typeof value !== 'object' || value === null) return value
  const written: Record<string, unknown> = {}
  for (const key in value) written[key] = withoutBigints((value as Record<string, unknown>)[key])
  return written
}

/** Changes what JSON has just made, in its place. */
function withBigints(value: unknown): unknown {
  if (typeof value === 'string') return value.charCodeAt(0) === HASH ? readText(value) : value
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = withBigints(value[i])
  } else if (typeof value === 'object' && value !== null) {
    const fields = value as Record<string, unknown>
    for (const key in fields) fields[key] = withBigints(fields[key])
  }
  return value
}

function readText(text: string): string | bigint {
  if (text.charCodeAt(1) === HASH) return text.slice(1)
  return text[1] === '-' ? -BigInt(`0x${text.slice(2)}`) : BigInt(`0x${text.slice(1)}`)
}
