/** Runs many reads in one eth_call, with state overrides (`callOverridden`) or without (`callPlain`). */
import { PlainReadBatch__factory, ReadBatch__factory } from '@sluice/bindings'
import { bytecode } from '@sluice/bindings/bytecode'
import { callCodec } from '@sluice/bindings/codec'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { type AccountOverride, type BlockRef, type RequestOptions, type Rpc, RpcError } from '@sluice/rpc'
import { id } from 'ethers'
import type { Read } from '../family.ts'
import { READ_BATCH } from '../lenses.ts'

/** Result of each read; null if the read reverted, or if the node cannot run it. */
export type ReadResults = (Hex | null)[]

type Call = { readonly to: string; readonly data: string }
type Answer = { readonly ok: boolean; readonly data: Hex }
const runCodec = callCodec<[calls: readonly Call[]], [readonly Answer[]]>(ReadBatch__factory.createInterface(), 'run')
const plainBatch = PlainReadBatch__factory.createInterface()
const ANSWERS_ERROR = plainBatch.getError('Answers')!.selector
/**
 * Sender of the reads: a hash, so that nobody has its key. Balancer's vault takes a call without a sender for a query, in
 * which buffers move no tokens.
 */
const READER = toAddress(`0x${id('sluice.reader').slice(-40)}`)
/** Maximum bytes of creation code (EIP-3860). */
const MAX_CREATION_BYTES = 49_152

/** Runs reads with code and storage overrides. @throws RpcError */
export async function callOverridden(
  rpc: Rpc,
  block: BlockRef,
  reads: readonly Read[],
  options: RequestOptions,
): Promise<ReadResults> {
  const overrides: Record<Address, AccountOverride> = { [READ_BATCH.to]: { code: READ_BATCH.code } }
  for (const { to, code, balance, storage = {} } of reads) {
    if (code) overrides[to] = { ...overrides[to], code }
    if (balance !== undefined) overrides[to] = { ...overrides[to], balance }
    for (const [account, words] of Object.entries(storage) as [Address, Record<Hex, Hex>][]) {
      const previous = overrides[account]
      overrides[account] = { ...previous, stateDiff: { ...previous?.stateDiff, ...words } }
    }
  }
  const request = { from: READER, to: READ_BATCH.to, data: runCodec.encode(reads) }
  return decode(await rpc.call(request, block, { ...options, overrides }))
}

/**
 * Runs reads as the creation of a contract that deploys the lenses itself, which every node supports. Reads that need
 * overrides of storage or balance return null.
 *
 * @throws RpcError; code `REVERTED` also if the reads exceed the size of one creation
 */
export async function callPlain(
  rpc: Rpc,
  block: BlockRef,
  reads: readonly Read[],
  options: RequestOptions,
): Promise<ReadResults> {
  const plainReads = reads.filter(isPlain)
  if (plainReads.length === 0) return reads.map(() => null)
  const lenses = new Map(plainReads.flatMap(({ to, code }) => (code ? [[to, { at: to, code }] as const] : [])))
  const input = plainBatch.encodeDeploy([[...lenses.values()], plainReads.map(({ to, data }) => ({ to, data }))])
  const data: Hex = `${bytecode.PlainReadBatch.creation}${input.slice(2)}`
  if (data.length / 2 - 1 > MAX_CREATION_BYTES)
    throw new RpcError('REVERTED', 'the creation is longer than EIP-3860 allows')
  const answer = await rpc.call({ to: null, data }, block, options).catch(decodeRevert)
  const answers = decode(answer)[Symbol.iterator]()
  return reads.map((read) => (isPlain(read) ? answers.next().value! : null))
}

/** True if a read needs no overrides other than code. */
const isPlain = ({ storage, balance }: Read): boolean => storage === undefined && balance === undefined

/** Decodes results that were returned as a revert, because they exceed the maximum code size. */
function decodeRevert(error: unknown): Hex {
  if (!(error instanceof RpcError && error.data.startsWith(ANSWERS_ERROR))) throw error
  return plainBatch.decodeErrorResult('Answers', error.data)[0] as Hex
}

function decode(answer: Hex): ReadResults {
  const [answers] = runCodec.decode(answer)
  return answers.map(({ ok, data }) => (ok ? data : null))
}
