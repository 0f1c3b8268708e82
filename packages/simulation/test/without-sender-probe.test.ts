/** Tokens, hooks and routers that ask for code: what is simulated for wallets and for smart accounts is what they get when they send it. */
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { NodeProxy } from '@sluice/devnet'
import { createRpc, type Rpc } from '@sluice/rpc'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SwapSimulation, simulateSwap } from '../src/index.ts'
import { patientContext, startTestChain, type TestChain } from './chain.ts'
import { compile } from './compile.ts'

let chain: TestChain
/** A node that lacks eth_simulateV1. */
let older: NodeProxy
const contracts = compile('Wallets.sol')
const AMOUNT = 5_000_000n

beforeAll(async () => {
  chain = await startTestChain()
  older = await NodeProxy.start(chain.anvil.url, ({ method }) =>
    method === 'eth_simulateV1'
      ? { error: { code: -32601, message: 'the method eth_simulateV1 does not exist/is not available' } }
      : undefined,
  )
})
afterAll(async () => {
  await older?.stop()
  chain?.anvil.stop()
})

const encode = (name: string, method: string, args: readonly unknown[]) =>
  contracts[name]!.abi.encodeFunctionData(method, args) as Hex

const senders = {
  wallet: () => chain.newAccount(),
  'smart account': () => ofCode(contracts.Account!.creation),
  /** Under EIP-7702, with the smart account as its delegate. */
  delegated: async () => {
    const account = await chain.newAccount()
    const delegate = await chain.deploy(contracts.Account!.creation)
    await chain.rpc.request('anvil_setCode', [account, `0xef0100${delegate.slice(2)}`])
    return account
  },
}

/** An account with code that the node sends for. */
async function ofCode(creation: Hex): Promise<Address> {
  const account = await chain.deploy(creation)
  await chain.rpc.request('anvil_impersonateAccount', [account])
  await chain.rpc.request('anvil_setBalance', [account, '0x3635c9adc5dea00000'])
  return account
}

type Case = { readonly tokenIn?: string; readonly tokenOut?: string; readonly router?: string }

const cases: Readonly<Record<string, Case>> = {
  'limits what wallets receive': { tokenOut: 'WalletLimit' },
  'taxes wallets': { tokenOut: 'TaxesWallets' },
  'taxes contracts, bought': { tokenOut: 'TaxesContracts' },
  'taxes contracts, sold': { tokenIn: 'TaxesContracts' },
  'taxes wallets that send': { tokenIn: 'TaxesWalletSenders' },
  'for people only, bought': { tokenOut: 'PeopleOnly' },
  'for people only, sold': { tokenIn: 'PeopleOnly' },
  'for contracts only, bought': { tokenOut: 'ContractsOnly' },
  'for contracts only, sold': { tokenIn: 'ContractsOnly' },
  'moves contracts to new books': { tokenIn: 'MigratesContracts' },
  'by the hash of code, bought': { tokenOut: 'HashGate' },
  'by the hash of code, sold': { tokenIn: 'HashGate' },
  'bars delegated accounts': { tokenOut: 'NoDelegates' },
  'calls receivers': { tokenOut: 'CallsReceivers' },
  'asks a registry': { tokenOut: 'AsksRegistry' },
  'a router that halves for contracts': { router: 'HalvesForContracts' },
  'a router that refuses contracts': { router: 'RefusesContracts' },
  'a router that calls back': { router: 'CallsBack' },
  'a hook that keeps of wallets': { router: 'Hooked' },
}

/** Cases that depend on the delegate, for the daily profile. */
const OF_DELEGATES = [
  'for people only, bought',
  'by the hash of code, sold',
  'bars delegated accounts',
  'calls receivers',
]

