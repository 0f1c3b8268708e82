/** Runs the read generators of families in lockstep, so that each round of reads takes few calls. */
import { setImmediate as turn } from 'node:timers/promises'
import type { Address, Hex } from '@sluice/chains'
import { type BlockRef, inSlices, type RequestOptions, type Rpc, RpcError, type Steps } from '@sluice/rpc'
import type { Read, Reads } from '../family.ts'
import { callOverridden, callPlain, type ReadResults } from './read-calls.ts'

/** Gas and byte limits of one eth_call: below the limits of the strictest nodes, such as 30 million gas. */
const MAX_GAS = 20_000_000
const MAX_BYTES = 256_000
/** The byte limit never falls below this, even if a smaller call is refused. */
const MIN_BYTES = 16_000
const DEFAULT_GAS = 30_000
/** Byte limit of a chain's nodes, after they refused a larger call. */
const maxBytes = new WeakMap<Rpc, number>()
/** A call near the gas limit takes a busy node seconds. */
const TIMEOUT_MS = 15_000

/**
 * Runs generators side by side against one block.
 *
 * @returns their results, in order
 * @throws RpcError if the node fails; a read that reverts only yields null
 */
export async function runReads<T>(
  rpc: Rpc,
  block: BlockRef,
  generators: readonly Reads<T>[],
  options: RequestOptions = {},
): Promise<T[]> {
  const results: T[] = []
  const first = generators.map((generator, index): PendingReads<T> => ({ generator, index, reads: [] }))
  let pending = await inSlices('reads', advance(first, [], results))
  while (pending.length > 0) {
    const answers = await read(rpc, block, pending, options)
    pending = await inSlices('reads', advance(pending, answers, results))
  }
  return results
}

/** Combines two generators into one that runs both in the same rounds. */
export function* bothReads<A, B>(first: Reads<A>, second: Reads<B>): Reads<readonly [A, B]> {
  let a = first.next([])
  let b = second.next([])
  while (!a.done || !b.done) {
    const reads = [a.done ? [] : a.value, b.done ? [] : b.value] as const
    const answers = yield [...reads[0], ...reads[1]]
    if (!a.done) a = first.next(answers.slice(0, reads[0].length))
    if (!b.done) b = second.next(answers.slice(reads[0].length))
  }
  return [a.value, b.value]
}

type PendingReads<T> = { readonly generator: Reads<T>; readonly index: number; readonly reads: readonly Read[] }

/** Passes results to the generators and collects their next reads. @returns the generators that are not done */
function* advance<T>(
  pending: readonly PendingReads<T>[],
  answers: ReadResults,
  results: T[],
): Steps<readonly PendingReads<T>[]> {
  const next: PendingReads<T>[] = []
  let from = 0
  for (const { generator, index, reads } of pending) {
    const step = generator.next(answers.slice(from, from + reads.length))
    from += reads.length
    if (step.done) results[index] = step.value
    else next.push({ generator, index, reads: step.value })
    yield
  }
  return next
}

async function read(
  rpc: Rpc,
  block: BlockRef,
  pending: readonly PendingReads<unknown>[],
  options: RequestOptions,
): Promise<ReadResults> {
  const groups = await inSlices('reads', pack(pending, maxBytes.get(rpc) ?? MAX_BYTES))
  const packedBatches: Promise<ReadResults>[] = []
  for (const [k, group] of groups.entries()) {
    // Encoding a call takes milliseconds.
    if (k > 0) await turn()
    const answers = readGroup(rpc, block, group, options)
    // Prevent an unhandled rejection; `Promise.all` below reports the error.
    answers.catch(() => undefined)
    packedBatches.push(answers)
  }
  return (await Promise.all(packedBatches)).flat()
}

/** Packs consecutive reads into calls, by gas and by bytes, with at most one code override per address. */
function* pack(pending: readonly PendingReads<unknown>[], maxBytes: number): Steps<Read[][]> {
  const groups: Read[][] = []
  let gas = 0
  let bytes = 0
  let codes = new Map<Address, Hex>()
  for (const read of readsOf(pending)) {
    yield
    const readGas = read.gas ?? DEFAULT_GAS
    const readBytes = bytesOf(read, codes)
    const conflicts = codes.has(read.to) ? codes.get(read.to) !== read.code : false
    if (groups.length === 0 || gas + readGas > MAX_GAS || bytes + readBytes > maxBytes || conflicts) {
      groups.push([])
      gas = 0
      bytes = 0
      codes = new Map()
    }
    groups.at(-1)!.push(read)
    gas += readGas
    bytes += readBytes
    if (read.code) codes.set(read.to, read.code)
  }
  return groups
}

function bytesOf({ to, data, code }: Read, codes: ReadonlyMap<Address, Hex>): number {
  return data.length / 2 + (code && !codes.has(to) ? code.length / 2 : 0)
}

function* readsOf(pending: readonly PendingReads<unknown>[]): Generator<Read> {
  for (const { reads } of pending) yield* reads
}

/**
 * Runs reads in one call, with or without overrides. An account without code counts as a revert. A call that is too
 * large is halved and retried, so that one expensive read does not hide the results of others.
 */
async function readGroup(
  rpc: Rpc,
  block: BlockRef,
  reads: readonly Read[],
  options: RequestOptions,
): Promise<ReadResults> {
  const withLimit = { timeoutMs: TIMEOUT_MS, ...options }
  try {
    const answers = await callOverridden(rpc, block, reads, withLimit).catch((error: unknown) => {
      if (!(error instanceof RpcError && error.code === 'NO_OVERRIDES')) throw error
      return callPlain(rpc, block, reads, withLimit)
    })
    return answers.map((answer) => (answer === '0x' ? null : answer))
  } catch (error) {
    if (!(error instanceof RpcError && isTooMuch(error))) throw error
    if (error.code === 'SIZE') lowerByteLimit(rpc, reads)
    if (reads.length === 1) return [null]
    const middle = reads.length >> 1
    const halves = [reads.slice(0, middle), reads.slice(middle)]
    return (await Promise.all(halves.map((half) => readGroup(rpc, block, half, options)))).flat()
  }
}

/** Halves the byte limit for later calls. */
function lowerByteLimit(rpc: Rpc, reads: readonly Read[]): void {
  const codes = new Map<Address, Hex>()
  let bytes = 0
  for (const read of reads) {
    bytes += bytesOf(read, codes)
    if (read.code) codes.set(read.to, read.code)
  }
  maxBytes.set(rpc, Math.max(MIN_BYTES, Math.min(maxBytes.get(rpc) ?? MAX_BYTES, bytes >> 1)))
}

/** Our batch call reverts if a read used up its gas; nodes refuse a call that is too large for them. */
function isTooMuch({ code }: RpcError): boolean {
  return code === 'REVERTED' || code === 'SIZE' || code === 'GAS_CAP'
}
