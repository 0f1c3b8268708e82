/** Tests the permits that the client signs and accepts, with a key in memory. */
import { decodeGuardSwap, encodeGuardSwap } from '@sluice/bindings/guard'
import { TypedDataEncoder, verifyTypedData, Wallet } from 'ethers'
import { describe, expect, test } from 'vitest'
import { approval, MemoryNode, serviceOf, text, word } from '../test/memory-node.ts'
import * as h from '../test/routes.ts'
import { decodeSwap } from './abi.ts'
import { selectors } from './calls.ts'
import {
  explain,
  type GuardPermit,
  type PermitOffer,
  type PermitOptions,
  SluiceClient,
  signPermit,
  swap,
  withPermit,
} from './index.ts'
import { encodePermitSwap } from './permit-abi.ts'
import { DAI_FIELDS, EIP2612_FIELDS, PERMIT2, PERMIT2_TYPES } from './permit-types.ts'
import { typehash, typesOf } from './typed-data.ts'

const signer = new Wallet(word(1))
const wanted = { token: h.USDC, spender: h.guard, amount: 1_000_000n }
const eip712 = { name: 'USD Coin', version: '2', chainId: 1, verifyingContract: h.USDC }
const permitTypes = (fields: string) => ({
  Permit: fields.split(',').map((field) => ({ type: field.split(' ')[0]!, name: field.split(' ')[1]! })),
})

/** Node with a token that has an EIP-2612 permit. */
function tokenNode(domain = eip712, owner: string = signer.address, key: Wallet | null = signer): MemoryNode {
  const node = new MemoryNode(owner, key ?? undefined)
  node.views.set(selectors.nonces, word(5))
  node.views.set(selectors.domainSeparator, TypedDataEncoder.hashDomain(domain) as `0x${string}`)
  node.views.set(selectors.name, text(domain.name))
  return node
}
/** Lets the owner approve Permit2 for an amount. */
function withPermit2(node: MemoryNode, approved: bigint): MemoryNode {
  node.allowance = approved
  node.views.set(selectors.permit2Allowance, `${word(0)}${word(0).slice(2)}${word(9).slice(2)}`)
  return node
}
const sign = (node: MemoryNode, deadline = 77n, options: PermitOptions = {}, amount = wanted.amount) =>
  signPermit(node.wallet, 1, { ...wanted, amount }, deadline, options)
const signed = (node: MemoryNode) => node.methods().includes('eth_signTypedData_v4')

