/**
 * Determines the outcome of a transaction independently of the code under test: decodes its terms with the compiler's bindings, and
 * executes it on the local chain.
 */
import { isDeepStrictEqual } from 'node:util'
import { decodeGuardSwap, type GuardSwap } from '@sluice/bindings/guard'
import { request } from '@sluice/devnet'
import { decodeProgram } from '@sluice/program'
import type { Hex, Transaction } from '../../src/index.ts'

/** Outcome of a transaction. All addresses are in lower case. */
type Outcome = {
  /** Addresses that were called other than by STATICCALL. */
  readonly ran: ReadonlySet<string>
  /** Balance change by `token account`; the zero address is the native token. */
  readonly gained: ReadonlyMap<string, bigint>
}

export type Reference = {
  readonly tx: Transaction
  readonly order: GuardSwap
  readonly outcome: Outcome
  readonly receivers: ReadonlySet<string>
  readonly named: ReadonlySet<string>
}

type Frame = {
  readonly type: string
  readonly from: string
  readonly to?: string
  readonly value?: string
  readonly error?: string
  readonly calls?: readonly Frame[]
  readonly logs?: readonly { readonly address: string; readonly topics: readonly string[]; readonly data: string }[]
}

const NATIVE = `0x${'0'.repeat(40)}`
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
/** Events of a wrapper: Deposit(address,uint256) and Withdrawal(address,uint256). */
const DEPOSIT = '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c'
const WITHDRAWAL = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65'

/** Executes the honest transaction. @throws Error if it fails */
export async function referenceOf(url: string, tx: Transaction): Promise<Reference> {
  const outcome = await run(url, tx)
  if (!outcome) throw new Error('the honest transaction fails')
  const order = decodeGuardSwap(tx.data, BigInt(tx.value))
  return { tx, order, outcome, receivers: receiversOf(outcome), named: addressesIn(order) }
}

/** Describes the first difference between the terms of two transactions, independently of the state; undefined if none. */
export function changedTerms(tx: Transaction, honest: Reference): string | undefined {
  if (!isSame(tx.to, honest.tx.to)) return 'another contract is called'
  if (!isSame(tx.from, honest.tx.from)) return 'somebody else sends'
  if (BigInt(tx.value) !== BigInt(honest.tx.value)) return 'another value'
  let order: GuardSwap
  let named: ReadonlySet<string>
  try {
    order = decodeGuardSwap(tx.data, BigInt(tx.value))
    named = addressesIn(order)
  } catch {
    return 'it cannot be read'
  }
  for (const name of new Set([...Object.keys(honest.order), ...Object.keys(order)]) as Set<keyof GuardSwap>)
    if (name !== 'program' && name !== 'recipient' && !isDeepStrictEqual(order[name], honest.order[name]))
      return `another ${name}`
  // Without a recipient in the calldata, the sender is paid, so both forms are equal.
  if (!isSame(order.recipient ?? tx.from, honest.order.recipient ?? tx.from)) return 'another recipient'
  for (const address of named) if (!honest.named.has(address)) return `${address} is new`
  return undefined
}

/** Executes a transaction and describes the first harm compared with the honest one; undefined if it fails or is harmless. */
export async function changedOutcome(url: string, tx: Transaction, honest: Reference): Promise<string | undefined> {
  const outcome = await run(url, tx)
  if (!outcome) return undefined
  const { order } = honest
  const sender = honest.tx.from.toLowerCase()
  const recipient = order.recipient?.toLowerCase() ?? sender
  const gained = (token: string, account = sender) => outcome.gained.get(`${token} ${account}`) ?? 0n
  const tokenIn = order.value > 0n ? NATIVE : order.tokenIn
  if (gained(tokenIn) < -order.amountIn) return 'more than the amount leaves the sender'
  if (gained(order.tokenOut, recipient) < order.minOutput) return 'the recipient gets less than the least'
  for (const [place, amount] of outcome.gained)
    if (amount > 0n && (place.endsWith(order.executor) || place.endsWith(honest.tx.to.toLowerCase())))
      return `${amount} is left at ${place}`
  for (const receiver of receiversOf(outcome)) if (!honest.receivers.has(receiver)) return `${receiver} gets something`
  for (const code of outcome.ran) if (!honest.outcome.ran.has(code)) return `${code} is run`
  return undefined
}

/** Returns the accounts that gained any token. */
function receiversOf({ gained }: Outcome): ReadonlySet<string> {
  return new Set([...gained].flatMap(([place, amount]) => (amount > 0n ? [place.slice(-42)] : [])))
}

/** Returns every address and pool id in the program. */
function addressesIn(order: GuardSwap): ReadonlySet<string> {
  const fields = new Set<string>()
  const walk = (value: unknown) => {
    if (typeof value === 'string' && value.startsWith('0x')) fields.add(value.toLowerCase())
    else if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) walk(inner)
  }
  walk(decodeProgram(order.program, order.tokenIn as Hex))
  return fields
}

/** Executes a transaction by `debug_traceCall`. @returns undefined if it fails */
async function run(url: string, { from, to, data, value }: Transaction): Promise<Outcome | undefined> {
  const call = { from, to, data, value: `0x${BigInt(value).toString(16)}`, gas: '0x1c9c380' }
  const options = { tracer: 'callTracer', tracerConfig: { withLog: true } }
  let frame: Frame
  try {
    frame = await request<Frame>(url, 'debug_traceCall', [call, 'latest', options])
  } catch {
    // The node rejects some calls, such as one from a sender without enough funds.
    return undefined
  }
  if (frame.error) return undefined
  const ran = new Set<string>()
  const gained = new Map<string, bigint>()
  const move = (token: string, account: string, amount: bigint) => {
    const place = `${token.toLowerCase()} ${account.toLowerCase()}`
    gained.set(place, (gained.get(place) ?? 0n) + amount)
  }
  const account = (topic: string) => `0x${topic.slice(26)}`
  const visit = (frame: Frame) => {
    if (frame.error) return
    if (frame.to && frame.type !== 'STATICCALL') ran.add(frame.to.toLowerCase())
    const value = frame.type === 'DELEGATECALL' ? 0n : BigInt(frame.value ?? 0)
    if (value > 0n && frame.to) {
      move(NATIVE, frame.from, -value)
      move(NATIVE, frame.to, value)
    }
    for (const { address, topics, data } of frame.logs ?? []) {
      if (topics[0] === TRANSFER && topics.length === 3) {
        move(address, account(topics[1]!), -BigInt(data))
        move(address, account(topics[2]!), BigInt(data))
      } else if (topics[0] === DEPOSIT && topics.length === 2) move(address, account(topics[1]!), BigInt(data))
      else if (topics[0] === WITHDRAWAL && topics.length === 2) move(address, account(topics[1]!), -BigInt(data))
    }
    for (const inner of frame.calls ?? []) visit(inner)
  }
  visit(frame)
  return { ran, gained }
}

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()
