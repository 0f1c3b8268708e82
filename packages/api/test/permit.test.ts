/** Tests swaps with permits on the local chain: OpenZeppelin's ERC20Permit and the genuine Permit2. */
import { type Builder, type Contract, createBuilder, type Devnet, PERMIT2 } from '@sluice/devnet'
import { concat, Signature, TypedDataEncoder } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningServer } from '../src/index.ts'
import { request, startChain, startOver } from './src/devnet.ts'
import { compiledPermits, deployCoin, forms, walletCalls as wallets } from './src/permits.ts'
import { ask } from './src/service.ts'

let devnet: Devnet
let server: RunningServer
let coin: Contract
beforeAll(async () => {
  devnet = await startChain()
  coin = await deployCoin(devnet)
  for (const { address } of devnet.info.accounts.slice(0, 6)) await coin.send('mint', [address, 10n ** 21n])
  server = await startOver(devnet.url)
  // The first requests wait for the search of pools, which this test does not measure.
  const warm = { src: coin.address, dst: token('DAI'), amount: `${10n ** 18n}` }
  for (let round = 0; round < 20 && (await get('quote', warm)).status !== 200; round++);
})
afterAll(async () => {
  await server?.close()
  await devnet?.stop()
})

const account = (index: number) => devnet.info.accounts[index]!.address
const token = (symbol: string) => devnet.info.tokens[symbol]!.address
const rpc = <T>(method: string, ...params: readonly unknown[]) => request<T>(devnet.url, method, ...params)
const word = (value: bigint | string) =>
  (typeof value === 'string' ? value.slice(2).toLowerCase() : value.toString(16)).padStart(64, '0')
const read = async (to: string, selector: string, ...words: (bigint | string)[]) =>
  BigInt(await rpc<string>('eth_call', { to, data: selector + words.map(word).join('') }, 'latest'))
const balance = (token: string, owner: string) => read(token, '0x70a08231', owner)
const allowance = (token: string, owner: string, spender: string) => read(token, '0xdd62ed3e', owner, spender)

// biome-ignore lint/suspicious/noExplicitAny: bodies as any reader gets them
async function get(path: string, query: Record<string, string>): Promise<{ status: number; body: any }> {
  const { status, text } = await ask(`${server.url}/${path}/31337?${new URLSearchParams(query)}`)
  return { status, body: JSON.parse(text) }
}
type Sent = { readonly to: string; readonly data: string; readonly value: string }
async function make(from: string, { to, data, value }: Sent): Promise<{ status: string; gasUsed: string }> {
  const transaction = { from, to, data, value: `0x${BigInt(value).toString(16)}`, gas: '0x1c9c380' }
  return rpc('eth_sendTransactionSync', transaction)
}

/** Returns a permit signed by the owner with eth_signTypedData_v4. */
async function signed(src: string, from: string, amount: bigint, kind: string, overrides: Record<string, string> = {}) {
  const { body } = await get('permit', { src, from, amount: `${amount}`, ...overrides })
  const offer = body.permits.find((permit: { kind: string }) => permit.kind === kind)
  const signature = await rpc<string>('eth_signTypedData_v4', from, JSON.stringify(offer.typedData))
  return { body, offer, signature, permit: `${offer.permit}${signature}` }
}

test('a token with EIP-2612 is swapped in one transaction, to the base unit, without a remaining allowance', async () => {
  for (const dst of [token('DAI'), token('WETH')]) {
    const from = account(0)
    const amount = 10n ** 18n
    const { body, permit } = await signed(coin.address, from, amount, 'eip2612')
    expect(body).toMatchObject({ src: coin.address, from, amount: `${amount}`, spender: devnet.info.guard })
    const query = { src: coin.address, dst, from, amount: `${amount}`, permit, calls: '1' }
    const { status, body: route } = await get('aggregator', query)
    expect(status, JSON.stringify(route)).toBe(200)
    const { to, data, value } = route.tx
    expect(route.calls).toEqual([{ to, data, value }])
    // The permit does not change the amounts.
    const plain = await get('quote', { src: coin.address, dst, amount: `${amount}` })
    expect(plain.body).toMatchObject({ toAmount: route.toAmount, minToAmount: route.minToAmount })
    const before = await balance(dst, from)
    const { status: mined, gasUsed } = await make(from, route.tx)
    expect(mined).toBe('0x1')
    expect((await balance(dst, from)) - before).toBe(BigInt(route.toAmount))
    expect(await allowance(coin.address, from, devnet.info.guard)).toBe(0n)
    // The estimate includes the gas of the permit, but not refunds.
    expect(Number(gasUsed)).toBeLessThanOrEqual(Number(route.gasEstimate))
    expect(Number(gasUsed)).toBeGreaterThan(Number(route.gasEstimate) * 0.75)
  }
})