describe('EIP-2612', () => {
  test('covers owner, spender, amount, nonce and deadline', async () => {
    const permit = await sign(tokenNode())
    expect(permit).toMatchObject({ kind: 'eip2612', amount: 1_000_000n, nonce: 0n, deadline: 77n })
    const message = { owner: signer.address, spender: h.guard, value: 1_000_000n, nonce: 5n, deadline: 77n }
    expect(verifyTypedData(eip712, permitTypes(EIP2612_FIELDS), message, permit!.signature)).toBe(signer.address)
  })

  test('finds the domain of a separator in any letter case', async () => {
    const node = tokenNode()
    const separator = TypedDataEncoder.hashDomain(eip712)
    node.views.set(selectors.domainSeparator, `0x${separator.slice(2).toUpperCase()}`)
    expect(await sign(node)).toMatchObject({ kind: 'eip2612' })
  })

  test.each(['1', '2', 'v7'])('finds version %s of the domain', async (version) => {
    const node = tokenNode({ ...eip712, version })
    node.views.set(selectors.version, text(version))
    expect(await sign(node)).toMatchObject({ kind: 'eip2612' })
    node.views.delete(selectors.version)
    expect((await sign(node)) !== undefined).toBe(version !== 'v7')
    // A reported version that is not that of the domain is not the only one tried.
    node.views.set(selectors.version, text('9'))
    expect((await sign(node)) !== undefined).toBe(version !== 'v7')
  })

  test.each([
    [
      'another chain',
      (node: MemoryNode) => {
        const domain = { ...eip712, chainId: 10 }
        node.views.set(selectors.domainSeparator, TypedDataEncoder.hashDomain(domain) as `0x${string}`)
      },
    ],
    ['another name', (node: MemoryNode) => node.views.set(selectors.name, text('USD Coin (PoS)'))],
    ['no name', (node: MemoryNode) => node.views.delete(selectors.name)],
    [
      'a name that is cut off',
      (node: MemoryNode) => node.views.set(selectors.name, text('USD Coin').slice(0, 140) as `0x${string}`),
    ],
    [
      'a name of another offset',
      (node: MemoryNode) => node.views.set(selectors.name, `${word(64)}${text('USD Coin').slice(66)}`),
    ],
    ['no nonce', (node: MemoryNode) => node.views.delete(selectors.nonces)],
    ['a nonce of two words', (node: MemoryNode) => node.views.set(selectors.nonces, `${word(5)}00`)],
    ['no domain separator', (node: MemoryNode) => node.views.delete(selectors.domainSeparator)],
    [
      'another type of permit',
      (node: MemoryNode) => node.views.set(selectors.permitTypehash, typehash('Permit(address owner)')),
    ],
  ] as const)('is not signed for a token with %s', async (_, change) => {
    const node = tokenNode()
    change(node)
    expect([await sign(node), signed(node)]).toEqual([undefined, false])
  })

  test('is not signed by an account with code, except a delegated one', async () => {
    for (const [code, kind] of [
      ['0x6001', undefined],
      [`0xef0100${'12'.repeat(20)}`, 'eip2612'],
      [`0xef0100${'12'.repeat(21)}`, undefined],
      ['0x', 'eip2612'],
    ] as const) {
      const node = tokenNode()
      node.answers.set('eth_getCode', () => code)
      expect((await sign(node))?.kind, code).toBe(kind)
    }
  })

  test('a signature with v of 0 or 1 becomes 27 or 28; others are not accepted', async () => {
    const body = 'ab'.repeat(64)
    for (const [v, expected] of [
      ['00', '1b'],
      ['01', '1c'],
      ['1b', '1b'],
      ['1c', '1c'],
    ] as const) {
      const node = tokenNode()
      node.answers.set('eth_signTypedData_v4', () => `0x${body}${v}`)
      expect((await sign(node))!.signature).toBe(`0x${body}${expected}`)
    }
    for (const answer of [`0x${body}`, `0x${body}1b00`, '0x', `0x${'zz'.repeat(65)}`, null, 7]) {
      const node = tokenNode()
      node.answers.set('eth_signTypedData_v4', () => answer)
      expect(await sign(node)).toBeUndefined()
    }
  })

  test("the owner's refusal is REJECTED; a wallet that cannot sign gives no permit", async () => {
    const node = tokenNode()
    node.answers.set('eth_signTypedData_v4', () => {
      throw Object.assign(new Error('no'), { code: 4001 })
    })
    await expect(sign(node)).rejects.toMatchObject({ code: 'REJECTED' })
    expect(await sign(tokenNode(eip712, signer.address, null))).toBeUndefined()
  })

  test('onSign is called once, before the wallet is asked', async () => {
    const node = tokenNode()
    const calls: boolean[] = []
    await sign(node, 77n, { onSign: () => void calls.push(signed(node)) })
    expect(calls).toEqual([false])
  })
})

describe('Permit2', () => {
  const domain = { name: 'Permit2', chainId: 1, verifyingContract: PERMIT2 }
  const { EIP712Domain: _, ...types } = typesOf(false, PERMIT2_TYPES)

  test('covers token, spender, amount, nonce and both times, if the owner approved it', async () => {
    const permit = await sign(withPermit2(new MemoryNode(signer.address, signer), 1_000_000n))
    expect(permit).toMatchObject({ kind: 'permit2', amount: 1_000_000n, nonce: 9n, deadline: 77n })
    const details = { token: h.USDC, amount: 1_000_000n, expiration: 77n, nonce: 9n }
    const message = { details, spender: h.guard, sigDeadline: 77n }
    expect(verifyTypedData(domain, types as never, message, permit!.signature)).toBe(signer.address)
  })

  test('is not signed below the approval, above its widths, or without its allowance', async () => {
    const node = (approved: bigint) => withPermit2(new MemoryNode(signer.address, signer), approved)
    const [bits160, bits48] = [2n ** 160n, 2n ** 48n]
    expect(await sign(node(999_999n))).toBeUndefined()
    const large = node(bits160)
    expect([await sign(large, 77n, {}, bits160), signed(large)]).toEqual([undefined, false])
    expect((await sign(node(bits160), 77n, {}, bits160 - 1n))!.amount).toBe(bits160 - 1n)
    const late = node(1_000_000n)
    expect([await sign(late, bits48), signed(late)]).toEqual([undefined, false])
    expect((await sign(node(1_000_000n), bits48 - 1n))!.deadline).toBe(bits48 - 1n)
    const without = node(1_000_000n)
    without.views.set(selectors.permit2Allowance, word(9))
    expect(await sign(without)).toBeUndefined()
  })

  test('of a contract wallet has a signature of any format', async () => {
    const node = withPermit2(new MemoryNode(signer.address, signer), 1_000_000n)
    node.answers.set('eth_getCode', () => '0x6001')
    node.answers.set('eth_signTypedData_v4', () => '0xabcdef')
    expect((await sign(node))!.signature).toBe('0xabcdef')
    for (const answer of ['0x', '0xabc', `0x${'ab'.repeat(4_097)}`]) {
      node.answers.set('eth_signTypedData_v4', () => answer)
      expect(await sign(node)).toBeUndefined()
    }
  })
})

