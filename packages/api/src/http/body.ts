/** JSON bodies. Reads numbers, booleans, lists, and null as the text that a query has for them. */
import express, { type Request } from 'express'
import { ApiError } from '../errors.ts'

/** Bytes of JSON that carry 128 kB of calldata in hex and every other field. */
const MAX_BODY_BYTES = 270_000
/** Zeros that an exponent may add: more than the digits of any parameter. */
const MAX_EXPONENT = 100

/** Parses a JSON body. Numbers become text, without the rounding of floating point; null fields become absent. */
export const readBody = express.json({ limit: MAX_BODY_BYTES, strict: true, reviver: readValue })

/**
 * Returns the JSON object of a request.
 *
 * @throws ApiError `INVALID_BODY` for anything else
 */
export function bodyOf(request: Request): object {
  const body: unknown = request.body
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ApiError('INVALID_BODY', 'the body must be a JSON object with content-type application/json')
  return body
}

/**
 * Converts the fields of an object to parameters of a query: true and false to 1 and 0, lists of text to comma-separated text, an
 * empty list to an absent parameter. Other types stay, for the reader of the parameter to refuse.
 *
 * @param lists - names of the parameters that may be lists
 */
export function parametersIn(fields: object, lists: ReadonlySet<string> = new Set()): Record<string, unknown> {
  const parameters: Record<string, unknown> = Object.create(null)
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'boolean') parameters[name] = value ? '1' : '0'
    else if (!lists.has(name) || !isListOfText(value)) parameters[name] = value
    else if (value.length > 0) parameters[name] = value.join()
  }
  return parameters
}

function isListOfText(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function readValue(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (value === null) return undefined
  if (typeof value !== 'number') return value
  // Node.js 20 does not pass the source: numbers that it has rounded stay numbers, and are refused.
  const isRounded = context?.source === undefined && Number.isInteger(value) && !Number.isSafeInteger(value)
  return isRounded ? value : plainNumber(context?.source ?? String(value))
}

/** Writes `1e18` and `5.0` in plain digits. Returns numbers with a larger exponent than any parameter needs unchanged. */
function plainNumber(source: string): string {
  const match = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(source)
  if (!match) return source
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  const shift = Number(exponent)
  if (Math.abs(shift) > MAX_EXPONENT) return source
  const digits = '0'.repeat(Math.max(0, -shift)) + whole + fraction + '0'.repeat(Math.max(0, shift))
  const point = Math.max(0, -shift) + whole.length + shift
  const before = digits.slice(0, point).replace(/^0+(?=[0-9])/, '')
  const after = digits.slice(point).replace(/0+$/, '')
  return `${sign}${before}${after && `.${after}`}`
}
