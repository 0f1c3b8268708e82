/**
 * Runs read generators (`Reads`) in lockstep. In each round, every generator yields its next reads; few eth_calls
 * execute the reads of all generators.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Address, Hex } from '@sluice/chains'
import { type BlockRef, inSlices, type RequestOptions, type Rpc, RpcError, type Steps } from '@sluice/rpc'
import type { Read, Reads } from '../family.ts'
import { callOverridden, callPlain, type ReadResults } from './read-calls.ts'

/**
 * Gas and byte limits of one eth_call, below the limits of all nodes in use. The strictest node accepts 30 million gas.
 */
const MAX_GAS = 20_000_000
const MAX_BYTES = 256_000
/** The byte limit never falls below this, even if a smaller call is refused. */
const MIN_BYTES = 16_000
const DEFAULT_GAS = 30_000
/** Byte limit per RPC client, for clients whose nodes have refused a larger call; with the time of the last refusal. */
const byteLimitByRpc = new WeakMap<Rpc, { readonly maxBytes: number; readonly refusedAtMs: number }>()
/** Milliseconds after which larger calls are tried again, because a busy node refuses a call by a timeout. */
const BYTE_LIMIT_TTL_MS = 600_000
/** Timeout of one eth_call: a call near the gas limit takes a busy node several seconds. */
const TIMEOUT_MS = 15_000

/**
 * Runs generators side by side against one block.
 *
 * @returns their results, in order
 * @throws RpcError if the node fails. A read that reverts does not throw: its generator receives null
 */
export async function runReads<T>(
  rpc: Rpc,
  block: BlockRef,
  generators: readonly Reads<T>[],
  options: RequestOptions = {},
): Promise<T[]> {
  const results: T[] = []
  const initialReads = generators.map((generator, index): PendingReads<T> => ({ generator, index, reads: [] }))
  let pendingReads = await inSlices('reads', advance(initialReads, [], results))
  while (pendingReads.length > 0) {
    const answers = await readAll(rpc, block, pendingReads, options)
    pendingReads = await inSlices('reads', advance(pendingReads, answers, results))
  }
  return results
}

/** Combines generators into one generator. Each round yields the reads of all generators that have not ended. */
function* allReads<T>(generators: readonly Reads<T>[]): Reads<readonly T[]> {
  const steps = generators.map((generator) => generator.next([]))
  while (steps.some(({ done }) => !done)) {
    const reads = steps.map((step) => (step.done ? [] : step.value))
    const answers = yield reads.flat()
    let offset = 0
    for (const [i, { length }] of reads.entries()) {
      if (!steps[i]!.done) steps[i] = generators[i]!.next(answers.slice(offset, offset + length))
      offset += length
    }
  }
  return steps.map(({ value }) => value as T)
}

/** Combines two generators with results of different types, as `allReads` does. */
export function* bothReads<A, B>(firstReads: Reads<A>, secondReads: Reads<B>): Reads<readonly [A, B]> {
  return (yield* allReads<A | B>([firstReads, secondReads])) as readonly [A, B]
}

/**
 * Runs the reads of a batch. If the generator throws at an answer, runs one generator per item instead, so that the
 * unexpected answer of one contract affects only its own item.
 *
 * @returns one result for the batch, or one for each item whose reads did not throw
 * @throws RpcError
 */
export function* isolatedReads<Item, T>(
  batch: readonly Item[],
  readsOf: (batch: readonly Item[]) => Reads<T>,
): Reads<readonly T[]> {
  try {
    return [yield* readsOf(batch)]
  } catch (error) {
    if (error instanceof RpcError) throw error
    if (batch.length === 1) return []
    return (yield* allReads(batch.map((item) => isolatedReads([item], readsOf)))).flat()
  }
}

/** A generator that waits for the answers of `reads`. `index` is the position of its result. */
type PendingReads<T> = { readonly generator: Reads<T>; readonly index: number; readonly reads: readonly Read[] }

/**
 * Passes the answers of a round to the generators. Stores the results of generators that end, and returns the others
 * with their next reads.
 */
function* advance<T>(
  pendingReads: readonly PendingReads<T>[],
  answers: ReadResults,
  results: T[],
): Steps<readonly PendingReads<T>[]> {
  const stillPending: PendingReads<T>[] = []
  let offset = 0
  for (const { generator, index, reads } of pendingReads) {
    const step = generator.next(answers.slice(offset, offset + reads.length))
    offset += reads.length
    if (step.done) results[index] = step.value
    else stillPending.push({ generator, index, reads: step.value })
    yield
  }
  return stillPending
}

async function readAll(
  rpc: Rpc,
  block: BlockRef,
  pendingReads: readonly PendingReads<unknown>[],
  options: RequestOptions,
): Promise<ReadResults> {
  const { reads, positions } = await inSlices('reads', withoutRepeats(pendingReads))
  const groups = await inSlices('reads', packIntoCalls(reads, byteLimitOf(rpc)))
  const pendingAnswers: Promise<GroupResults>[] = []
  for (const [i, group] of groups.entries()) {
    // Encoding a call takes milliseconds.
    if (i > 0) await yieldToEventLoop()
    const answers = readGroup(rpc, block, group, options)
    // Prevent an unhandled rejection; `Promise.all` below reports the error.
    answers.catch(() => undefined)
    pendingAnswers.push(answers)
  }
  const results = (await Promise.all(pendingAnswers)).flatMap((group) => group.results)
  return positions.map((position) => results[position]!)
}

/** Reads of a round, and the position in `reads` of each read of each generator, in order. */
type DistinctReads = { readonly reads: readonly Read[]; readonly positions: readonly number[] }

/**
 * Leaves out plain reads that another generator of the round yields too: pools in several batches share the parameters
 * of their factory.
 */