test('a token whose EIP-712 name differs from name() is swapped in one transaction', async () => {
  const renamed = await deployCoin(devnet, 'RenamedCoin')
  const from = account(3)
  await renamed.send('mint', [from, 10n ** 19n])
  const { offer, permit } = await signed(renamed.address, from, 10n ** 18n, 'eip2612')
  expect(offer.typedData.domain).toMatchObject({ name: 'Coin as it was', version: '1' })
  const { status, body } = await get('aggregator', {
    ...{ src: renamed.address, dst: token('WETH'), amount: `${10n ** 18n}`, from, permit },
  })
  expect(status, JSON.stringify(body)).toBe(200)
  expect(await make(from, body.tx)).toMatchObject({ status: '0x1' })
})

test('exact output, a fee, native output, and a batch of quotes accept a permit', async () => {
  const from = account(1)
  const wanted = 10n ** 18n
  const { permit } = await signed(coin.address, from, 5n * 10n ** 18n, 'eip2612')
  const query = { src: coin.address, dst: token('DAI'), from, amountOut: `${wanted}`, slippage: '0', permit }
  const fee = { convenienceFee: '1', convenienceFeeRecipient: account(5).toLowerCase() }
  const { status, body: route } = await get('aggregator', { ...query, ...fee })
  expect(status, JSON.stringify(route)).toBe(200)
  const posted = await ask(`${server.url}/quotes/31337`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      quotes: [
        { ...query, ...fee },
        { ...query, dst: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', amountOut: '1000000000' },
      ],
    }),
  })
  const { quotes } = JSON.parse(posted.text)
  expect(quotes[0].fromAmount).toBe(route.fromAmount)
  expect(quotes[1].tx.to).toBe(devnet.info.guard)
  const before = await balance(token('DAI'), from)
  expect((await make(from, route.tx)).status).toBe('0x1')
  expect((await balance(token('DAI'), from)) - before).toBe(BigInt(route.toAmount))
})

test.each(['WETH', 'USDT', 'STETH'])(
  '%s is drawn through Permit2 in one transaction once Permit2 is approved',
  async (symbol) => {
    const from = account(2)
    const amount = 10n ** BigInt(devnet.info.tokens[symbol]!.decimals)
    const query = { src: token(symbol), dst: token('DAI'), from, amount: `${amount}` }
    const early = await signed(query.src, from, amount, 'permit2')
    expect(early.offer.approval).toMatchObject({ to: token(symbol), value: '0' })
    expect(early.body.permits.map((permit: { kind: string }) => permit.kind)).toEqual(['permit2'])
    const refused = await get('aggregator', { ...query, permit: early.permit })
    expect(refused).toMatchObject({ status: 400, body: { code: 'BAD_PERMIT', field: 'permit.kind' } })
    await make(from, early.offer.approval)
    for (let round = 0; round < 2; round++) {
      const { offer, permit } = await signed(query.src, from, amount, 'permit2')
      expect(offer.approval).toBeNull()
      const { status, body: route } = await get('aggregator', { ...query, permit })
      expect(status, JSON.stringify(route)).toBe(200)
      const before = await balance(query.dst, from)
      expect((await make(from, route.tx)).status).toBe('0x1')
      expect((await balance(query.dst, from)) - before).toBe(BigInt(route.toAmount))
    }
    expect(await allowance(query.src, from, devnet.info.guard)).toBe(0n)
    // Words of amount, expiration and nonce: both amounts are spent, each with its own nonce.
    const granted = await read(PERMIT2, '0x927da105', from, query.src, devnet.info.guard)
    expect([granted >> 512n, BigInt.asUintN(256, granted)]).toEqual([0n, 2n])
  },
)

