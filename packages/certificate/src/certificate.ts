/**
 * Schema of a certificate (see `index.ts`), and a parser for untrusted input. The parser checks, limits, and copies
 * every field.
 */

/**
 * Thrown to end a check: `refuted` if the certificate is wrong, or `not checkable`. `reason` is a short, stable text.
 */
export class CheckFailure extends Error {
  status: 'refuted' | 'not checkable' = 'refuted'
  reason = ''
}
const createFailure = (status: CheckFailure['status']) => (reason: string, message: string) =>
  Object.assign(new CheckFailure(message), { status, reason })
export const refute = createFailure('refuted')
export const notCheckable = createFailure('not checkable')
const malformed = (path: string, expected: string) => notCheckable('malformed', `${path} must be ${expected}`)

/** Parses a value. `path` is its place in the certificate, for errors. */
type Reader<T> = (value: unknown, path: string) => T

/** Reads an object. Only its own properties count, not those of the prototype. */
function objectOf<T>(shape: { readonly [Name in keyof T]: Reader<T[Name]> }): Reader<T> {
  return (value, path) => {
    if (typeof value !== 'object' || !value) throw malformed(path || 'a certificate', 'an object')
    const readField = ([name, read]: [string, Reader<unknown>]) => {
      const ownValue: unknown = Object.getOwnPropertyDescriptor(value, name)?.value
      return [name, read(ownValue, path ? `${path}.${name}` : name)] as const
    }
    return Object.fromEntries(Object.entries<Reader<unknown>>(shape).map(readField)) as T
  }
}

function listOf<T>(read: Reader<T>, min: number, max: number): Reader<readonly T[]> {
  return (value, path) => {
    if (Array.isArray(value) && value.length >= min && value.length <= max)
      return Array.from(value, (item, k) => read(item, `${path}[${k}]`))
    throw malformed(path, `a list of ${min} to ${max}`)
  }
}

function textOf(pattern: RegExp, expected: string): Reader<string> {
  return (value, path) => {
    if (typeof value === 'string' && value.length < 250 && pattern.test(value)) return value
    throw malformed(path, expected)
  }
}

/** Reads an integer, given as a decimal string or as a safe integer. */
function integerOf(min = 0n, max = 10n ** 200n): Reader<bigint> {
  const digits = textOf(/^[0-9]+$/, 'an integer in decimal digits')
  return (value, path) => {
    const parsed = BigInt(digits(Number.isSafeInteger(value) ? String(value) : value, path))
    if (parsed >= min && parsed <= max) return parsed
    throw malformed(path, `from ${min} to ${max}`)
  }
}

const address = textOf(/^0x[0-9a-f]{40}$/, 'an address in lower case')
const hash = textOf(/^0x[0-9a-f]{64}$/, '32 bytes in lower case')
const [tokenIndex, ppm] = [integerOf(0n, 7n), integerOf(0n, 999_999n)]

const pool = objectOf({
  id: textOf(/^0x([0-9a-f]{40}|[0-9a-f]{64})$/, 'an address or an id in lower case'),
  address,
  kind: textOf(/^(constant-product|concentrated|stable|wrapper|assumed)$/, 'a kind of pool'),
  tokens: listOf(address, 2, 8),
  /** Swaps that the bound covers: indices of the token sold and of the token bought. */
  pairs: listOf(listOf(tokenIndex, 2, 2), 0, 56),
  /** Fee; used only for constant-product pools, whose contracts do not report it. */
  feePpm: ppm,
  /** Transfer taxes of tokens, on transfers to the pool (`soldPpm`) and from it (`boughtPpm`). */
  taxes: listOf(objectOf({ token: tokenIndex, soldPpm: ppm, boughtPpm: ppm }), 0, 8),
  /** SHA-256 of the text of the pool's state; see `states.ts`. */
  state: hash,
  /** Claimed earnings in the pool at the prices, at the scale of the certificate. */
  earned: integerOf(),
})
/**
 * Parses a certificate.
 *
 * @throws CheckFailure that names the wrong field
 */
export const readCertificate = objectOf({
  version: integerOf(1n, 1n),
  chainId: integerOf(),
  block: objectOf({ number: integerOf(), hash }),
  tokenIn: address,
  tokenOut: address,
  amountIn: integerOf(),
  /** Decimals of prices and earnings: they are integers in output base units times 10^scale. */
  scale: integerOf(0n, 100n),
  maxHops: integerOf(0n, 8n),
  /** Prices by the number of pools that a path has passed. */
  prices: listOf(objectOf({ token: address, byHop: listOf(integerOf(), 1, 9) }), 1, 8_000),
  pools: listOf(pool, 0, 2_000),
  /** Number of pools that `pools` does not list, and their claimed total earnings. */
  beyond: objectOf({ pools: integerOf(), earned: integerOf() }),
  /** Added to the sum for rounding, at the scale. */
  allowance: integerOf(),
  /** Claimed bound on the output, in base units. */
  bound: integerOf(),
  /** SHA-256 of the text of all pools. */
  digest: hash,
})
export type CertifiedPool = ReturnType<typeof readCertificate>['pools'][number]
