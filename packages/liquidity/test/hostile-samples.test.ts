/** Pools that break the rules of the lenses of sampled families have no samples. */
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import { type Anvil, accounts, createBuilder, request, startAnvil } from '@sluice/devnet'
import { createRpc, type Rpc } from '@sluice/rpc'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SampledState } from '../src/dexes/common/sampled-state.ts'
import { familyOf, type Pool } from '../src/index.ts'
import { runReads } from '../src/market/reads.ts'
import { compileModels } from './models/compile.ts'

/** Balance of each pool in its tokens, as in the model. */
const BALANCE = 1n << 100n
/** Modes of the model, by the misconduct of a pool. */
const MODES = {
  honest: 0,
  half: 1,
  nothing: 2,
  'negative output': 3,
  'one word': 4,
  'burnt gas': 5,
  'other token': 6,
  'nested call': 7,
} as const
type ModeName = keyof typeof MODES

let anvil: Anvil
let rpc: Rpc
let tokens: readonly [Address, Address]
const pools = new Map<ModeName, Address>()
const at = async () => {
  const head = await request<{ hash: Hex }>(anvil.url, 'eth_getBlockByNumber', ['latest', false])
  return { blockHash: head.hash }
}

beforeAll(async () => {
  anvil = await startAnvil()
  rpc = createRpc({ chainId: Number(await request<Hex>(anvil.url, 'eth_chainId', [])), urls: [anvil.url] })
  const builder = createBuilder(anvil.url, toAddress(accounts()[0]!.address))
  const { DecimalCoin, HostilePool } = compileModels('Callers.sol')
  const coins = [await builder.deploy(DecimalCoin as never, [18]), await builder.deploy(DecimalCoin as never, [6])]
  coins.sort((a, b) => (a.address < b.address ? -1 : 1))
  tokens = [coins[0]!.address, coins[1]!.address]
  for (const [name, mode] of Object.entries(MODES)) {
    const { address } = await builder.deploy(HostilePool as never, [...tokens, mode])
    for (const coin of coins) await coin.send('mint', [address, BALANCE])
    pools.set(name as ModeName, address)
  }
}, 120_000)
afterAll(async () => {
  rpc?.close()
  await anvil?.stop()
})

async function sample(familyId: string, name: ModeName): Promise<SampledState | null> {
  const { readFixed, readStates } = familyOf(familyId)!
  const address = pools.get(name)!
  const row: DexRow = { family: familyId, brand: 'test', role: 'factory', address }
  const bare: Pool<null> = { id: address, family: familyId, dex: 'test', address, tokens, state: null }
  const [fixedPools] = readFixed ? await runReads(rpc, await at(), [readFixed(row, [bare], 0)]) : [[bare]]
  const [states] = await runReads(rpc, await at(), [readStates(row, [fixedPools![0]!])])
  return states![0] as SampledState | null
}

test.each(['caller-fee-v3', 'syncswap-aqua', 'maverick-v2'])(
  'an honest pool of %s has samples in both directions',
  async (family) => {
    const state = (await sample(family, 'honest'))!
    for (const samples of state.samples) {
      expect(samples.length).toBeGreaterThan(8)
      for (const [amountIn, amountOut] of samples) expect(amountOut).toBe(amountIn)
    }
  },
)

test.each(['half', 'nothing', 'negative output', 'one word', 'burnt gas', 'other token', 'nested call'] as const)(
  'a pool of caller-fee-v3 with %s has no samples',
  async (name) => expect(await sample('caller-fee-v3', name)).toBeNull(),
)

test.each(['nothing', 'one word', 'burnt gas', 'nested call'] as const)(
  'a pool of syncswap-aqua with %s has no samples',
  async (name) => expect(await sample('syncswap-aqua', name)).toBeNull(),
)

test('samples of syncswap-aqua count the tokens that arrive', async () => {
  const { samples } = (await sample('syncswap-aqua', 'half'))!
  for (const [amountIn, amountOut] of samples.flat()) expect(amountOut).toBe(amountIn / 2n)
})

test('a pool of syncswap-aqua whose token keeps balances in unusual storage waits', async () => {
  const family = familyOf('syncswap-aqua')!
  const address = pools.get('honest')!
  const row: DexRow = { family: family.id, brand: 'test', role: 'factory', address }
  // The pool itself is no token.
  const pool: Pool<null> = {
    ...{ id: address, family: family.id, dex: 'test', address },
    ...{ tokens: [tokens[0], address], state: null },
  }
  expect(await runReads(rpc, await at(), [family.readFixed!(row, [pool], 0)])).toEqual([[null]])
})

test.each(['half', 'nothing', 'one word', 'burnt gas', 'nested call'] as const)(
  'a pool of maverick-v2 with %s has no samples',
  async (name) => expect(await sample('maverick-v2', name)).toBeNull(),
)