describe("DAI's permit", () => {
  const dai = () => {
    const node = tokenNode()
    node.views.set(selectors.permitTypehash, typehash(`Permit(${DAI_FIELDS})`))
    return node
  }

  test('is signed only if the caller allows an unlimited permit', async () => {
    expect(await sign(dai())).toBeUndefined()
    const permit = await sign(dai(), 77n, { unlimited: true })
    expect(permit).toMatchObject({ kind: 'dai', amount: 0n, nonce: 5n, deadline: 77n })
    const message = { holder: signer.address, spender: h.guard, nonce: 5n, expiry: 77n, allowed: true }
    expect(verifyTypedData(eip712, permitTypes(DAI_FIELDS), message, permit!.signature)).toBe(signer.address)
  })

  test('gives way to Permit2, which is limited', async () => {
    expect(await sign(withPermit2(dai(), 1_000_000n), 77n, { unlimited: true })).toMatchObject({ kind: 'permit2' })
  })
})

/** Route whose input token has an EIP-2612 permit, and its request. */
function permitSwap() {
  const honest = h.honestRoute(
    [h.v3(h.POOL, h.USDC, h.WETH, { input: h.pullAll, output: h.toRecipient })],
    [h.leg(h.POOL, h.USDC, h.WETH)],
    { tokenIn: h.USDC, tokenOut: h.WETH, recipient: signer.address.toLowerCase() },
    { src: h.USDC, dst: h.WETH },
  )
  const route = { ...honest.route, tx: { ...honest.route.tx, from: signer.address } }
  const { from: _, ...request } = honest.request
  return { route, request }
}

test('a swap with a permit is one transaction with the signed amount; if it does not run, the token is approved', async () => {
  const { route, request } = permitSwap()
  const stages: string[] = []
  const onProgress = ({ stage }: { readonly stage: string }) => void stages.push(stage)
  const run = (node: MemoryNode) =>
    swap(serviceOf(route).client, node.wallet, 1, request, { trustQuote: true, onProgress })
  const node = tokenNode()
  await run(node)
  expect(stages).toEqual(['quoted', 'prompted', 'permit-signed', 'signing', 'prompted', 'sent', 'done'])
  expect(node.sent).toHaveLength(1)
  const { permit } = explain({ ...route.tx, data: node.sent[0]!.data })
  expect(permit).toEqual({ kind: 'eip2612', amount: 1_000_000n, deadline: BigInt(h.DEADLINE) })
  const failing = tokenNode()
  failing.answers.set('eth_call', ([call, , overrides]) => {
    const { to, data } = call as { to: string; data: string }
    if (to === h.guard && !overrides) throw new Error('BadSignature()')
    const view = failing.views.get(data.slice(0, 10))
    if (view) return view
    return data.startsWith(selectors.allowance) ? word(failing.allowance) : '0x'
  })
  await run(failing)
  expect(signed(failing)).toBe(true)
  expect(failing.sent.map(({ data }) => data)).toEqual([approval(1_000_000n), route.tx.data])
})

test('the transaction is proven again with its signature, by the terms that apply then', async () => {
  const { route, request } = permitSwap()
  const excludePools: string[] = []
  const onProgress = ({ stage }: { readonly stage: string }) => {
    if (stage === 'permit-signed') excludePools.push(h.POOL)
  }
  const node = tokenNode()
  const swapping = swap(...([serviceOf(route).client, node.wallet, 1, { ...request, excludePools }] as const), {
    trustQuote: true,
    onProgress,
  })
  await expect(swapping).rejects.toMatchObject({ code: 'UNSAFE', message: expect.stringContaining('was excluded') })
  expect([signed(node), node.sent]).toEqual([true, []])
})