function senderTests(newSender: () => Promise<Address>, chosen = Object.keys(cases)): void {
  test.each(Object.entries(cases).filter(([name]) => chosen.includes(name)))(
    '%s',
    async (_, { tokenIn = 'PlainToken', tokenOut = 'PlainToken', router = 'Exchange' }) => {
      const [sold, bought] = [await deploy(tokenIn), await deploy(tokenOut)]
      const to = await deploy(router)
      const from = await newSender()
      await chain.send({ from: chain.rich, to: bought, data: encode('WalletToken', 'mint', [to, 10n * AMOUNT]) })
      const data = encode('Exchange', 'swap', [sold, bought, AMOUNT])
      const request = {
        from,
        to,
        data,
        tokenIn: sold,
        amountIn: AMOUNT,
        tokenOut: bought,
        block: 'latest',
        bareRunMode: 'measured',
      } as const
      const simulate = (rpc: Rpc) => simulateSwap(rpc, request, patientContext())
      const simulated = await simulate(chain.rpc)
      const byOlder = await simulate(createRpc({ chainId: 31337, urls: [older.url] }))

      await chain.send({ from: chain.rich, to: sold, data: encode('WalletToken', 'mint', [from, AMOUNT]) })
      await chain.send({ from, to: sold, data: encode('WalletToken', 'approve', [to, AMOUNT]) })
      const sent = await chain.send({ from, to, data })
      const received = await chain.balanceOf(bought, from)
      for (const result of [simulated, byOlder]) {
        expect({ success: result.success, amountOut: result.amountOut }).toEqual({
          success: sent.success,
          amountOut: received,
        })
        if (sent.success) expectGas(result, sent.grossGas)
        else expect(result.revertReason).not.toBe('')
      }
      if (sent.success) expect(BigInt(simulated.chargedGas!)).toBe(sent.chargedGas)
    },
  )
}

describe('a wallet', () => senderTests(senders.wallet))
describe('a delegated account', () => senderTests(senders.delegated, OF_DELEGATES))
describe('a delegated account', { tags: 'long' }, () => {
  const otherCases = Object.keys(cases).filter((name) => !OF_DELEGATES.includes(name))
  senderTests(senders.delegated, otherCases)
})
describe('a smart account', { tags: 'long' }, () => senderTests(senders['smart account']))

const deploy = (name: string) => chain.deploy(contracts[name]!.creation)

/** Within what a call of the target costs more with a probe there. */
function expectGas({ gasUsed }: SwapSimulation, sent: bigint): void {
  const off = BigInt(gasUsed) - sent
  expect(Number(off)).toBeGreaterThanOrEqual(0)
  expect(Number(off)).toBeLessThanOrEqual(Math.max(1_000, Number(sent) / 20))
}

test('a swap that does not check for code has the same result both ways, which the result reports', async () => {
  const [sold, bought, to] = [await deploy('PlainToken'), await deploy('PlainToken'), await deploy('Exchange')]
  await chain.send({ from: chain.rich, to: bought, data: encode('WalletToken', 'mint', [to, AMOUNT]) })
  const from = toAddress(`0x${'f7'.repeat(20)}`)
  const data = encode('Exchange', 'swap', [sold, bought, AMOUNT])
  const request = { from, to, data, tokenIn: sold, amountIn: AMOUNT, tokenOut: bought, block: 'latest' } as const
  const probed = await simulateSwap(chain.rpc, request, patientContext())
  expect(probed.ways.sender).toBeUndefined()
  const compared = await simulateSwap(chain.rpc, { ...request, bareRunMode: 'measured' }, patientContext())
  expect(compared).toMatchObject({
    success: true,
    amountOut: AMOUNT,
    gasUsed: probed.gasUsed,
    ways: { sender: 'same' },
  })
})

test.each([
  ['an account without code', toAddress(`0x${'e0'.repeat(20)}`), 0],
  // 15 gas, and 3 for each of 313 words.
  ['the identity precompile', toAddress(`0x${'4'.padStart(40, '0')}`), 15 + 3 * 313],
])('a call of %s with 10 kB of calldata, for which the floor of its calldata is charged', async (_, to, gasUsed) => {
  const from = toAddress(`0x${'f7'.repeat(20)}`)
  const [sold, data] = [await deploy('PlainToken'), `0x${'ff'.repeat(10_000)}` as Hex]
  const request = { from, to, data, tokenIn: sold, amountIn: 1n, tokenOut: sold, block: 'latest' } as const
  const result = await simulateSwap(chain.rpc, { ...request, bareRunMode: 'measured' }, patientContext())
  expect(result).toMatchObject({ success: true, gasUsed, chargedGas: 21_000 + 40 * 10_000 })
})
