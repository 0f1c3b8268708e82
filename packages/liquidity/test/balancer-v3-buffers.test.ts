/** Buffers of shares in the genuine vault of Balancer V3: wrapped and unwrapped by the Executor, alone and around a pool in one unlock. */
import { SwapTrial__factory } from '@sluice/bindings'
import type { Address, Hex } from '@sluice/chains'
import { encodeProgram, joinSteps, tradesOf } from '@sluice/program'
import { keccak256 } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { VaultBuffer } from '../src/dexes/balancer-v3/buffer.ts'
import { isBuffer } from '../src/dexes/balancer-v3/buffers.ts'
import { convert } from '../src/dexes/erc4626/math.ts'
import { familyOf, type Pool } from '../src/index.ts'
import { fuzz, stir } from './fuzz/trials.ts'
import { startLocal, type World } from './fuzz/world.ts'

const QUOTES = process.env.LONG ? 20_000 : 200

let world: World
beforeAll(async () => {
  world = await startLocal()
}, 300_000)
afterAll(() => world?.stop())

const ofVault = () => world.pools().filter(({ family }) => family === 'balancer-v3')
const buffers = () => ofVault().filter(isBuffer)
const bufferOf = (share: Address) => buffers().find(({ tokens }) => tokens[1] === share)!

test('are found by their shares, and their steps name the same pools', () => {
  expect(buffers()).toHaveLength(2)
  for (const pool of buffers()) {
    const [asset, share] = pool.tokens as [Address, Address]
    expect(pool.id).toMatch(new RegExp(`^${share}[0-9a-f]{24}$`))
    for (const [tokenIn, tokenOut] of [
      [asset, share],
      [share, asset],
    ] as const) {
      const step = familyOf(pool.family)!.step(pool, tokenIn, tokenOut, { kind: 'rest' }, { kind: 'recipient' })
      expect(tradesOf(step, (data) => keccak256(data) as Hex)).toEqual([{ pool: pool.id, tokenIn, tokenOut }])
    }
  }
})

test('pay the quoted amount, from below the minimum to above their balances', async () => {
  const some = { ...world, pools: buffers }
  for (const seed of [5, 6]) {
    const { exact, refused, mismatches } = await fuzz(some, 'balancer-v3', QUOTES / 2, seed)
    expect(mismatches).toEqual([])
    expect(exact).toBeGreaterThan(QUOTES / 8)
    expect(refused).toBeGreaterThan(0)
    // From then on they hold other amounts, and shares are worth more.
    await stir(some, seed)
  }
})

test('have the predicted balances afterwards, also if the vault had to deposit or redeem', async () => {
  const trial = SwapTrial__factory.createInterface()
  for (const { tokens, id } of buffers()) {
    const [asset, share] = tokens as [Address, Address]
    for (const [wrap, part] of [
      [true, 3n],
      [true, -2n],
      [false, 3n],
      [false, -2n],
      [true, -3n],
    ] as const) {
      const pool = buffers().find((buffer) => buffer.id === id)!
      const { underlying, wrapped, vault: of } = pool.state as VaultBuffer
      // A part of what is in the buffer, or several times of it, in the token sold.
      const bufferBalance = convert(of, !wrap, wrap ? wrapped : underlying)
      const amountIn = part > 0n ? bufferBalance / part : bufferBalance * -part
      const [tokenIn, tokenOut] = wrap ? [asset, share] : [share, asset]
      const output = { kind: 'address', address: world.trader } as const
      const family = familyOf(pool.family)!
      const program = encodeProgram([family.step(pool, tokenIn, tokenOut, { kind: 'rest' }, output)])
      const data = trial.encodeFunctionData('swap', [world.executor, { tokenIn, amountIn, tokenOut, program }])
      const quote = family.quoteExactInput(pool, tokenIn, tokenOut, amountIn)
      const { status } = await world.request<{ status: Hex }>('eth_sendTransactionSync', [
        { from: world.trader, to: world.trader, data, gas: '0x1312d00' },
      ])
      expect(status).toBe('0x1')
      await world.sync()
      const { vault: ours, ...rest } = quote.state as VaultBuffer
      const { vault, ...is } = buffers().find((buffer) => buffer.id === id)!.state as VaultBuffer
      expect({ ...is, totalAssets: vault.totalAssets, totalSupply: vault.totalSupply }).toEqual({
        ...rest,
        totalAssets: ours.totalAssets,
        totalSupply: ours.totalSupply,
      })
    }
  }
})

test('an asset is wrapped and its share swapped in a single unlock, and back', async () => {
  const isShare = (token: Address) => buffers().some(({ tokens }) => tokens[1] === token)
  // Of a share and a token that is not its asset.
  const pool = ofVault().find(
    (buffer) =>
      !isBuffer(buffer) &&
      buffer.tokens.length === 2 &&
      buffer.tokens.some((token) => isShare(token) && !buffer.tokens.includes(bufferOf(token).tokens[0]!)),
  )!
  const share = pool.tokens.find(isShare)!
  const other = pool.tokens.find((token) => token !== share)!
  const buffer = bufferOf(share)
  const way: readonly (readonly [Pool, Address, Address])[] = [
    [buffer, buffer.tokens[0]!, share],
    [pool, share, other],
  ]
  const back = way.toReversed().map(([hop, tokenIn, tokenOut]) => [hop, tokenOut, tokenIn] as const)
  for (const hops of [way, back]) {
    const [[first, tokenIn], [, , tokenOut]] = [hops[0]!, hops[1]!]
    const amountIn = familyOf(first.family)!.reserves(first)[first.tokens.indexOf(tokenIn)]! / 1_000n
    const expected = hops.reduce(
      (amount, [hop, sold, bought]) => familyOf(hop.family)!.quoteExactInput(hop, sold, bought, amount).amountOut,
      amountIn,
    )
    const outputs = [{ kind: 'executor' }, { kind: 'address', address: world.trader }] as const
    const steps = hops.map(([hop, sold, bought], k) =>
      familyOf(hop.family)!.step(hop, sold, bought, { kind: 'rest' }, outputs[k]!),
    )
    const joined = joinSteps(steps[0]!, steps[1]!)!
    expect(joined).toMatchObject({ op: 'balancer-v3', hops: [{}, {}] })
    const order = { tokenIn, amountIn, tokenOut, program: encodeProgram([joined]) }
    const trial = SwapTrial__factory.createInterface()
    const data = trial.encodeFunctionData('run', [world.executor, [[order]]]) as Hex
    const answer = await world.rpc.call(
      { from: world.trader, to: world.trader, data, gas: 100_000_000n },
      { blockHash: world.blockHash() },
      { timeoutMs: 30_000 },
    )
    const [[[outcome]]] = trial.decodeFunctionResult('run', answer) as unknown as [
      [[{ ok: boolean; amountOut: bigint }]],
    ]
    expect({ ok: outcome.ok, amountOut: outcome.amountOut }).toEqual({ ok: true, amountOut: expected })
  }
})
