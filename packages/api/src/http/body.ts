/** Reads JSON bodies. Converts numbers, booleans and lists to the text that a query would have, and drops null fields. */
import express, { type Request } from 'express'
import { ApiError } from '../errors.ts'

/** Maximum body size: 128 kB of calldata in hex and all other fields. */
const MAX_BODY_BYTES = 270_000
/** Maximum zeros that an exponent may add; no parameter has more digits. */
const MAX_EXPONENT = 100

/** Parses a JSON body. Numbers become text, without the rounding of floating point; null fields become absent. */
export const readBody = express.json({ limit: MAX_BODY_BYTES, strict: true, reviver: readValue })

/**
 * Returns the JSON object of a request.
 *
 * @throws ApiError `INVALID_BODY` if the body is not a JSON object
 */
export function jsonObjectOf(request: Request): object {
  const body: unknown = request.body
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ApiError('INVALID_BODY', 'the body must be a JSON object with content-type application/json')
  return body
}

type ParameterNames = { readonly flags?: ReadonlySet<string>; readonly lists?: ReadonlySet<string> }

/**
 * Converts fields of an object to query parameters. True and false of flags become 1 and 0, a list of text becomes
 * comma-separated text, and an empty list becomes an absent parameter. Other types stay unchanged. The parameter's
 * schema refuses them, so that an amount of true is not one unit.
 *
 * @param names - names of the parameters that may be booleans, and of those that may be lists
 */
export function toQueryParameters(
  fields: object,
  { flags = new Set(), lists = new Set() }: ParameterNames = {},
): Record<string, unknown> {
  const parameters: Record<string, unknown> = Object.create(null)
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'boolean' && flags.has(name)) parameters[name] = value ? '1' : '0'
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
  // Node.js 20 does not pass the source. Numbers that it rounded stay numbers, and the schemas refuse them.
  const isRounded = context?.source === undefined && Number.isInteger(value) && !Number.isSafeInteger(value)
  return isRounded ? value : plainNumber(context?.source ?? String(value))
}

/** Converts `1e18` and `5.0` to plain digits. Returns numbers with an exponent above `MAX_EXPONENT` unchanged. */
function plainNumber(source: string): string {
  const match = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(source)
  if (!match) return source
  const [, sign, integer = '', fraction = '', exponent = '0'] = match
  const shift = Number(exponent)
  if (Math.abs(shift) > MAX_EXPONENT) return source
  const digits = '0'.repeat(Math.max(0, -shift)) + integer + fraction + '0'.repeat(Math.max(0, shift))
  const pointIndex = Math.max(0, -shift) + integer.length + shift
  const integerDigits = digits.slice(0, pointIndex).replace(/^0+(?=[0-9])/, '')
  const decimals = digits.slice(pointIndex).replace(/0+$/, '')
  return `${sign}${integerDigits}${decimals && `.${decimals}`}`
}
