/** JSON with bigints: `#12` is the number 12, and a text that starts with `#` is written with another one before it. */

export const toText = (value: unknown): string => JSON.stringify(value, write)

/** @throws SyntaxError */
export const fromText = <T>(text: string): T => JSON.parse(text, read) as T

function write(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `#${value}`
  return typeof value === 'string' && value.startsWith('#') ? `#${value}` : value
}

function read(_key: string, value: unknown): unknown {
  if (typeof value !== 'string' || !value.startsWith('#')) return value
  return value.startsWith('##') ? value.slice(1) : BigInt(value.slice(1))
}
