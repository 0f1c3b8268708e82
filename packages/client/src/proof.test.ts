/** Tests which contracts of a swap are proven, by steps of singletons and wrappers, without a node. */
import type { Step } from '@sluice/program'
import { AbiCoder, getCreate2Address, keccak256, solidityPacked } from 'ethers'
import { describe, expect, test } from 'vitest'
import * as h from '../test/routes.ts'
import { poolsOf } from './explain.ts'
import { explain, NATIVE, type SwapTerms, unknownPools, verify } from './index.ts'
import { poolsOfFactory } from './proof.ts'

const { WETH, USDC, ZERO, leg, rest, toRecipient } = h
const manager = h.contracts.managers[0] as h.Honest['request']['src'] as `0x${string}`
const proved = ({ request, route }: h.Honest, terms?: SwapTerms) => verify(h.CHAIN, route, request, terms)

/** Native input through one pool of Uniswap V4. */
const v4 = (hooks: `0x${string}` = ZERO, at = manager) => {
  const step: Step = {
    ...{ op: 'uniswap-v4', manager: at, tokenIn: ZERO, input: rest, output: toRecipient },
    hops: [{ tokenOut: USDC, fee: 500, tickSpacing: 10, hooks }],
  }
  const [pool = ''] = poolsOf(step)
  return {
    pool,
    ...h.honestRoute([step], [leg(pool, NATIVE, USDC)], { tokenIn: ZERO, value: 1_000_000n }, { src: NATIVE }),
  }
}

describe('a pool of a singleton', () => {
  test('is proven by the singleton and its key', () => {
    const { pool, ...honest } = v4()
    expect(pool).toMatch(/^0x[0-9a-f]{64}$/)
    expect(proved(honest)).toMatchObject({ pools: [pool], unproven: [], singletons: [manager], wrapper: null })
    // Everybody can compute this id: keccak256 of the pool key of ETH and USDC at 0.05 %.
    expect(pool).toBe('0x21c67e77068de97969ba93d4aab21826d33ca12bb9f565d8496e8fda8a82ca27')
  })

  test('is refused if the route does not name it', () => {
    const { pool: _, ...honest } = v4()
    for (const swaps of [[], [leg(h.POOL, NATIVE, USDC)]])
      expect(() => proved(h.responding(honest, { swaps }), { knownPools: false })).toThrow('the pools')
  })

  test('of another manager is refused, also if the caller accepts everything', () => {
    const { pool: _, ...honest } = v4(ZERO, h.untrusted)
    for (const terms of [{}, { knownPools: false }, { accept: [h.untrusted, 'uniswap-v4.manager'] }])
      expect(() => proved(honest, terms)).toThrow(`the manager ${h.untrusted} is not known`)
  })

  test('with hooks is unproven, and accepted by its id or by the address of the hooks', () => {
    const { pool, ...honest } = v4(h.untrusted)
    expect(() => proved(honest)).toThrow(`uniswap-v4.hooks ${h.untrusted}`)
    for (const name of [pool, h.untrusted, 'uniswap-v4.hooks'])
      expect(proved(honest, { accept: [name] }).unknownPools).toEqual([pool, h.untrusted])
    expect(() => proved(honest, { accept: [v4().pool] })).toThrow('uniswap-v4.hooks')
  })
})

test('a step that wraps into a contract other than the wrapper is refused, also if the caller accepts everything', () => {
  const step: Step = { op: 'wrap', tokenIn: ZERO, wrapped: h.untrusted, input: rest, output: toRecipient }
  const honest = h.honestRoute(
    [step],
    [leg(h.untrusted, NATIVE, h.untrusted)],
    { tokenIn: ZERO, value: 1_000_000n, tokenOut: h.untrusted },
    { src: NATIVE, dst: h.untrusted },
  )
  for (const terms of [{}, { knownPools: false }])
    expect(() => proved(honest, terms)).toThrow(`wrapper ${h.untrusted} is`)
})

