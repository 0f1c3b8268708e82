/** A read that uses up the gas of its batch does not change the results of the reads behind it. */
import { CallerFeeLens__factory } from '@sluice/bindings'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { type Anvil, accounts, createBuilder, request, startAnvil } from '@sluice/devnet'
import { createRpc, type Rpc } from '@sluice/rpc'
import { Interface } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Read, Reads } from '../src/family.ts'
import { lensOf } from '../src/lenses.ts'
import { runReads } from '../src/market/reads.ts'
import { compileModels } from './models/compile.ts'

const models = new Interface([
  'function spend(uint256 left) view returns (bool)',
  'function answer(uint256 depth, uint256 spent) view returns (bool)',
])
const sampleInterface = CallerFeeLens__factory.createInterface()
const TRUE = `0x${'1'.padStart(64, '0')}`
/** Gas that the greedy read leaves: from 400,000 to 3 million, each 6 % more than the one before. */
const GAS_LEFT = Array.from({ length: 36 }, (_, k) => BigInt(Math.round(400_000 * 1.06 ** k)))
const NESTED_CALLS = 8n

let anvil: Anvil
let rpc: Rpc
let greedy: Address
let nested: Address
let pool: Address

beforeAll(async () => {
  anvil = await startAnvil()
  rpc = createRpc({ chainId: Number(await request<Hex>(anvil.url, 'eth_chainId', [])), urls: [anvil.url] })
  const builder = createBuilder(anvil.url, toAddress(accounts()[0]!.address))
  const { Greedy, Nested, ExpensivePool } = compileModels('Starvation.sol')
  greedy = (await builder.deploy(Greedy as never, [])).address
  nested = (await builder.deploy(Nested as never, [])).address
  pool = (await builder.deploy(ExpensivePool as never, [])).address
}, 120_000)
afterAll(async () => {
  rpc?.close()
  await anvil?.stop()
})

function* readsOf(reads: readonly Read[]): Reads<readonly (Hex | null)[]> {
  return yield reads
}

/** Runs a read behind one that leaves so much gas. Returns both results. */
async function runBehind(gasLeft: bigint, read: Read): Promise<readonly (Hex | null)[]> {
  const { hash } = await request<{ hash: Hex }>(anvil.url, 'eth_getBlockByNumber', ['latest', false])
  const data = models.encodeFunctionData('spend', [gasLeft]) as Hex
  const [results] = await runReads(rpc, { blockHash: hash }, [readsOf([{ to: greedy, data }, read])])
  return results!
}

test('a pool behind it is sampled at all amounts', async () => {
  const amounts = [1n, 2n, 4n, 8n]
  const trials = { amounts0: amounts, amounts1: amounts, gasEach: 600_000, gasAll: 2_500_000 }
  const data = sampleInterface.encodeFunctionData('sample', [{ pool, trials }]) as Hex
  for (const gasLeft of GAS_LEFT) {
    const [first, second] = await runBehind(gasLeft, { ...lensOf('CallerFeeLens'), data })
    expect(first).toBe(TRUE)
    const [outputs0, outputs1] = sampleInterface.decodeFunctionResult('sample', second!)
    expect([gasLeft, ...outputs0, ...outputs1]).toEqual([gasLeft, ...amounts, ...amounts])
  }
}, 120_000)

test('a contract behind it answers through nested calls', async () => {
  const data = models.encodeFunctionData('answer', [NESTED_CALLS, 1_000_000n]) as Hex
  for (const gasLeft of GAS_LEFT)
    expect([gasLeft, ...(await runBehind(gasLeft, { to: nested, data }))]).toEqual([gasLeft, TRUE, TRUE])
}, 120_000)