function* withoutRepeats(pendingReads: readonly PendingReads<unknown>[]): Steps<DistinctReads> {
  const reads: Read[] = []
  const positionByCall = new Map<string, number>()
  const positions: number[] = []
  for (const read of readsOf(pendingReads)) {
    yield
    const { to, data, code, balance, storage } = read
    const isPlain = code === undefined && balance === undefined && storage === undefined
    const key = isPlain ? to + data : null
    const position = (key === null ? undefined : positionByCall.get(key)) ?? reads.length
    if (position === reads.length) reads.push(read)
    if (key !== null) positionByCall.set(key, position)
    positions.push(position)
  }
  return { reads, positions }
}

/**
 * Packs consecutive reads into calls, by gas and by bytes. All reads of one address in a call have the same code
 * override, or none, because an override applies to the whole call.
 */
function* packIntoCalls(reads: readonly Read[], maxBytes: number): Steps<Read[][]> {
  const groups: Read[][] = []
  let gas = 0
  let bytes = 0
  const codes: CodeByAddress = new Map()
  for (const read of reads) {
    yield
    const readGas = read.gas ?? DEFAULT_GAS
    let readBytes = addedBytesOf(read, codes)
    const hasConflict = codes.has(read.to) && codes.get(read.to) !== read.code
    if (groups.length === 0 || gas + readGas > MAX_GAS || bytes + readBytes > maxBytes || hasConflict) {
      groups.push([])
      gas = 0
      bytes = 0
      codes.clear()
      // The new call contains no code yet.
      readBytes = addedBytesOf(read, codes)
    }
    groups.at(-1)!.push(read)
    gas += readGas
    bytes += readBytes
    codes.set(read.to, read.code)
  }
  return groups
}

/** Code override of each address that a call reads; undefined for an address that is read with its own code. */
type CodeByAddress = Map<Address, Hex | undefined>

/**
 * Returns the bytes that a read adds to a call: calldata, storage overrides, and code that the call does not contain.
 */
function addedBytesOf({ to, data, code, storage }: Read, codes: CodeByAddress): number {
  let hexCharacters = data.length + (code && !codes.has(to) ? code.length : 0)
  for (const words of storage ? Object.values(storage) : [])
    for (const [key, value] of Object.entries(words)) hexCharacters += key.length + value.length
  return hexCharacters / 2
}

function* readsOf(pendingReads: readonly PendingReads<unknown>[]): Generator<Read> {
  for (const { reads } of pendingReads) yield* reads
}

/** Results of reads. `hasOversizedRead`: the node refused a call for its size although the call had a single read. */
type GroupResults = { readonly results: ReadResults; readonly hasOversizedRead: boolean }

/**
 * Runs reads in one call, with or without overrides. A read of an account without code counts as a revert. A call that
 * is too large is split in two and retried, so that one expensive read does not hide the results of the others.
 */
async function readGroup(
  rpc: Rpc,
  block: BlockRef,
  reads: readonly Read[],
  options: RequestOptions,
  isRetry = false,
): Promise<GroupResults> {
  const optionsWithTimeout = { timeoutMs: TIMEOUT_MS, ...options }
  try {
    const answers = await callOverridden(rpc, block, reads, optionsWithTimeout).catch((error: unknown) => {
      if (!(error instanceof RpcError && error.code === 'NO_OVERRIDES')) throw error
      return callPlain(rpc, block, reads, optionsWithTimeout)
    })
    return { results: answers.map((answer) => (answer === '0x' ? null : answer)), hasOversizedRead: false }
  } catch (error) {
    if (!(error instanceof RpcError && isCallTooLarge(error))) throw error
    const isOversized = error.code === 'SIZE'
    if (reads.length === 1) {
      if (!isOversized || isRetry) return { results: [null], hasOversizedRead: isOversized }
      // `SIZE` may be a timeout of a busy node. Without a retry, the pool would be missing until its next log.
      const { results } = await readGroup(rpc, block, reads, options, true)
      return { results, hasOversizedRead: true }
    }
    const half = reads.length >> 1
    const halves = [reads.slice(0, half), reads.slice(half)]
    const halfResults = await Promise.all(halves.map((part) => readGroup(rpc, block, part, options)))
    const hasOversizedRead = halfResults.some((part) => part.hasOversizedRead)
    // A hostile contract can answer with too many bytes, or too slowly; smaller calls would not help.
    if (isOversized && !hasOversizedRead) lowerByteLimit(rpc, reads)
    return { results: halfResults.flatMap(({ results }) => results), hasOversizedRead }
  }
}

/** Lowers the byte limit of the next calls to half of the bytes of a refused call, but not below `MIN_BYTES`. */
function lowerByteLimit(rpc: Rpc, reads: readonly Read[]): void {
  const codes: CodeByAddress = new Map()
  let bytes = 0
  for (const read of reads) {
    bytes += addedBytesOf(read, codes)
    codes.set(read.to, read.code)
  }
  const maxBytes = Math.max(MIN_BYTES, Math.min(byteLimitOf(rpc), bytes >> 1))
  byteLimitByRpc.set(rpc, { maxBytes, refusedAtMs: performance.now() })
}

function byteLimitOf(rpc: Rpc): number {
  const limit = byteLimitByRpc.get(rpc)
  return limit && performance.now() - limit.refusedAtMs < BYTE_LIMIT_TTL_MS ? limit.maxBytes : MAX_BYTES
}

/** True if a smaller call may succeed: a read used up the gas of the batch, or the node refuses calls of this size. */
function isCallTooLarge({ code }: RpcError): boolean {
  return code === 'REVERTED' || code === 'SIZE' || code === 'GAS_CAP'
}