test('a pool in a pool id is named twice, unless the id begins with its address', () => {
  const vault = h.contracts.vaultsV2[0] as `0x${string}`
  const poolId = `${h.untrusted}${'0'.repeat(24)}` as const
  const step: Step = {
    ...{ op: 'balancer-v2', vault, tokenIn: WETH, input: h.pullAll, output: toRecipient },
    hops: [{ poolId, tokenOut: USDC }],
  }
  const honest = h.honestRoute([step], [leg(poolId, WETH, USDC)])
  expect(() => proved(honest)).toThrow(`balancer-v2.poolId ${poolId}`)
  for (const name of [poolId, h.untrusted]) expect(proved(honest, { accept: [name] }).unknownPools).toEqual([poolId])
})

test('an accepted pool address accepts no other contract of the step, and a pool id no number', () => {
  const [pool, vault] = [h.at('61'), h.at('62')]
  const syncswap: Step = { op: 'syncswap', pool, vault, tokenIn: WETH, input: h.pullAll, output: toRecipient }
  const honest = h.honestRoute([syncswap], [leg(pool, WETH, USDC)])
  expect(() => proved(honest, { accept: [pool] })).toThrow(`syncswap.vault ${vault}`)
  expect(() => proved(honest, { accept: [vault] })).toThrow(`syncswap.pool ${pool}`)
  expect(proved(honest, { accept: [pool, vault] }).unknownPools).toEqual([pool, vault])
  const dex = h.contracts.ambientDexes[0] as `0x${string}`
  const ambient: Step = {
    ...{ op: 'ambient', dex, tokenIn: WETH, tokenOut: USDC, poolIdx: 420, limitBits: 1 },
    ...{ input: h.pullAll, output: toRecipient },
  }
  const [id = ''] = poolsOf(ambient)
  const inSingleton = h.honestRoute([ambient], [leg(id, WETH, USDC)])
  expect(() => proved(inSingleton, { accept: [id] })).toThrow('ambient.limitBits 1')
  expect(proved(inSingleton, { accept: ['ambient.limitBits'] }).unknownPools).toEqual([])
})

describe('a vault', () => {
  const step = (deposit: boolean, tokenIn: `0x${string}`, tokenOut: `0x${string}`): Step => ({
    ...{ op: 'erc4626', deposit, tokenIn, tokenOut, input: h.pullAll, output: toRecipient },
  })
  const through = (deposit: boolean, ...[tokenIn, tokenOut]: readonly [`0x${string}`, `0x${string}`]) =>
    h.honestRoute(
      [step(deposit, tokenIn, tokenOut)],
      [leg(deposit ? tokenOut : tokenIn, tokenIn, tokenOut)],
      { tokenIn, tokenOut },
      { src: tokenIn, dst: tokenOut },
    )

  test('is proven if its share is a token of the request', () => {
    expect(proved(through(true, WETH, h.untrusted)).unproven).toEqual([])
    expect(proved(through(false, h.untrusted, WETH)).unproven).toEqual([])
    // The share is a pool, so it is listed although it is an end of the swap.
    expect(explain(through(true, WETH, h.untrusted).route.tx).contracts).toEqual([h.untrusted])
    expect(explain(h.single.route.tx).contracts).toEqual([h.POOL])
  })

  test('is not among the unknown pools if its share is a token of the swap', () => {
    const unknownOf = ({ route }: h.Honest) => unknownPools(explain(route.tx), h.contracts)
    expect(unknownOf(through(true, WETH, h.untrusted))).toEqual([])
    expect(unknownOf(through(false, h.untrusted, WETH))).toEqual([])
  })

  test('is proven if only its share, not its asset, is a token of the request', () => {
    const share = h.contracts.managers[0] as `0x${string}`
    const honest = h.honestRoute(
      [
        { ...step(false, h.untrusted, USDC), output: h.toExecutor },
        { ...step(true, USDC, share), input: rest },
      ] as readonly Step[],
      [leg(h.untrusted, h.untrusted, USDC), leg(share, USDC, share)],
      { tokenIn: h.untrusted, tokenOut: share },
      { src: h.untrusted, dst: share },
    )
    expect(proved(honest).unproven).toEqual([])
  })

  test('is unproven in the middle of a route', () => {
    const honest = h.honestRoute(
      [
        { ...step(true, WETH, h.untrusted), output: h.toExecutor },
        { ...step(false, h.untrusted, WETH), input: rest },
      ] as readonly Step[],
      [leg(h.untrusted, WETH, h.untrusted), leg(h.untrusted, h.untrusted, WETH)],
      { tokenOut: WETH },
      { dst: WETH },
    )
    expect(() => proved(honest)).toThrow(`erc4626.tokenOut ${h.untrusted}, erc4626.tokenIn ${h.untrusted}`)
  })
})

