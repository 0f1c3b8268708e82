/**
 * Schema of a certificate (see `index.ts`), and a parser for untrusted input. The parser checks, limits, and copies
 * every field.
 */

/**
 * Thrown to end a check. The status is `refuted` if the certificate is wrong, and `not checkable` if the check is not
 * possible. `reason` is a short text that does not change between versions.
 */
export class CheckFailure extends Error {
  status: 'refuted' | 'not checkable' = 'refuted'
  reason = ''
}
const createFailure = (status: CheckFailure['status']) => (reason: string, message: string) =>
  Object.assign(new CheckFailure(message), { status, reason })
/** Creates the error for a wrong certificate. */
export const refute = createFailure('refuted')
/** Creates the error for a certificate that cannot be checked. */
export const notCheckable = createFailure('not checkable')
const malformed = (path: string, expected: string) => notCheckable('malformed', `${path} must be ${expected}`)

/** Parses a value. `path` names the value in error messages, such as `pools[0].id`. */
type Reader<T> = (value: unknown, path: string) => T

/** Creates a reader of objects. The reader ignores properties of the prototype. */
function objectReader<T>(shape: { readonly [Name in keyof T]: Reader<T[Name]> }): Reader<T> {
  return (value, path) => {
    if (typeof value !== 'object' || !value) throw malformed(path || 'a certificate', 'an object')
    const readField = ([name, read]: [string, Reader<unknown>]) => {
      const ownValue: unknown = Object.getOwnPropertyDescriptor(value, name)?.value
      return [name, read(ownValue, path ? `${path}.${name}` : name)] as const
    }
    return Object.fromEntries(Object.entries<Reader<unknown>>(shape).map(readField)) as T
  }
}

function listReader<T>(read: Reader<T>, min: number, max: number): Reader<readonly T[]> {
  return (value, path) => {
    if (Array.isArray(value) && value.length >= min && value.length <= max)
      return Array.from(value, (item, k) => read(item, `${path}[${k}]`))
    throw malformed(path, `a list of ${min} to ${max}`)
  }
}

function textReader(pattern: RegExp, expected: string): Reader<string> {
  return (value, path) => {
    if (typeof value === 'string' && value.length < 250 && pattern.test(value)) return value
    throw malformed(path, expected)
  }
}

/** Creates a reader of integers, which are decimal strings or safe integers. */
function integerReader(min = 0n, max = 10n ** 200n): Reader<bigint> {
  const digits = textReader(/^[0-9]+$/, 'an integer in decimal digits')
  return (value, path) => {
    const parsed = BigInt(digits(Number.isSafeInteger(value) ? String(value) : value, path))
    if (parsed >= min && parsed <= max) return parsed
    throw malformed(path, `from ${min} to ${max}`)
  }
}

const address = textReader(/^0x[0-9a-f]{40}$/, 'an address in lower case')
const hash = textReader(/^0x[0-9a-f]{64}$/, '32 bytes in lower case')
const [tokenIndex, ppm] = [integerReader(0n, 7n), integerReader(0n, 999_999n)]

const pool = objectReader({
  id: textReader(/^0x([0-9a-f]{40}|[0-9a-f]{64})$/, 'an address or an id in lower case'),
  address,
  kind: textReader(/^(constant-product|concentrated|stable|wrapper|assumed)$/, 'a kind of pool'),
  tokens: listReader(address, 2, 8),
  /** Swaps that the bound covers. Each is the index of the token sold and the index of the token bought. */
  pairs: listReader(listReader(tokenIndex, 2, 2), 0, 56),
  /** Fee; used only for constant-product pools, whose contracts do not report it. */
  feePpm: ppm,
  /** Transfer taxes of tokens: `soldPpm` on transfers to the pool, and `boughtPpm` on transfers from the pool. */
  taxes: listReader(objectReader({ token: tokenIndex, soldPpm: ppm, boughtPpm: ppm }), 0, 8),
  /** SHA-256 of the text of the pool's state; see `states.ts`. */
  state: hash,
  /** Claimed earnings in the pool at the prices of the certificate, in output base units times 10^scale. */
  earned: integerReader(),
})
/**
 * Parses a certificate.
 *
 * @throws CheckFailure that names the wrong field
 */
export const readCertificate = objectReader({
  version: integerReader(1n, 1n),
  chainId: integerReader(),
  block: objectReader({ number: integerReader(), hash }),
  tokenIn: address,
  tokenOut: address,
  amountIn: integerReader(),
  /** Decimal places of prices and earnings, which are integers: output base units times 10^scale. */
  scale: integerReader(0n, 100n),
  maxHops: integerReader(0n, 8n),
  /** Prices of each token. The price at index k of `byHop` holds for paths that have passed k pools before. */
  prices: listReader(objectReader({ token: address, byHop: listReader(integerReader(), 1, 9) }), 1, 8_000),
  pools: listReader(pool, 0, 2_000),
  /** Number of pools that `pools` does not list, and their claimed total earnings. */
  beyond: objectReader({ pools: integerReader(), earned: integerReader() }),
  /** Allowance for rounding, which the bound includes, in output base units times 10^scale. */
  allowance: integerReader(),
  /** Claimed upper bound on the output, in base units. */
  bound: integerReader(),
  /** SHA-256 of the text of all pools; see `digestLineOf` in `index.ts`. */
  digest: hash,
})
export type CertifiedPool = ReturnType<typeof readCertificate>['pools'][number]
