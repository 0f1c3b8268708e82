/** Tests which pools of known factories are simulated, and which output counts, with a wallet in memory. */
import { decodeProgram } from '@sluice/program'
import { expect, test } from 'vitest'
import { at } from '../test/routes.ts'
import { decodeSwap } from './abi.ts'
import type { PoolFactory, SwapContracts } from './contracts.ts'
import type { GuardOrder } from './order.ts'
import { bestKnownPoolOutput } from './pool-floor.ts'
import { poolsOfFactory } from './proof.ts'
import type { Hex, Transaction } from './types.ts'
import type { Wallet } from './wallet.ts'

const [A, B, W, GUARD, ZERO] = [at('a1'), at('b2'), at('e5'), at('66'), at('00')] as [Hex, Hex, Hex, Hex, Hex]
const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`
const hashOf = (byte: string) => `0x${byte.repeat(32)}`
const v2: PoolFactory = { kind: 'uniswap-v2', deployer: at('d1'), initCodeHash: hashOf('11'), feePpm: 3_000 }
const v3: PoolFactory = { kind: 'uniswap-v3', deployer: at('d2'), initCodeHash: hashOf('22') }
const order: GuardOrder = {
  ...{ tokenIn: A, amountIn: 1_000_000n, tokenOut: B, minOutput: 9n, deadline: 5n, executor: at('77') as Hex },
  ...{ wrapper: ZERO, feePpm: 2_500n, feeRecipient: at('fe') as Hex, direct: false, program: '0x' },
}
const poolsOf = (factory: PoolFactory, tokenIn: Hex, tokenOut: Hex) => poolsOfFactory(factory, { tokenIn, tokenOut })

/** A wallet with balances of pools by token, and outputs of programs by the pools in them. */
function world(balances: Readonly<Record<string, bigint>>, outputOf: (pools: readonly string[]) => bigint | Error) {
  const programs: (readonly string[])[] = []
  const swaps: { order: ReturnType<typeof decodeSwap>; value: bigint | undefined }[] = []
  const wallet = {
    address: at('55'),
    call: async (to: string, data: Hex, value?: bigint) => {
      if (to !== GUARD) {
        const balance = balances[`${to} 0x${data.slice(-40)}`]
        if (balance === undefined) throw new Error('no pool')
        return word(balance)
      }
      const decoded = decodeSwap(data, value ?? 0n)
      const pools = decodeProgram(decoded.program, decoded.tokenIn).map(
        (step) => (step as unknown as { pool: string }).pool,
      )
      programs.push(pools)
      swaps.push({ order: decoded, value })
      const output = outputOf(pools)
      if (output instanceof Error) throw output
      return word(output)
    },
  } as unknown as Wallet
  return { wallet, programs, swaps }
}
const tx = { from: at('55'), to: GUARD, data: '0x', value: '0', chainId: 1 } as unknown as Transaction
const contracts = (factories: readonly PoolFactory[], wrapper?: string) =>
  ({ factories, wrapper }) as unknown as SwapContracts

test('wrapping and unwrapping convert one to one, less the fee', async () => {
  const { wallet, programs } = world({}, () => 1n)
  const wrapping = { ...order, tokenIn: ZERO, tokenOut: W }
  expect(await bestKnownPoolOutput(wallet, { ...tx, value: '1000000' } as never, wrapping, contracts([], W))).toBe(
    997_500n,
  )
  const unwrapping = { ...order, tokenIn: W, tokenOut: ZERO }
  expect(await bestKnownPoolOutput(wallet, tx, unwrapping, contracts([], W.toUpperCase().replace('X', 'x')))).toBe(
    997_500n,
  )
  // Without a wrapper there is nothing to compare with.
  expect(await bestKnownPoolOutput(wallet, tx, unwrapping, contracts([]))).toBeUndefined()
  expect(programs).toEqual([])
})

const [pair] = poolsOf(v2, A, B) as [Hex]
const tiers = poolsOf(v3, A, B)
const balancesOf = (token: Hex, entries: readonly (readonly [Hex, bigint])[]) =>
  Object.fromEntries(entries.map(([pool, balance]) => [`${token} ${pool}`, balance]))

test('the four pools with most of the output are simulated alone, and the best output counts', async () => {
  const entries = tiers.slice(0, 6).map((pool, k) => [pool, BigInt(10 + k)] as const)
  const { wallet, programs, swaps } = world(balancesOf(B, [...entries, [tiers[6]!, 0n]]), ([pool]) =>
    BigInt(100 - tiers.indexOf(pool as Hex)),
  )
  expect(await bestKnownPoolOutput(wallet, tx, order, contracts([v3]))).toBe(98n)
  expect(programs).toEqual([5, 4, 3, 2].map((k) => [tiers[k]]))
  const [{ order: sent, value }] = swaps as [(typeof swaps)[0]]
  expect(sent).toMatchObject({
    tokenIn: A,
    tokenOut: B,
    amountIn: 1_000_000n,
    minOutput: 1n,
    executor: order.executor,
    deadline: 5n,
    feePpm: 2_500n,
  })
  expect(value).toBe(0n)
})

test('pairs need a known fee, and factories of other kinds have no pools', async () => {
  const { wallet, programs } = world(balancesOf(B, [[pair, 5n]]), () => 7n)
  expect(await bestKnownPoolOutput(wallet, tx, order, contracts([v2]))).toBe(7n)
  expect(programs).toEqual([[pair]])
  const { feePpm: _, ...unknownFee } = v2
  expect(await bestKnownPoolOutput(wallet, tx, order, contracts([unknownFee]))).toBeUndefined()
  expect(await bestKnownPoolOutput(wallet, tx, order, contracts([{ ...v2, kind: 'other' as never }]))).toBeUndefined()
  expect(programs).toHaveLength(1)
})

test('paths of two pools lead through the wrapper, unless it is an end', async () => {
  const [first, second] = [poolsOf(v3, A, W), poolsOf(v3, W, B)]
  const balances = {
    ...balancesOf(
      W,
      first.slice(0, 3).map((pool, k) => [pool, BigInt(1 + k)]),
    ),
    ...balancesOf(
      B,
      second.slice(0, 3).map((pool, k) => [pool, BigInt(9 - k)]),
    ),
  }
  const { wallet, programs, swaps } = world(balances, () => 3n)
  expect(await bestKnownPoolOutput(wallet, tx, order, contracts([v3], W))).toBe(3n)
  expect(programs).toEqual([2, 1].flatMap((a) => [0, 1].map((b) => [first[a], second[b]])))
  expect(decodeProgram(swaps[0]!.order.program, A)).toEqual([
    {
      ...{ op: 'uniswap-v3', pool: first[2], tokenIn: A, zeroForOne: true },
      ...{ input: { kind: 'pullAll' }, output: { kind: 'executor' } },
    },
    {
      ...{ op: 'uniswap-v3', pool: second[0], tokenIn: W, zeroForOne: false },
      ...{ input: { kind: 'rest' }, output: { kind: 'recipient' } },
    },
  ])
  const fromWrapper = world(balancesOf(B, [[second[0]!, 1n]]), () => 4n)
  expect(await bestKnownPoolOutput(fromWrapper.wallet, tx, { ...order, tokenIn: W }, contracts([v3], W))).toBe(4n)
  expect(fromWrapper.programs).toEqual([[second[0]]])
  const native = world(balancesOf(B, [[second[0]!, 1n]]), () => 4n)
  const value = { ...tx, value: '1000000' } as unknown as Transaction
  expect(await bestKnownPoolOutput(native.wallet, value, { ...order, tokenIn: ZERO }, contracts([v3], W))).toBe(4n)
  expect(native.swaps[0]).toMatchObject({ value: 1_000_000n })
})

test('a pool that fails counts as nothing, and nothing at all is no comparison', async () => {
  const balances = balancesOf(B, [
    [tiers[0]!, 2n],
    [tiers[1]!, 1n],
  ])
  const { wallet } = world(balances, ([pool]) => (pool === tiers[0] ? new Error('reverted') : 6n))
  expect(await bestKnownPoolOutput(wallet, tx, order, contracts([v3]))).toBe(6n)
  expect(
    await bestKnownPoolOutput(world(balances, () => new Error('no')).wallet, tx, order, contracts([v3])),
  ).toBeUndefined()
  expect(await bestKnownPoolOutput(world(balances, () => 0n).wallet, tx, order, contracts([v3]))).toBeUndefined()
})

test('native output is unwrapped by the Guard, or paid as it is in direct mode', async () => {
  const [pool] = poolsOf(v3, A, W)
  const balances = balancesOf(W, [[pool!, 1n]])
  const toNative = { ...order, tokenOut: ZERO }
  const { wallet, swaps } = world(balances, () => 6n)
  expect(await bestKnownPoolOutput(wallet, tx, toNative, contracts([v3], W))).toBe(6n)
  expect(swaps[0]!.order).toMatchObject({ tokenOut: ZERO, wrapper: W, recipient: tx.from, direct: false })
  const recipient = at('56') as Hex
  await bestKnownPoolOutput(wallet, tx, { ...toNative, direct: true, recipient }, contracts([v3], W))
  expect(swaps[1]!.order).toMatchObject({ tokenOut: ZERO, wrapper: ZERO, recipient, direct: true })
})

test('at most 64 pools of two tokens are looked at, those of the first factories', async () => {
  // Each factory has a pool for each of 8 fee tiers.
  const factories = Array.from({ length: 9 }, (_, k) => ({ ...v3, deployer: at(`d${k}`) }))
  const [eighth, ninth] = [poolsOf(factories[7]!, A, B), poolsOf(factories[8]!, A, B)]
  expect(eighth).toHaveLength(8)
  const { wallet, programs } = world(
    balancesOf(B, [
      [eighth[7]!, 1n],
      [ninth[0]!, 5n],
    ]),
    () => 6n,
  )
  expect(await bestKnownPoolOutput(wallet, tx, order, contracts(factories))).toBe(6n)
  expect(programs).toEqual([[eighth[7]]])
})

test('an answer about a balance that is no word counts as none', async () => {
  const { wallet } = world({}, () => 6n)
  const call = async (to: string) => (to === GUARD ? word(6n) : '0x07')
  expect(await bestKnownPoolOutput({ ...wallet, call } as never, tx, order, contracts([v3]))).toBeUndefined()
})
