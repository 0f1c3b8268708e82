/**
 * Reads JSON bodies. Converts numbers, booleans and lists to the text that a URL query would contain, and drops null
 * fields.
 */
import express, { type Request } from 'express'
import { ApiError } from '../errors.ts'

/** Maximum body size. It fits 128 kB of calldata, which has 256 kB in hex, and all other fields. */
const MAX_BODY_BYTES = 270_000
/** Maximum absolute exponent of a number such as `1e18`. No valid parameter has more digits. */
const MAX_EXPONENT = 100

/**
 * Middleware that parses a JSON body. Numbers become text, so that large numbers are not rounded. Null fields become
 * absent.
 */
export const readBody = express.json({ limit: MAX_BODY_BYTES, strict: true, reviver: reviveValue })

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
 * Converts fields of a JSON object to query parameters. In the fields of `flags`, true becomes 1 and false 0. In the
 * fields of `lists`, an array of strings becomes comma-separated text, and an empty array becomes an absent parameter.
 * All other values stay unchanged, and the parameter's schema refuses wrong types: an amount of `true` must not become
 * 1.
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

function reviveValue(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (value === null) return undefined
  if (typeof value !== 'number') return value
  // Node.js 20 does not pass the source text. An integer that it may have rounded stays a number, which the schemas
  // refuse.
  const isRounded = context?.source === undefined && Number.isInteger(value) && !Number.isSafeInteger(value)
  return isRounded ? value : toPlainDigits(context?.source ?? String(value))
}

/**
 * Converts numbers like `1e18` and `5.0` to plain digits. Returns the text unchanged if the exponent is above
 * `MAX_EXPONENT`.
 */
function toPlainDigits(source: string): string {
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
