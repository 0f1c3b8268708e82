/** Tests that routes through every family on the local chain are proven, and that changed bytes are refused. */
import { decodeGuardSwap, encodeGuardSwap, type GuardSwap } from '@sluice/bindings/guard'
import { decodeProgram, encodeProgram, type Step } from '@sluice/program'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ClientError, explain, NATIVE, type Route, type SwapParameters, verify } from '../src/index.ts'
import { CHAIN, type Stage, startStage } from './service.ts'

const untrusted = `0x${'57'.repeat(20)}` as const
const untrustedId = `0x${'57'.repeat(32)}` as const
let stage: Stage
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage?.stop())

/** Replaces each pool of a step by an unknown address or id. */
function withOtherPool(step: Step): Step {
  switch (step.op) {
    case 'wrap':
      return { ...step, wrapped: untrusted }
    case 'unwrap':
      return { ...step, tokenIn: untrusted, input: { kind: 'rest' } }
    case 'uniswap-v4':
      return { ...step, hops: step.hops.map((hop) => ({ ...hop, fee: hop.fee + 1 })) }
    case 'balancer-v2':
      return { ...step, hops: step.hops.map((hop) => ({ ...hop, poolId: untrustedId })) }
    case 'pancake-infinity':
      return { ...step, hops: step.hops.map((hop) => ({ ...hop, fee: hop.fee + 1 })) }
    case 'ekubo':
      return { ...step, hops: step.hops.map((hop) => ({ ...hop, config: untrustedId })) }
    case 'ambient':
      return { ...step, poolIdx: step.poolIdx + 1 }
    case 'balancer-v3':
      return { ...step, hops: step.hops.map((hop) => ({ ...hop, pool: untrusted })) }
    case 'erc4626':
      return step.deposit ? { ...step, tokenOut: untrusted } : { ...step, tokenIn: untrusted, input: { kind: 'rest' } }
    case 'rate-wrapper':
      return step.wrap ? { ...step, tokenOut: untrusted } : { ...step, tokenIn: untrusted, input: { kind: 'rest' } }
    default:
      return { ...step, pool: untrusted }
  }
}

function tampered(
  route: Route,
  order: (of: GuardSwap) => Partial<GuardSwap>,
  steps: (of: readonly Step[]) => readonly Step[],
): Route {
  const was = decodeGuardSwap(route.tx.data, BigInt(route.tx.value))
  const program = encodeProgram(steps(decodeProgram(was.program, was.tokenIn as `0x${string}`)))
  const data = encodeGuardSwap({ ...was, ...order(was), program })
  return { ...route, tx: { ...route.tx, data } }
}

const same = <T>(value: T) => value
const lies: Record<string, (route: Route) => Route> = {
  'another pool': (route) => tampered(route, same, (steps) => [...steps.slice(0, -1), withOtherPool(steps.at(-1)!)]),
  'a lower minimum output': (route) => tampered(route, ({ minOutput }) => ({ minOutput: minOutput / 2n }), same),
  'a fee': (route) => tampered(route, () => ({ recipient: route.tx.from, feePpm: 1n, feeRecipient: untrusted }), same),
  'another fee recipient': (route) =>
    tampered(route, () => ({ recipient: route.tx.from, feePpm: 10_000n, feeRecipient: untrusted }), same),
  'another input token': (route) => tampered(route, () => ({ tokenIn: untrusted, value: 0n }), same),
  'another output token': (route) => tampered(route, () => ({ tokenOut: untrusted }), same),
  'another recipient': (route) => ({ ...route, tx: { ...route.tx, from: untrusted } }),
  'a step that pays a stranger': (route) =>
    tampered(route, same, ([first, ...rest]) => [
      { ...first!, output: { kind: 'address', address: untrusted } },
      ...rest,
    ]),
}

const decimalsOf = (symbol: string) => BigInt(symbol === 'ETH' ? 18 : stage.devnet.info.tokens[symbol]!.decimals)

test('through every family of the local chain', async () => {
  const { pools, accounts } = stage.devnet.info
  const from = accounts[0]!.address
  const met = new Map<string, number>()
  for (const family of new Set(pools.map((pool) => pool.family))) {
    for (const pool of pools.filter((pool) => pool.family === family).slice(0, 3)) {
      const [src = '', dst = ''] = stage.tokensOf(pool)
      const request: SwapParameters = {
        src,
        dst,
        from,
        amount: 10n ** decimalsOf(pool.tokens[0]!),
        includeSources: [family],
        maxPriceImpact: 100,
      }
      const route = await stage.client.getSwap(CHAIN, request).catch((error: unknown) => {
        // Some pools hold too little for this amount. The count below ensures that other pools have routes.
        if (error instanceof ClientError && error.code === 'NO_ROUTE') return undefined
        throw error
      })
      if (!route) continue
      const { pools: named } = verify(CHAIN, route, request, stage)
      expect(named.length).toBeGreaterThan(0)
      expect(explain(route.tx).pools).toEqual(named)
      for (const { protocol } of route.swaps) met.set(protocol!, (met.get(protocol!) ?? 0) + 1)
      for (const [lie, change] of Object.entries(lies)) {
        const changed = change(route)
        expect(() => verify(CHAIN, changed, request, stage), `${family}: ${lie}`).toThrow(
          expect.objectContaining({ code: 'UNSAFE' }),
        )
      }
    }
  }
  const missed = [...new Set(pools.map((pool) => pool.family))].filter((family) => !met.has(family))
  expect(missed).toEqual([])
})

test('with wrapping, unwrapping, native tokens at both ends, and a fee', async () => {
  const from = stage.devnet.info.accounts[0]!.address
  const [weth, usdc] = [stage.token('WETH'), stage.token('USDC')]
  const fee = { convenienceFee: 1, convenienceFeeRecipient: stage.devnet.info.accounts[1]!.address }
  const swaps = [
    { src: NATIVE, dst: usdc },
    { src: usdc, dst: NATIVE },
    { src: NATIVE, dst: weth },
    { src: weth, dst: NATIVE },
    { src: weth, dst: usdc, ...fee },
  ]
  for (const swap of swaps) {
    const request: SwapParameters = { ...swap, from, amount: swap.src === usdc ? 10n ** 9n : 50n * 10n ** 18n }
    const route = await stage.client.getSwap(CHAIN, request)
    verify(CHAIN, route, request, stage)
    for (const [lie, change] of Object.entries(lies))
      expect(() => verify(CHAIN, change(route), request, stage), `${swap.src} to ${swap.dst}: ${lie}`).toThrow(
        expect.objectContaining({ code: 'UNSAFE' }),
      )
  }
})