test('a permit that somebody else submitted first does not stop a swap, quoted before or after', async () => {
  const from = account(3)
  const amount = 10n ** 18n
  const { body, signature, permit } = await signed(coin.address, from, amount, 'eip2612')
  const query = { src: coin.address, dst: token('DAI'), from, amount: `${amount}`, permit }
  const { body: quoted } = await get('aggregator', query)
  const { v, r, s } = Signature.from(signature)
  const words = [from, devnet.info.guard, amount, BigInt(body.deadline), BigInt(v), r, s].map(word)
  await make(account(4), { to: coin.address, data: `0xd505accf${words.join('')}`, value: '0' })
  expect(await allowance(coin.address, from, devnet.info.guard)).toBe(amount)
  const again = await get('aggregator', query)
  expect(again, JSON.stringify(again.body)).toMatchObject({ status: 200, body: { toAmount: quoted.toAmount } })
  const before = await balance(query.dst, from)
  expect((await make(from, quoted.tx)).status).toBe('0x1')
  expect((await balance(query.dst, from)) - before).toBe(BigInt(quoted.toAmount))
  // The permit cannot be used twice.
  expect(await get('aggregator', query)).toMatchObject({ status: 400, body: { field: 'permit.nonce' } })
})

test('an invalid signature is refused with its fault, before and after simulation', async () => {
  const from = account(4)
  const amount = 10n ** 18n
  const { permit, offer, signature } = await signed(coin.address, from, amount, 'eip2612')
  const query = { src: coin.address, dst: token('DAI'), from, amount: `${amount}` }
  const [kind, signedAmount, nonce, deadline] = permit.split(':')
  const other = Signature.from({ ...Signature.from(signature).toJSON(), r: `0x${'12'.repeat(32)}` }).serialized
  const wrong = [
    [[kind, signedAmount, nonce, deadline, other], 'BAD_PERMIT', 'permit.signature'],
    [[kind, signedAmount, '7', deadline, other], 'BAD_PERMIT', 'permit.nonce'],
    [[kind, signedAmount, nonce, '1700000000', signature], 'BAD_PERMIT', 'permit.deadline'],
    [[kind, '999', nonce, deadline, signature], 'INVALID_PARAMETER', 'permit.amount'],
    [['permit2', signedAmount, nonce, deadline, signature], 'BAD_PERMIT', 'permit.kind'],
    [['dai', signedAmount, nonce, deadline, signature], 'BAD_PERMIT', 'permit.signature'],
    [['eip20', signedAmount, nonce, deadline, signature], 'INVALID_PARAMETER', 'permit'],
    [[kind, '0x12', nonce, deadline, signature], 'INVALID_PARAMETER', 'permit.amount'],
    [[kind, signedAmount, nonce, deadline, '0x'], 'INVALID_PARAMETER', 'permit.signature'],
    [[kind, signedAmount, nonce, deadline, '0x1234'], 'INVALID_PARAMETER', 'permit.signature'],
    [[kind, signedAmount, nonce, deadline, `0x${'ff'.repeat(65)}`], 'BAD_PERMIT', 'permit.signature'],
    [['permit2', signedAmount, `${2n ** 48n}`, deadline, signature], 'INVALID_PARAMETER', 'permit.nonce'],
    [['permit2', `${2n ** 160n}`, nonce, deadline, signature], 'INVALID_PARAMETER', 'permit.amount'],
  ] as const
  for (const [parts, code, field] of wrong) {
    const { status, body } = await get('aggregator', { ...query, permit: parts.join(':') })
    expect({ status, code: body.code }, `${parts.join(':')} ${body.error}`).toEqual({ status: 400, code })
    expect(body.error.startsWith(field), body.error).toBe(true)
    if (code === 'BAD_PERMIT') expect(body.field).toBe(field)
  }
  const { from: _, ...nobody } = query
  expect((await get('quote', { ...nobody, permit })).body.error).toContain('from')
  expect((await get('quote', { ...query, permit })).status).toBe(200)
  const native = { ...query, src: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE', permit }
  expect((await get('aggregator', native)).body.error).toContain('native')
  // The signature of another account is refused.
  expect((await get('aggregator', { ...query, from: account(5), permit })).body.field).toBe('permit.signature')
  // WETH has no permit, although its fallback accepts any call.
  const weth = await get('aggregator', { ...query, src: token('WETH'), permit })
  expect(weth.body).toMatchObject({ code: 'BAD_PERMIT', field: 'permit.kind' })
  expect(offer).toMatchObject({ kind: 'eip2612', unlimited: false, approval: null })
})

describe('a wallet that is a contract (ERC-1271)', () => {
  let builder: Builder
  let other: Contract
  beforeAll(async () => {
    builder = createBuilder(devnet.url, account(7))
    other = await deployCoin(devnet, 'ContractCoin')
    const warm = { src: other.address, dst: token('DAI'), amount: `${10n ** 18n}` }
    for (let round = 0; round < 20 && (await get('quote', warm)).status !== 200; round++);
  })

  /** Deploys a contract wallet that holds the token and has approved Permit2. */
  async function walletOf(owners: readonly string[], src: string, amount: bigint): Promise<string> {
    const { address } = await builder.deploy(compiledPermits().ContractWallet!, [owners])
    const data = wallets.encodeFunctionData('transfer', [address, amount])
    if (src === token('WETH')) expect((await make(account(0), { to: src, data, value: '0' })).status).toBe('0x1')
    else await other.send('mint', [address, amount])
    const approval = wallets.encodeFunctionData('approve', [PERMIT2, 2n ** 256n - 1n])
    expect((await run(owners[0]!, address, { to: src, data: approval, value: '0' })).status).toBe('0x1')
    return address
  }
  const run = (owner: string, at: string, { to, data, value }: Sent) =>
    make(owner, { to: at, data: wallets.encodeFunctionData('execute', [to, value, data]), value: '0' })

  type Form = (typeof forms)[keyof typeof forms]
  async function swaps(kind: string, src: string, owners: readonly (readonly [string, Form])[]) {
    const amount = 10n ** 18n
    const dst = token('DAI')
    const from = await walletOf(
      owners.map(([owner]) => owner),
      src,
      amount,
    )
    const { body } = await get('permit', { src, from, amount: `${amount}` })
    const offer = body.permits.find((permit: { kind: string }) => permit.kind === kind)
    const { EIP712Domain: _, ...types } = offer.typedData.types
    const hash = TypedDataEncoder.hash(offer.typedData.domain, types, offer.typedData.message)
    const signatures: string[] = []
    const { typedData: typed } = offer
    for (const [owner, form] of owners) signatures.push(await form({ rpc, owner, wallet: from, typed, hash }))
    const query = { src, dst, from, amount: `${amount}`, permit: `${offer.permit}${concat(signatures)}` }
    const { status, body: route } = await get('aggregator', query)
    expect(status, JSON.stringify(route)).toBe(200)
    const before = await balance(dst, from)
    expect((await run(owners[0]![0], from, route.tx)).status).toBe('0x1')
    expect((await balance(dst, from)) - before).toBe(BigInt(route.toAmount))
    expect(await allowance(src, from, devnet.info.guard)).toBe(0n)
    // Invalid signatures of the right length are refused.
    const wrong = { ...query, permit: `${offer.permit}${concat(signatures.map(() => `0x${'11'.repeat(65)}`))}` }
    expect((await get('aggregator', wrong)).body).toMatchObject({ code: 'BAD_PERMIT' })
  }

  test.each(Object.keys(forms) as (keyof typeof forms)[])('swaps through Permit2 by a signature of %s', (form) =>
    swaps('permit2', token('WETH'), [[account(6), forms[form]]]),
  )

  test('swaps by the signatures of two owners, each of its own kind', () => {
    const [eth, approved] = [forms['eth_sign, with v of 31 or 32'], forms['an approved hash, with v of 1']]
    return swaps('permit2', token('WETH'), [
      [account(6), eth],
      [account(5), approved],
    ])
  })

  test.each(Object.keys(forms) as (keyof typeof forms)[])(
    'swaps by the permit of a token that asks contracts, by a signature of %s',
    (form) => swaps('eip2612', other.address, [[account(6), forms[form]]]),
  )

  test('is refused with the reason by a token that accepts only signatures of keys', async () => {
    const { address: from } = await builder.deploy(compiledPermits().ContractWallet!, [[account(6)]])
    await coin.send('mint', [from, 10n ** 18n])
    const { permit } = await signedFor(from, account(6))
    const query = { src: coin.address, dst: token('DAI'), from, amount: '1000000', permit }
    expect(await get('aggregator', query)).toMatchObject({ status: 400, body: { field: 'permit.signature' } })
    // A compact signature (64 bytes) needs a private key, which this wallet does not have.
    const short = { ...query, permit: `${permit.slice(0, permit.lastIndexOf(':'))}:0x${'ff'.repeat(64)}` }
    expect(await get('aggregator', short)).toMatchObject({ status: 400, body: { field: 'permit.signature' } })
  })

  async function signedFor(from: string, owner: string) {
    // The service does not offer this permit to a wallet without a key.
    const kindsOf = async (account: string) =>
      (await get('permit', { src: coin.address, from: account, amount: '1000000' })).body.permits
    expect((await kindsOf(from)).map((permit: { kind: string }) => permit.kind)).toEqual(['permit2'])
    const offer = (await kindsOf(owner)).find((permit: { kind: string }) => permit.kind === 'eip2612')
    Object.assign(offer.typedData.message, { owner: from, nonce: '0' })
    const signature = await rpc<string>('eth_signTypedData_v4', owner, JSON.stringify(offer.typedData))
    const [kind, amount, , deadline] = offer.permit.split(':')
    return { permit: `${kind}:${amount}:0:${deadline}:${signature}` }
  }
})

test('a token with nonces and a domain, but without a permit, is offered Permit2 only', async () => {
  const votes = await deployCoin(devnet, 'VotesCoin')
  const { body } = await get('permit', { src: votes.address, from: account(0), amount: '1' })
  expect(body.permits.map((permit: { kind: string }) => permit.kind)).toEqual(['permit2'])
})

describe('an EIP-7702 account', () => {
  // Coin recovers the key. ContractCoin and Permit2 ask the delegate.
  test.each([
    ['KeyDelegate', ['eip2612', 'permit2'], ['eip2612', 'permit2']],
    ['RehashingDelegate', ['eip2612'], []],
  ])('%s is offered the permits that accept its key', async (name, ofCoin, ofContractCoin) => {
    const builder = createBuilder(devnet.url, account(7))
    const contractCoin = await deployCoin(devnet, 'ContractCoin')
    const { address: delegate } = await builder.deploy(compiledPermits()[name]!)
    const from = account(4)
    await rpc('anvil_setCode', from, `0xef0100${delegate.slice(2)}`)
    for (const [src, kinds] of [
      [coin, ofCoin],
      [contractCoin, ofContractCoin],
    ] as const) {
      await src.send('mint', [from, 1_000n])
      const { body } = await get('permit', { src: src.address, from, amount: '1000' })
      expect(body.permits.map((permit: { kind: string }) => permit.kind)).toEqual(kinds)
    }
    await rpc('anvil_setCode', from, '0x')
  })
})

test('/permit limits deadlines to a day and names invalid parameters', async () => {
  const base = { src: coin.address, from: account(0), amount: '1' }
  const mistakes = [
    [{ ...base, src: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE' }, 'src'],
    [{ ...base, amount: '0' }, 'amount'],
    [{ ...base, from: 'me' }, 'from'],
    [{ ...base, from: devnet.info.guard }, 'from'],
    [{ ...base, deadline: '1' }, 'deadline'],
    [{ ...base, deadline: '999999999999' }, 'deadline'],
  ] as const
  for (const [query, field] of mistakes) {
    const { status, body } = await get('permit', query)
    expect(status).toBe(400)
    expect(body.error).toContain(field)
  }
  // An account without code has no permits, and amounts above 2^160 exclude Permit2.
  expect(await get('permit', { ...base, src: account(9) })).toMatchObject({ status: 200, body: { permits: [] } })
  const big = await get('permit', { ...base, amount: `${2n ** 200n}` })
  expect(big.body.permits.map((permit: { kind: string }) => permit.kind)).toEqual(['eip2612'])
})
