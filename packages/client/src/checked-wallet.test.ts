/** Tests which answers of a wallet are accepted, and on which chain it may act. */
import { describe, expect, test } from 'vitest'
import { at } from '../test/routes.ts'
import { checkedWallet } from './checked-wallet.ts'
import type { Wallet } from './wallet.ts'

const address = at('55')
const transaction = { to: at('66'), data: '0x12', value: 1n } as const
const HEX_LIMIT = 4 * 1024 * 1024

/** A wallet on chain 10 that gives `answer` from every method but `chainId`. */
function wallets(answer: unknown, { chain = 10 as unknown } = {}) {
  const received: [string, ...unknown[]][] = []
  const method =
    (name: string) =>
    async (...parameters: unknown[]) => {
      received.push([name, ...parameters])
      if (answer instanceof Error) throw answer
      return answer
    }
  const names = ['blockNumber', 'code', 'call', 'succeeded', 'send', 'receipt', 'estimateGas', 'signTypedData', 'sign']
  const methods = Object.fromEntries([...names, 'request'].map((name) => [name, method(name)]))
  const wallet = { ...methods, address, chainId: async () => chain } as unknown as Wallet
  return { checked: checkedWallet(wallet, 10) as Required<Wallet>, received }
}

type Act = (wallet: Required<Wallet>) => Promise<unknown>
const acts: Readonly<Record<string, Act>> = {
  blockNumber: (wallet) => wallet.blockNumber(),
  code: (wallet) => wallet.code(at('66')),
  call: (wallet) => wallet.call(at('66'), '0x12'),
  succeeded: (wallet) => wallet.succeeded('0x01'),
  send: (wallet) => wallet.send(transaction),
  receipt: (wallet) => wallet.receipt('0x01'),
  estimateGas: (wallet) => wallet.estimateGas(transaction),
  signTypedData: (wallet) => wallet.signTypedData({} as never),
  sign: (wallet) => wallet.sign(transaction),
}
const hex = [['0x'], ['0xAbC'], [`0x${'1'.repeat(HEX_LIMIT - 2)}`]]
const notHex = [['0xg'], ['12'], [5], [null], [`0x${'1'.repeat(HEX_LIMIT - 1)}`], [['0x']]]
const integers: readonly unknown[][] = [[0], [Number.MAX_SAFE_INTEGER]]
const notIntegers: readonly unknown[][] = [[-1], [1.5], [Number.MAX_SAFE_INTEGER + 1], ['5'], [5n], [Number.NaN]]
const hashes = [['0x01'], ['x'.repeat(4_096)]]
const notHashes = [[''], ['x'.repeat(4_097)], [5], [null]]

describe.each<[string, readonly unknown[][], readonly unknown[][]]>([
  ['blockNumber', integers, notIntegers],
  ['code', hex, notHex],
  ['call', hex, notHex],
  ['signTypedData', hex, notHex],
  ['sign', hex, notHex],
  ['succeeded', [[true], [false]], [['true'], [1], [undefined]]],
  ['send', hashes, notHashes],
  [
    'receipt',
    [[undefined], [{ succeeded: true, hash: '0x01' }], [{ succeeded: false, hash: 'x' }]],
    [[null], [{ succeeded: 1, hash: '0x01' }], [{ succeeded: true, hash: '' }], [{ succeeded: true }], [true]],
  ],
  ['estimateGas', [[1n], [2n ** 64n]], [[0n], [-1n], [5], ['0x5'], [null]]],
])('%s', (name, valid, invalid) => {
  const act = acts[name]!

  test('passes valid answers on', async () => {
    for (const [answer] of valid) expect(await act(wallets(answer).checked)).toBe(answer)
  })

  test('refuses all others', async () => {
    for (const [answer] of invalid) await expect(act(wallets(answer).checked)).rejects.toMatchObject({ code: 'WALLET' })
  })

  test('has failures as errors of the wallet, and refusals of its owner as such', async () => {
    const failure = new Error('locked')
    await expect(act(wallets(failure).checked)).rejects.toMatchObject({ code: 'WALLET', cause: failure })
    const refusal = Object.assign(new Error('no'), { code: 4_001 })
    await expect(act(wallets(refusal).checked)).rejects.toMatchObject({ code: 'REJECTED', cause: refusal })
  })
})

describe('the chain', () => {
  test.each(integers)('%s is a chain id', async (chain) => {
    expect(await wallets('0x', { chain }).checked.chainId()).toBe(chain)
  })

  test.each(notIntegers)('%s is no chain id', async (chain) => {
    await expect(wallets('0x', { chain }).checked.chainId()).rejects.toMatchObject({ code: 'WALLET' })
  })

  test.each(['send', 'signTypedData'])('of %s must be the one of the swap', async (name) => {
    const other = wallets('0x01', { chain: 1 })
    await expect(acts[name]!(other.checked)).rejects.toMatchObject({
      code: 'WALLET',
      message: 'the wallet is on chain 1, not 10',
    })
    expect(other.received).toEqual([])
  })

  test('is part of what is sent and signed', async () => {
    const { checked, received } = wallets('0x01')
    await checked.send({ ...transaction, chainId: 5 })
    await checked.sign({ ...transaction, chainId: 5 })
    expect(received).toEqual([
      ['send', { ...transaction, chainId: 10 }],
      ['sign', { ...transaction, chainId: 10 }],
    ])
  })
})

test('a wallet without optional methods has none, and requests are passed on with their failures converted', async () => {
  const { checked, received } = wallets('anything')
  expect(await checked.request('wallet_x', [1])).toBe('anything')
  expect(received).toEqual([['request', 'wallet_x', [1]]])
  const failure = Object.assign(new Error('no'), { code: 5_740 })
  await expect(wallets(failure).checked.request('wallet_x', [])).rejects.toMatchObject({
    ...{ code: 'WALLET', cause: failure, message: 'wallet_x: no' },
  })
  const bare = checkedWallet({ address, chainId: async () => 10 } as unknown as Wallet, 10)
  for (const name of ['receipt', 'estimateGas', 'signTypedData', 'sign', 'request'])
    expect(bare).not.toHaveProperty(name)
})