test('explain reads native ends, the wrapper, the value and the fee from the bytes', () => {
  expect(explain(h.nativeIn.route.tx)).toMatchObject({ tokenIn: NATIVE, tokenOut: USDC, wrapper: WETH, fee: null })
  expect(explain(h.nativeOut.route.tx)).toMatchObject({ tokenIn: USDC, tokenOut: NATIVE, wrapper: WETH })
  expect(explain(h.single.route.tx)).toMatchObject({ tokenIn: WETH, wrapper: null, mode: 'custody', singletons: [] })
  expect(explain(h.withFee.route.tx).fee).toEqual({ ppm: 1_500n, recipient: h.at('66') })
  expect(explain(h.changed(h.single, { direct: true }).route.tx).mode).toBe('direct')
  const { tx } = h.single.route
  for (const value of ['0x0', '-1', '', '1.5', '1'.repeat(79)])
    expect(() => explain({ ...tx, value })).toThrow('the value is no number of wei')
  expect(() => explain({ ...tx, data: '0xffffffff' })).toThrow(expect.objectContaining({ code: 'UNSAFE' }))
  expect(() => explain(undefined as never)).toThrow('the transaction is malformed')
})

test('an account without a recipient in the calldata is the sender', () => {
  const { route } = h.changed(h.single, { recipient: undefined as never })
  expect(explain(route.tx).recipient).toBe(h.sender)
  expect(proved({ ...h.single, route }).recipient).toBe(h.sender)
  expect(() => proved({ route, request: { ...h.single.request, recipient: h.untrusted } })).toThrow('the recipient')
})

describe('pools of a factory', () => {
  const pair = { tokenIn: WETH, tokenOut: USDC }
  const [token0, token1] = [USDC, WETH]
  const computed = (kind: string, salt: string) => {
    const { deployer, initCodeHash } = h.contracts.factories.find((factory) => factory.kind === kind)!
    return getCreate2Address(deployer, salt, initCodeHash).toLowerCase()
  }
  const madeBy = (kind: string, tokens = pair) =>
    poolsOfFactory(h.contracts.factories.find((factory) => factory.kind === kind)!, tokens)

  test('have the CREATE2 addresses of every fee tier, for both directions', () => {
    const expected = [100, 200, 300, 400, 500, 2_500, 3_000, 10_000].map((fee) => {
      const key = AbiCoder.defaultAbiCoder().encode(['address', 'address', 'uint24'], [token0, token1, fee])
      return computed('uniswap-v3', keccak256(key))
    })
    expect(madeBy('uniswap-v3')).toEqual(expected)
    expect(madeBy('uniswap-v3', { tokenIn: USDC, tokenOut: WETH })).toEqual(expected)
  })

  test('of the kind of Uniswap V2 have one address', () => {
    const salt = keccak256(solidityPacked(['address', 'address'], [token0, token1]))
    expect(madeBy('uniswap-v2')).toEqual([computed('uniswap-v2', salt)])
  })

  test('are known on Ethereum at their deployed addresses', () => {
    const deployed = [
      '0xe0554a476a092703abdb3ef35c80e0d76d32939f',
      '0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640',
      '0x8ad599c3a0ff1de082011efddc58f1908eb6e6d8',
      '0x7bea39867e4169dbe237d55c8242a8f2fcdcc387',
    ]
    const addresses = h.contracts.factories.flatMap((factory) => poolsOfFactory(factory, pair))
    expect(addresses).toEqual(expect.arrayContaining([...deployed, h.PAIR]))
  })
})