test('a permit is added to the calldata as the bindings encode it, in both modes', () => {
  const permits: GuardPermit[] = [
    { kind: 'eip2612', amount: 5n, nonce: 0n, deadline: 77n, signature: `0x${'12'.repeat(32)}${'34'.repeat(32)}1b` },
    { kind: 'dai', amount: 0n, nonce: 6n, deadline: 78n, signature: `0x${'56'.repeat(32)}${'78'.repeat(32)}1c` },
    { kind: 'permit2', amount: 7n, nonce: 8n, deadline: 79n, signature: `0x${'cd'.repeat(32)}` },
  ]
  for (const direct of [false, true])
    for (const permit of permits) {
      const { tx } = h.changed(h.single, { direct }).route
      const order = decodeGuardSwap(tx.data, 0n)
      const { data } = withPermit(tx, permit)
      expect(data).toBe(encodeGuardSwap({ ...order, permit } as never))
      for (const spelled of [data, `0x${data.slice(2).toUpperCase()}`])
        expect(decodeSwap(spelled, 0n)).toEqual({ ...decodeSwap(tx.data, 0n), permit })
      for (const damaged of [`${data}00`, data.slice(0, -2), `${data.slice(0, -2)}01`])
        expect(() => decodeSwap(damaged, 0n)).toThrow(expect.objectContaining({ code: 'UNSAFE' }))
      expect(() => decodeSwap(data, 1n)).toThrow(expect.objectContaining({ code: 'UNSAFE' }))
    }
  // Fields that the calldata of a kind does not have must be zero.
  const { tx } = h.single.route
  for (const odd of [
    { ...permits[0]!, nonce: 1n },
    { ...permits[1]!, amount: 1n },
  ])
    expect(() => decodeSwap(withPermit(tx, odd).data, 0n)).toThrow(expect.objectContaining({ code: 'UNSAFE' }))
  const nobody = { ...decodeSwap(tx.data, 0n), recipient: h.ZERO }
  expect(() => decodeSwap(encodePermitSwap(nobody, permits[2]!), 0n)).toThrow(
    expect.objectContaining({ code: 'UNSAFE' }),
  )
  const feeless = { ...nobody, recipient: h.sender, feeRecipient: h.untrusted }
  expect(() => decodeSwap(encodePermitSwap(feeless, permits[2]!), 0n)).toThrow(
    expect.objectContaining({ code: 'UNSAFE' }),
  )
  const wrapped = { ...nobody, recipient: h.sender, wrapper: h.WETH }
  expect(() => decodeSwap(encodePermitSwap(wrapped, permits[2]!), 0n)).toThrow(
    expect.objectContaining({ code: 'UNSAFE' }),
  )
  const native = { ...wrapped, tokenOut: h.ZERO }
  expect(decodeSwap(encodePermitSwap(native, permits[2]!), 0n)).toMatchObject({ wrapper: h.WETH, permit: permits[2]! })
})

