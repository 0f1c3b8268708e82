/** Tests tokens that read the code of accounts: the quote of a wallet equals the result of its transaction. */
import { toAddress } from '@sluice/chains'
import { type Contract, createBuilder, loadArtifact } from '@sluice/devnet'
import { beforeAll, describe, expect, test } from 'vitest'
import { localService, request } from './src/devnet.ts'
import { ask } from './src/service.ts'
import { deployToken } from './src/tokens.ts'

const local = localService()
const WHOLE = 10n ** 18n
const ERC20 = [
  'function approve(address,uint256)',
  'function balanceOf(address) view returns (uint256)',
  'function deposit() payable',
]
let from: string
let weth: string

beforeAll(() => {
  from = local.devnet.info.accounts[1]!.address
  weth = local.devnet.info.tokens.WETH!.address
})

type Route = {
  readonly toAmount: string
  readonly gasEstimate: string
  readonly warnings: readonly string[]
  readonly tx: { readonly to: string; readonly data: string }
  readonly code?: string
  readonly error?: string
}
type Receipt = { readonly status: string; readonly gasUsed: string }

const erc20 = (token: string) => createBuilder(local.devnet.url, toAddress(from)).contractAt(ERC20, token)

async function quote(src: string, dst: string, amount: bigint): Promise<Route & { readonly status: number }> {
  const query = { src, dst, amount: `${amount}`, from }
  const { status, text } = await ask(`${local.server.url}/aggregator/31337?${new URLSearchParams(query)}`)
  return { status, ...JSON.parse(text) }
}

/** Sends a quote and expects its amount and gas. */
async function expectAsSent(route: Route & { readonly status: number }, dst: string, recipient = from): Promise<void> {
  expect(route.status, route.error).toBe(200)
  const before = await erc20(dst).read<bigint>('balanceOf', [recipient])
  const gas = `0x${((BigInt(route.gasEstimate) * 12n + 9n) / 10n).toString(16)}`
  const sent = { from, to: route.tx.to, data: route.tx.data, gas }
  const receipt = await request<Receipt>(local.devnet.url, 'eth_sendTransactionSync', sent)
  expect(receipt.status).toBe('0x1')
  expect((await erc20(dst).read<bigint>('balanceOf', [recipient])) - before).toBe(BigInt(route.toAmount))
  const charged = Number(receipt.gasUsed)
  expect(Number(route.gasEstimate)).toBeGreaterThanOrEqual(charged)
  expect(Number(route.gasEstimate)).toBeLessThan(1.35 * charged)
}

/** Deploys a token and gives the sender some of it and of WETH, both approved for the Guard. */
async function funded(name: string): Promise<Contract> {
  const token = await deployToken(local.devnet, name)
  await token.send('mint', [from, 10n * WHOLE])
  for (const address of [token.address, weth])
    await erc20(address).send('approve', [local.devnet.info.guard, 2n ** 250n])
  return token
}

describe.each(['TaxesWallets', 'TaxesWalletSenders', 'MigratesContracts'])('%s', (name) => {
  test('buys and sells as quoted', async () => {
    const token = await funded(name)
    await erc20(weth).send('deposit', [], WHOLE)
    await expectAsSent(await quote(weth, token.address, WHOLE / 100n), token.address)
    await expectAsSent(await quote(token.address, weth, WHOLE), weth)
    const { text } = await ask(`${local.server.url}/tokens/31337?token=${token.address}`)
    expect(JSON.parse(text)[token.address.toLowerCase()] ?? JSON.parse(text)[token.address]).toMatchObject({
      asksForCode: true,
      walletsDiffer: true,
    })
    const { warnings } = await quote(token.address, weth, WHOLE + 1n)
    if (name !== 'TaxesWallets') expect(warnings.join()).toMatch(/by their code/)
  })
})

test('an amount above the wallet limit is refused with the reason, and a smaller one is quoted', async () => {
  const token = await funded('WalletLimit')
  await erc20(weth).send('deposit', [], WHOLE)
  const refused = await quote(weth, token.address, WHOLE / 10n)
  expect(refused).toMatchObject({ status: 422, code: 'ROUTE_REVERTED', error: expect.stringContaining('wallet limit') })
  await expectAsSent(await quote(weth, token.address, WHOLE / 1_000n), token.address)
})

describe('a token that the Guard may not hold goes directly from the pool to its buyer', () => {
  const recipient = toAddress(`0x${'7e'.repeat(20)}`)

  async function pairOf(token: string): Promise<string> {
    const { info, url } = local.devnet
    const { abi } = loadArtifact('@uniswap/v2-core/build/UniswapV2Factory.json')
    const factory = createBuilder(url, toAddress(from)).contractAt(abi, info.routers.uniswapV2Factory!)
    return factory.read<string>('getPair', [token, weth])
  }

  test.each(['Verified', 'CallsReceivers'])('%s', async (name) => {
    const token = await funded(name)
    const pair = await pairOf(token.address)
    await (name === 'Verified' ? token.send('verify', [[pair, from, recipient]]) : token.send('open', [pair]))
    await erc20(weth).send('deposit', [], WHOLE)
    await expectAsSent(await quote(weth, token.address, WHOLE / 100n), token.address)
    await expectAsSent(await quote(token.address, weth, WHOLE), weth)
    const terms = { src: weth, dst: token.address, from, recipient }
    const ofRecipient = async (amount: object) => {
      const query = new URLSearchParams({ ...terms, ...amount })
      const { status, text } = await ask(`${local.server.url}/aggregator/31337?${query}`)
      return { status, ...JSON.parse(text) } as Route & { readonly status: number }
    }
    await expectAsSent(await ofRecipient({ amount: `${WHOLE / 50n}` }), token.address, recipient)
    await expectAsSent(await ofRecipient({ amountOut: `${WHOLE}`, slippage: '0' }), token.address, recipient)
    const fee = { convenienceFee: '1', convenienceFeeRecipient: toAddress(`0x${'fe'.repeat(20)}`) }
    expect(await ofRecipient({ amount: `${WHOLE / 50n}`, ...fee })).toMatchObject({ code: 'ROUTE_REVERTED' })
  })
})
