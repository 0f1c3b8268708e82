/**
 * Tokens whose storage other tools failed to find, or whose contracts keep it in an unusual way: holders can sell them, and
 * mostly accounts without a balance can be simulated too. The simulation of a holder is compared with the same transaction, sent.
 */
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { NodeProxy } from '@sluice/devnet'
import { createRpc, type Rpc } from '@sluice/rpc'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type SimulationRequest, simulateSwap } from '../src/index.ts'
import { patientContext, startTestChain, type TestChain } from './chain.ts'
import { compile } from './compile.ts'

let chain: TestChain
let taker: Address
/** A node that lacks eth_createAccessList. */
let older: NodeProxy
const contracts = compile('RealLayouts.sol')
const AMOUNT = 5_000_007n

beforeAll(async () => {
  chain = await startTestChain()
  taker = await chain.deploy(contracts.Taker!.creation)
  older = await NodeProxy.start(chain.anvil.url, ({ method }) =>
    method === 'eth_createAccessList' ? { error: { code: -32601, message: 'method not found' } } : undefined,
  )
})
afterAll(async () => {
  await older?.stop()
  chain?.anvil.stop()
})

/** By the report, the contract or the standard that has the layout; in words where none is known. */
const layouts = {
  StructMember: 'https://github.com/cowprotocol/services/pull/4400',
  FarStructMember: 'https://github.com/foundry-rs/forge-std/issues/101',
  LendingMarket: 'https://github.com/compound-finance/comet: UserBasic, isAllowed',
  AToken: 'https://github.com/foundry-rs/forge-std/issues/140',
  Credits: 'https://github.com/foundry-rs/foundry/issues/4595',
  Gons: 'https://github.com/foundry-rs/forge-std/issues/444',
  Excluding: 'https://github.com/foundry-rs/forge-std/issues/740',
  TwoSheets: 'https://github.com/trusttoken/smart-contracts: BalanceSheet, AllowanceSheet',
  Eternal: 'https://github.com/rocket-pool/rocketpool: RocketStorage',
  HashedAllowances: 'https://github.com/Vectorized/solady: packed keys',
  SpenderFirst: 'the keys in the other order',
  ExpiringAllowances: 'https://github.com/Uniswap/permit2: PackedAllowance',
  Narrow: 'https://github.com/compound-finance/compound-protocol: Comp',
  FarMembers: 'https://eips.ethereum.org/EIPS/eip-7201',
  Diamond: 'https://eips.ethereum.org/EIPS/eip-2535',
  ByNumberFirst: 'https://eips.ethereum.org/EIPS/eip-6909',
  ByHolderFirst: 'https://eips.ethereum.org/EIPS/eip-1155',
  TwoParts: 'a liquid part and a locked part',
  HighHalf: 'https://github.com/foundry-rs/forge-std/pull/148',
  PackedMember: 'https://github.com/foundry-rs/forge-std/pull/888',
  Growing: 'https://github.com/foundry-rs/forge-std/pull/898',
  VyperMember: 'https://github.com/foundry-rs/forge-std/issues/101',
  PooledShares: 'https://github.com/lidofinance/lido-dao: StETH',
  LockedHalf: 'https://github.com/foundry-rs/forge-std/pull/148',
  AddressSlot: 'https://github.com/huff-language/huffmate: ERC20',
  TextKeys: 'keys that are texts',
  WithVotes: 'https://github.com/foundry-rs/forge-std/issues/293',
  PackedCheckpoints: 'https://github.com/ithacaxyz/relay/pull/1432',
  AmongMany: 'a ledger of many tokens in one contract',
  Numbered: 'a number for each holder, as packages/simulation/test/tokens/Numbered.sol has it',
}

const encode = (name: string, method: string, args: readonly unknown[]) =>
  contracts[name]!.abi.encodeFunctionData(method, args) as Hex
const deploy = (name: string) => chain.deploy(contracts[name]!.creation)

const sale = (from: Address, token: Address): SimulationRequest => ({
  from,
  to: taker,
  data: encode('Taker', 'take', [token, AMOUNT]),
  tokenIn: token,
  amountIn: AMOUNT,
  tokenOut: token,
  block: 'latest',
})
const simulate = (request: SimulationRequest, rpc: Rpc = chain.rpc) => simulateSwap(rpc, request, patientContext())

/** Tokens whose balance cannot be overridden for a new account: the first transfer decides its slot. */
const HELD_ONLY = new Set(['Numbered', 'PackedCheckpoints'])

/** Layouts of the daily profile: one for each way in which slots are found. */
const DAILY = new Set([
  'StructMember',
  'AToken',
  'Gons',
  'TwoSheets',
  'HashedAllowances',
  'FarMembers',
  'VyperMember',
  'PackedCheckpoints',
  'Numbered',
])
const longOnlyLayouts = Object.keys(layouts).filter((name) => !DAILY.has(name))

function layoutTests(name: string): void {
  test('a sale of its holder has the simulated result, with every kind of node', async () => {
    const token = await deploy(name)
    const from = await chain.newAccount()
    // The taker has some, so that no slot of its is new.
    for (const to of [from, taker])
      await chain.send({ from: chain.rich, to: token, data: encode('RealToken', 'mint', [to, 3n * AMOUNT]) })
    await chain.send({ from, to: token, data: encode('RealToken', 'approve', [taker, 2n ** 256n - 1n]) })
    const request = sale(from, token)
    const simulated = await simulate(request)
    expect(simulated).toMatchObject({ success: true })
    expect(await simulate(request, createRpc({ chainId: 31337, urls: [older.url] }))).toMatchObject({ success: true })
    expect(await chain.send({ from, to: taker, data: request.data })).toMatchObject({ success: true })
  })

  if (HELD_ONLY.has(name)) return

  test('an account without a balance is simulated with exactly the input', async () => {
    const token = await deploy(name)
    const emptyAccount = toAddress(`0x${'f9'.repeat(20)}`)
    const result = await simulate(sale(emptyAccount, token))
    expect(result).toMatchObject({ success: true, ways: { balance: 'slot' } })
    // The amount is all there is.
    const twice = { ...sale(emptyAccount, token), data: encode('Taker', 'take', [token, 2n * AMOUNT]) }
    expect(await simulate(twice)).toMatchObject({ success: false })
  })
}

describe.each([...DAILY])('%s', layoutTests)
describe.each(longOnlyLayouts)('%s', { tags: 'long' }, layoutTests)

test('an amount that no holder has is refused, without naming parameters of other endpoints', async () => {
  const token = await deploy('Numbered')
  const request = sale(toAddress(`0x${'fa'.repeat(20)}`), token)
  await expect(simulate(request)).rejects.toMatchObject({
    code: 'UNKNOWN_SLOTS',
    message: expect.not.stringMatching(/Slot/),
  })
})
