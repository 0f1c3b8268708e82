/** Says in words why a call reverted. Whatever the bytes are, it answers and never throws. */
import { IExecutor__factory, IGuard__factory, IRouterErrors__factory, ITokenErrors__factory } from '@sluice/bindings'
import type { Hex } from '@sluice/chains'
import { AbiCoder, type ErrorFragment, type Interface, toUtf8String, Utf8ErrorFuncs } from 'ethers'

const ERROR_SELECTOR = '0x08c379a0'
const PANIC_SELECTOR = '0x4e487b71'
/** Characters; what a contract says about itself is cut there. */
const MAX_LENGTH = 1_000
/** Routers wrap the errors of pools, seldom more than twice. */
const MAX_DEPTH = 3

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

/** `Error` gives its text, `Panic` its meaning, a known custom error its name and values, any other its selector. */
export function decodeRevert(data: Hex): string {
  return cut(describe(data, 0))
}

function describe(data: Hex, depth: number): string {
  if (data.length < 10) return data === '0x' ? 'reverted without a reason' : data
  const selector = data.slice(0, 10)
  try {
    if (selector === ERROR_SELECTOR) return textOf(data)
    if (selector === PANIC_SELECTOR) return panicOf(data)
    const known = knownErrors.get(selector)
    if (known) return customError(known, data, depth)
  } catch {
    // The selector promised more than the bytes hold: contracts may revert with anything.
  }
  return `custom error ${selector}`
}

function textOf(data: Hex): string {
  const [bytes] = AbiCoder.defaultAbiCoder().decode(['bytes'], `0x${data.slice(10)}`) as unknown as [string]
  return toUtf8String(bytes, Utf8ErrorFuncs.replace) || 'reverted with an empty reason'
}

function panicOf(data: Hex): string {
  const code = BigInt(`0x${data.slice(10, 74)}`)
  return `Panic(0x${code.toString(16).padStart(2, '0')}): ${panics[code.toString()] ?? 'unknown panic'}`
}

function customError({ abi, fragment }: KnownError, data: Hex, depth: number): string {
  const values = abi.decodeErrorResult(fragment, data)
  const args = fragment.inputs.map(({ name, type }, index) => {
    const value: unknown = values[index]
    const nested = type === 'bytes' && depth < MAX_DEPTH && (value as Hex).length >= 10
    return `${name}: ${nested ? describe(value as Hex, depth + 1) : String(value)}`
  })
  return `${fragment.name}(${args.join(', ')})`
}

function cut(text: string): string {
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}…`
}
