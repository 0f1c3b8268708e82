/** Tests routes while a token that most of them pass through cannot be transferred. */
import { createBuilder } from '@sluice/devnet'
import { expect, test } from 'vitest'
import { localService, request } from './src/devnet.ts'
import { ask } from './src/service.ts'
import { compiledAs } from './src/tokens.ts'

const local = localService()

type Answer = {
  readonly toAmount: string
  readonly swaps: readonly { readonly tokenIn: string; readonly tokenOut: string }[]
}

const token = (symbol: string) => local.devnet.info.tokens[symbol]!.address.toLowerCase()

async function quote(src: string, dst: string, amount: bigint, query: Readonly<Record<string, string>> = {}) {
  const parameters = new URLSearchParams({ src: token(src), dst: token(dst), amount: `${amount}`, ...query })
  const { status, text } = await ask(`${local.server.url}/quote/31337?${parameters}`)
  return { status, body: JSON.parse(text) as Answer & { readonly code?: string }, text }
}

const legsOf = ({ swaps }: Answer, symbol: string) =>
  swaps.filter(({ tokenIn, tokenOut }) => [tokenIn.toLowerCase(), tokenOut.toLowerCase()].includes(token(symbol)))

/** Replaces the code of a token while a test runs. */
async function withCode(symbol: string, code: string, run: () => Promise<void>): Promise<void> {
  const before = await request<string>(local.devnet.url, 'eth_getCode', token(symbol), 'latest')
  const set = async (next: string) => {
    await request(local.devnet.url, 'anvil_setCode', token(symbol), next)
    await request(local.devnet.url, 'evm_mine')
  }
  await set(code)
  await run().finally(() => set(before))
}

const E18 = 10n ** 18n
const trades: readonly (readonly [src: string, dst: string, amount: bigint])[] = [
  ['WETH', 'USDC', 2_000n * E18],
  ['WETH', 'DAI', 3_000n * E18],
  ['LINK', 'CRV', 20_000n * E18],
]

const REVERT = '0x5f5ffd'
/** Assertions of old compilers, which USDT was compiled with, fail like this. */
const INVALID = '0xfe'

async function codeOfPausedToken(): Promise<string> {
  const builder = createBuilder(local.devnet.url, local.devnet.info.accounts[7]!.address)
  const { address } = await builder.deploy(compiledAs('PausedToken'), [])
  return request(local.devnet.url, 'eth_getCode', address, 'latest')
}

test.each([
  ['its issuer pauses', codeOfPausedToken],
  ['does not answer at all', async () => REVERT],
  ['uses up all gas', async () => INVALID],
])('a token that %s is avoided, also by pools that hold it, until a minute later', async (_, codeOf) => {
  const code = await codeOf()
  const usual: Answer[] = []
  for (const trade of trades) {
    const { status, body, text } = await quote(...trade)
    expect(status, text).toBe(200)
    expect(legsOf(body, 'USDT').length, text).toBeGreaterThan(0)
    usual.push(body)
  }
  await withCode('USDT', code, async () => {
    for (const [k, trade] of trades.entries()) {
      const { status, body, text } = await quote(...trade)
      expect(status, text).toBe(200)
      expect(legsOf(body, 'USDT')).toEqual([])
      // Pools of USDT and two other tokens still trade the other two.
      expect(Number(body.toAmount) / Number(usual[k]!.toAmount)).toBeGreaterThan(0.995)
    }
    const sold = await quote('USDT', 'USDC', 1_000_000n)
    expect([sold.status, sold.body.code]).toEqual([422, expect.stringMatching(/^(ROUTE_REVERTED|BAD_TOKEN)$/)])
  })
  await request(local.devnet.url, 'evm_increaseTime', 512)
  await request(local.devnet.url, 'anvil_mine', '0x40')
  await expect
    .poll(async () => legsOf((await quote(...trades[0]!)).body, 'USDT').length, { timeout: 90_000, interval: 500 })
    .toBeGreaterThan(0)
})
