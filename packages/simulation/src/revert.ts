/** Describes revert data as text. Accepts any bytes and never throws. */
import { IExecutor__factory, IGuard__factory, IRouterErrors__factory, ITokenErrors__factory } from '@sluice/bindings'
import type { Hex } from '@sluice/chains'
import { AbiCoder, type ErrorFragment, type Interface, toUtf8String, Utf8ErrorFuncs } from 'ethers'
import { sanitizeText } from './text.ts'

const ERROR_SELECTOR = '0x08c379a0'
const PANIC_SELECTOR = '0x4e487b71'
/** Maximum characters of the description. */
const MAX_LENGTH = 1_000
/** Maximum nesting of wrapped errors; routers rarely nest more than twice. */
const MAX_DEPTH = 3
/** Maximum arguments of an unknown error that are inspected. */
const MAX_ARGUMENTS = 8
/** Bytes per word in ABI encoding. */
const WORD_BYTES = 32

/** @see https://docs.soliditylang.org/en/latest/control-structures.html#panic-via-assert-and-error-via-require */
const panics: Readonly<Record<string, string>> = {
  '0': 'compiler panic',
  '1': 'assertion failed',
  '17': 'arithmetic overflow or underflow',
  '18': 'division by zero',
  '33': 'conversion to an enum out of range',
  '34': 'wrongly encoded storage byte array',
  '49': 'pop from an empty array',
  '50': 'array index out of bounds',
  '65': 'out of memory',
  '81': 'call of an uninitialised function',
}

type KnownError = { readonly abi: Interface; readonly fragment: ErrorFragment }
const knownErrors = new Map<string, KnownError>()
for (const abi of [
  IGuard__factory.createInterface(),
  IExecutor__factory.createInterface(),
  ITokenErrors__factory.createInterface(),
  IRouterErrors__factory.createInterface(),
] as readonly Interface[]) {
  abi.forEachError((fragment) => {
    if (!knownErrors.has(fragment.selector)) knownErrors.set(fragment.selector, { abi, fragment })
  })
}

/**
 * Describes revert data: the text of `Error`, the meaning of `Panic`, name and values of known custom errors, else the
 * selector. Wrapped errors are decoded too. The text is safe to show and to log.
 */
export function decodeRevert(data: Hex): string {
  return sanitizeText(describe(data, 0), MAX_LENGTH) || 'reverted with an empty reason'
}

function describe(data: Hex, depth: number): string {
  if (data.length < 10) return data === '0x' ? 'reverted without a reason' : data
  const selector = data.slice(0, 10)
  try {
    if (selector === ERROR_SELECTOR) return describeReason(data, depth)
    if (selector === PANIC_SELECTOR) return describePanic(data)
    const knownError = knownErrors.get(selector)
    if (knownError) return describeCustomError(knownError, data, depth)
  } catch {
    // The data does not match its selector; contracts may revert with any bytes.
  }
  const innerReason = describeWrappedRevert(data, depth)
  return innerReason === undefined ? `custom error ${selector}` : `custom error ${selector}: ${innerReason}`
}

/** Returns the text of `Error`, or the description of revert data that a router passed as text. */
function describeReason(data: Hex, depth: number): string {
  const [bytes] = AbiCoder.defaultAbiCoder().decode(['bytes'], `0x${data.slice(10)}`) as unknown as [Hex]
  if (depth < MAX_DEPTH && isRevertData(bytes)) return describe(bytes, depth + 1)
  return toUtf8String(bytes, Utf8ErrorFuncs.replace) || 'reverted with an empty reason'
}

/** True for complete ABI-encoded revert data of a known kind. */
function isRevertData(bytes: Hex): boolean {
  const selector = bytes.slice(0, 10)
  if (bytes.length < 10 || (bytes.length - 10) % (2 * WORD_BYTES) !== 0) return false
  return selector === ERROR_SELECTOR || selector === PANIC_SELECTOR || knownErrors.has(selector)
}

/**
 * Describes the revert data in the arguments of an unknown error; undefined if no `bytes` argument holds revert data.
 */
function describeWrappedRevert(data: Hex, depth: number): string | undefined {
  if (depth >= MAX_DEPTH) return undefined
  const body = data.slice(10)
  const wordAt = (byte: number) => {
    const word = body.slice(2 * byte, 2 * (byte + WORD_BYTES))
    const value = word.length === 2 * WORD_BYTES ? BigInt(`0x${word}`) : undefined
    return value !== undefined && value < body.length ? Number(value) : undefined
  }
  for (let head = 0; head < MAX_ARGUMENTS; head++) {
    const offset = wordAt(head * WORD_BYTES)
    const length = offset !== undefined && offset % WORD_BYTES === 0 ? wordAt(offset) : undefined
    if (!length) continue
    const start = 2 * (offset! + WORD_BYTES)
    const bytes: Hex = `0x${body.slice(start, start + 2 * length)}`
    if (isRevertData(bytes)) return describe(bytes, depth + 1)
  }
  return undefined
}

function describePanic(data: Hex): string {
  const code = BigInt(`0x${data.slice(10, 74)}`)
  return `Panic(0x${code.toString(16).padStart(2, '0')}): ${panics[code.toString()] ?? 'unknown panic'}`
}

function describeCustomError({ abi, fragment }: KnownError, data: Hex, depth: number): string {
  const values = abi.decodeErrorResult(fragment, data)
  const args = fragment.inputs.map(({ name, type }, index) => {
    const value: unknown = values[index]
    const isNested = type === 'bytes' && depth < MAX_DEPTH && (value as Hex).length >= 10
    return `${name}: ${isNested ? describe(value as Hex, depth + 1) : String(value)}`
  })
  return `${fragment.name}(${args.join(', ')})`
}