describe('an offer of the service', () => {
  const request = { src: h.USDC, from: signer.address, amount: 1_000_000n, deadline: 77 }
  const own = (change: object = {}): Partial<PermitOffer> => ({
    ...{ kind: 'eip2612', unlimited: false, approval: null, permit: '0x00' },
    typedData: {
      ...{ domain: eip712, primaryType: 'Permit', types: typesOf(true, { Permit: EIP2612_FIELDS }) },
      message: { owner: signer.address, spender: h.guard, value: '1000000', nonce: '5', deadline: '77' },
      ...change,
    },
  })
  const message = (change: object) =>
    own({ message: { ...(own().typedData as { message: object }).message, ...change } })
  const dai = (change: object = {}): Partial<PermitOffer> => ({
    ...own({
      types: typesOf(true, { Permit: DAI_FIELDS }),
      message: { holder: signer.address, spender: h.guard, nonce: '5', expiry: '77', allowed: true, ...change },
    }),
    ...{ kind: 'dai', unlimited: true },
  })
  const permit2 = (change: object = {}, details: object = {}): Partial<PermitOffer> => ({
    ...{ kind: 'permit2', unlimited: false, approval: null, permit: '0x02' },
    typedData: {
      domain: { name: 'Permit2', chainId: 1, verifyingContract: PERMIT2 },
      ...{ primaryType: 'PermitSingle', types: typesOf(false, PERMIT2_TYPES) },
      message: {
        details: { token: h.USDC, amount: '1000000', expiration: '77', nonce: '9', ...details },
        ...{ spender: h.guard, sigDeadline: '77', ...change },
      },
    },
  })
  const approve = (amount: bigint, spender = PERMIT2, to: string = h.USDC) => ({
    to,
    data: approval(amount, spender),
    value: '0',
  })
  const offered = (offer: object, change: object = {}) => {
    const fetch = async () => Response.json({ permits: [offer] })
    return new SluiceClient({ baseUrl: 'https://swap.example', retries: 0, fetch }).getPermits(1, {
      ...request,
      ...change,
    })
  }

  test('that lets the Guard draw the requested amount is returned', async () => {
    const { EIP712Domain, ...named } = typesOf(true, { Permit: EIP2612_FIELDS })
    for (const offer of [
      own(),
      own({ types: named }),
      own({ domain: { ...eip712, chainId: '1' } }),
      message({ spender: h.guard.toUpperCase().replace('X', 'x') }),
      dai(),
      permit2(),
      { ...permit2(), approval: approve(1_000_000n) },
      { ...permit2(), approval: approve(2n ** 256n - 1n) },
      { ...permit2(), approval: { ...approve(2n ** 256n - 1n), reset: approve(0n) } },
    ])
      expect(await offered(offer)).toEqual([offer])
    expect(await offered(message({ spender: h.untrusted }), { guard: h.untrusted })).toHaveLength(1)
    expect(await offered(message({ deadline: '78' }), { deadline: undefined })).toHaveLength(1)
  })

  test.each([
    ['kind', { ...own(), kind: 'eip9999' }],
    ['types', own({ primaryType: 'Other' })],
    ['types', own({ types: typesOf(true, { Permit: DAI_FIELDS }) })],
    ['types', own({ types: { ...typesOf(true, { Permit: EIP2612_FIELDS }), Other: [] } })],
    ['types', own({ types: { EIP712Domain: [], Permit: typesOf(true, { Permit: EIP2612_FIELDS }).Permit } })],
    ['types', own({ types: {} })],
    ['chain', own({ domain: { ...eip712, chainId: 10 } })],
    ['contract', own({ domain: { ...eip712, verifyingContract: h.WETH } })],
    [
      'contract',
      {
        ...permit2(),
        typedData: { ...permit2().typedData, domain: { name: 'Permit2', chainId: 1, verifyingContract: h.USDC } },
      },
    ],
    ['spender', message({ spender: h.untrusted })],
    ['spender', dai({ spender: h.untrusted })],
    ['spender', permit2({ spender: h.untrusted })],
    ['owner', message({ owner: h.untrusted })],
    ['owner', dai({ holder: h.untrusted })],
    ['token', permit2({}, { token: h.WETH })],
    ['limit', { ...own(), unlimited: true }],
    ['limit', { ...dai(), unlimited: false }],
    ['amount', message({ value: '1000001' })],
    ['amount', message({ value: '999999' })],
    ['amount', permit2({}, { amount: '1000001' })],
    ['deadline', message({ deadline: '78' })],
    ['deadline', dai({ expiry: '76' })],
    ['deadline', permit2({ sigDeadline: '78' })],
    ['expiration', permit2({}, { expiration: 'x' })],
    ['expiration', permit2({}, { expiration: '78' })],
    ['expiration', permit2({}, { expiration: '1'.repeat(16) })],
    ['text', { ...own(), permit: undefined }],
    ['approval', { ...own(), approval: approve(1_000_000n) }],
    ['approval', { ...permit2(), approval: approve(1_000_001n) }],
    ['approval', { ...permit2(), approval: { ...approve(1_000_000n), reset: approve(1n) } }],
    ['approval', { ...permit2(), approval: { ...approve(1_000_000n), reset: null } }],
    ['approval', { ...permit2(), approval: approve(1_000_000n, h.untrusted) }],
    ['approval', { ...permit2(), approval: approve(1_000_000n, PERMIT2, h.WETH) }],
    ['approval', { ...permit2(), approval: undefined }],
  ] as const)('with another %s is UNSAFE (%#)', async (what, offer) => {
    await expect(offered(offer)).rejects.toMatchObject({
      code: 'UNSAFE',
      message: expect.stringMatching(`was not requested: .*${what}`),
    })
  })

  test('without a requested deadline still has one, in whole seconds', async () => {
    // The default of the service is 20 minutes, and clocks may differ by five.
    const soon = Math.floor(Date.now() / 1000) + 1_200
    expect(await offered(message({ deadline: String(soon) }), { deadline: undefined })).toHaveLength(1)
    for (const deadline of ['', '1.5', '-1', '1'.repeat(16), String(soon + 3_600)])
      await expect(offered(message({ deadline }), { deadline: undefined })).rejects.toThrow('the deadline')
  })
})
