/** The two ways in which a node is asked for many reads in one eth_call. */
import { PlainReadBatch__factory, ReadBatch__factory } from '@sluice/bindings'
import { bytecode } from '@sluice/bindings/bytecode'
import { callCodec } from '@sluice/bindings/codec'
import type { Address, Hex } from '@sluice/chains'
import { type AccountOverride, type BlockRef, type RequestOptions, type Rpc, RpcError } from '@sluice/rpc'
import { concat } from 'ethers'
import type { Read } from '../family.ts'
import { READ_BATCH } from '../lenses.ts'

/** One for each read; null where it reverted, or cannot be done at all. */
export type Answers = (Hex | null)[]

type Call = { readonly to: string; readonly data: string }
type Answer = { readonly ok: boolean; readonly data: Hex }
const run = callCodec<[calls: readonly Call[]], [readonly Answer[]]>(ReadBatch__factory.createInterface(), 'run')
const plainBatch = PlainReadBatch__factory.createInterface()
const ANSWERS = plainBatch.getError('Answers')!.selector
/** EIP-3860: bytes of a creation. */
const LONGEST_CREATION = 49_152

/** With code and storage put in place for the call. @throws RpcError */
export async function callOverridden(
  rpc: Rpc,
  block: BlockRef,
  reads: readonly Read[],
  options: RequestOptions,
): Promise<Answers> {
  const overrides: Record<Address, AccountOverride> = { [READ_BATCH.to]: { code: READ_BATCH.code } }
  for (const { to, code, storage = {} } of reads) {
    if (code) overrides[to] = { ...overrides[to], code }
    for (const [account, words] of Object.entries(storage) as [Address, Record<Hex, Hex>][]) {
      const given = overrides[account]
      overrides[account] = { ...given, stateDiff: { ...given?.stateDiff, ...words } }
    }
  }
  return decode(await rpc.call({ to: READ_BATCH.to, data: run.encode(reads) }, block, { ...options, overrides }))
}

/**
 * As the creation of a contract that makes the lenses itself, which any node can call. What only works with other storage
 * is left out.
 *
 * @throws RpcError, `REVERTED` also where the reads are too many for one creation
 */
export async function callPlain(
  rpc: Rpc,
  block: BlockRef,
  reads: readonly Read[],
  options: RequestOptions,
): Promise<Answers> {
  const able = reads.filter(({ storage }) => !storage)
  if (able.length === 0) return reads.map(() => null)
  const lenses = new Map(able.flatMap(({ to, code }) => (code ? [[to, { at: to, code }] as const] : [])))
  const input = plainBatch.encodeDeploy([[...lenses.values()], able.map(({ to, data }) => ({ to, data }))])
  const data = concat([bytecode.PlainReadBatch.creation, input]) as Hex
  if (data.length / 2 - 1 > LONGEST_CREATION)
    throw new RpcError('REVERTED', 'the creation is longer than EIP-3860 allows')
  const answer = await rpc.call({ to: null, data }, block, options).catch(longAnswer)
  const answers = decode(answer)[Symbol.iterator]()
  return reads.map(({ storage }) => (storage ? null : answers.next().value!))
}

/** Answers too long for the code of a contract come as a revert. */
function longAnswer(error: unknown): Hex {
  if (!(error instanceof RpcError && error.data.startsWith(ANSWERS))) throw error
  return plainBatch.decodeErrorResult('Answers', error.data)[0] as Hex
}

function decode(answer: Hex): Answers {
  const [answers] = run.decode(answer)
  return answers.map(({ ok, data }) => (ok ? data : null))
}
