/**
 * Runs many reads in one eth_call, with state overrides (`callOverridden`) or without (`callPlain`). A lens is a
 * contract of ours that is not deployed: an override puts its code at an address.
 */
import { PlainReadBatch__factory, ReadBatch__factory } from '@sluice/bindings'
import { bytecode } from '@sluice/bindings/bytecode'
import { callCodec } from '@sluice/bindings/codec'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { type AccountOverride, type BlockRef, type RequestOptions, type Rpc, RpcError } from '@sluice/rpc'
import { id } from 'ethers'
import type { Read } from '../family.ts'
import { type Lens, READ_BATCH } from '../lenses.ts'

/** Result of each read; null if the read reverted, or if the node cannot run it. */
export type ReadResults = (Hex | null)[]

type Call = { readonly to: string; readonly data: string }
type Answer = { readonly ok: boolean; readonly data: Hex }
const runCodec = callCodec<[calls: readonly Call[]], [readonly Answer[]]>(ReadBatch__factory.createInterface(), 'run')
const plainBatchInterface = PlainReadBatch__factory.createInterface()
const ANSWERS_ERROR = plainBatchInterface.getError('Answers')!.selector
/**
 * Sender of the reads: a hash, so that nobody has its key. The zero address cannot be the sender, because Balancer's
 * vault treats a call from the zero address as a query, in which buffers move no tokens.
 */
const READER = toAddress(`0x${id('sluice.reader').slice(-40)}`)
/**
 * Contract that passes a read on by STATICCALL: the first word of its calldata is the target, the rest the calldata of
 * the target. It returns and reverts as the target does. The reads of a call share state, and the target may be
 * hostile: if a token could trade in its own `balanceOf`, later reads would see prices that no block has.
 *
 * Assembly: PUSH1 32 CALLDATASIZE SUB DUP1 PUSH1 32 RETURNDATASIZE CALLDATACOPY; RETURNDATASIZE RETURNDATASIZE SWAP2
 * RETURNDATASIZE RETURNDATASIZE CALLDATALOAD GAS STATICCALL; RETURNDATASIZE PUSH1 0 PUSH1 0 RETURNDATACOPY; PUSH1 30
 * JUMPI RETURNDATASIZE PUSH1 0 REVERT; JUMPDEST RETURNDATASIZE PUSH1 0 RETURN
 */
export const STATIC_READ: Lens = {
  to: toAddress(`0x${id('sluice.static-read').slice(-40)}`),
  code: '0x602036038060203d373d3d913d3d355afa3d600060003e601e573d6000fd5b3d6000f3',
}

/**
 * Returns the read of a deployed contract as a static call. A read through a lens stays a CALL: a lens may write
 * storage, which a static call forbids, and reverts what it has written.
 */
function toStaticRead(read: Read): Read {
  if (read.code !== undefined || !canRunPlain(read)) return read
  return { ...read, ...STATIC_READ, data: `0x${read.to.slice(2).padStart(64, '0')}${read.data.slice(2)}` }
}

/** Maximum bytes of creation code (EIP-3860). */
const MAX_CREATION_BYTES = 49_152

/** Runs reads with code and storage overrides. @throws RpcError */
export async function callOverridden(
  rpc: Rpc,
  block: BlockRef,
  directReads: readonly Read[],
  options: RequestOptions,
): Promise<ReadResults> {
  const reads = directReads.map(toStaticRead)
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
 * Runs reads without overrides, which some nodes do not support: the call creates a contract whose constructor deploys
 * the lenses and runs the reads. Reads that need overrides of storage or balance return null.
 *
 * @throws RpcError; code `REVERTED` also if the reads exceed `MAX_CREATION_BYTES`
 */
export async function callPlain(
  rpc: Rpc,
  block: BlockRef,
  reads: readonly Read[],
  options: RequestOptions,
): Promise<ReadResults> {
  const plainReads = reads.filter(canRunPlain).map(toStaticRead)
  if (plainReads.length === 0) return reads.map(() => null)
  const lenses = new Map(plainReads.flatMap(({ to, code }) => (code ? [[to, { at: to, code }] as const] : [])))
  const input = plainBatchInterface.encodeDeploy([
    [...lenses.values()],
    plainReads.map(({ to, data }) => ({ to, data })),
  ])
  const data: Hex = `${bytecode.PlainReadBatch.creation}${input.slice(2)}`
  if (data.length / 2 - 1 > MAX_CREATION_BYTES)
    throw new RpcError('REVERTED', 'the creation code is longer than EIP-3860 allows')
  const answer = await rpc.call({ to: null, data }, block, options).catch(decodeRevert)
  const answers = decode(answer)[Symbol.iterator]()
  return reads.map((read) => (canRunPlain(read) ? answers.next().value! : null))
}

/** True if a read needs no overrides other than code. */
const canRunPlain = ({ storage, balance }: Read): boolean => storage === undefined && balance === undefined

/** Decodes results that were returned as a revert, because they exceed the maximum code size. */
function decodeRevert(error: unknown): Hex {
  if (!(error instanceof RpcError && error.data.startsWith(ANSWERS_ERROR))) throw error
  return plainBatchInterface.decodeErrorResult('Answers', error.data)[0] as Hex
}

function decode(answer: Hex): ReadResults {
  const [answers] = runCodec.decode(answer)
  return answers.map(({ ok, data }) => (ok ? data : null))
}
