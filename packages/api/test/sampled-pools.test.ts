/** Tests quotes through pools without math of their own: the local chain's Uniswap V4 pool with a hook, and a hostile one. */
import { createBuilder } from '@sluice/devnet'
import { expect, test, vi } from 'vitest'
import { localService, request } from './src/devnet.ts'
import { ask } from './src/service.ts'

const local = localService()
const token = (symbol: string) => local.devnet.info.tokens[symbol]!.address
const ERC20 = ['function approve(address,uint256)', 'function balanceOf(address) view returns (uint256)']
const WHOLE = 10n ** 18n
const SLIPPAGE = '0.5'

type Answer = {
  readonly toAmount: string
  readonly minToAmount: string
  /** Ids in the answer that are hashes. */
  readonly pools: readonly string[]
  readonly tx: { readonly to: string; readonly data: string; readonly value: string }
}

async function get(query: Readonly<Record<string, string>>): Promise<{ status: number; body: Answer }> {
  const from = local.devnet.info.accounts[0]!.address
  const target = `/aggregator/31337?${new URLSearchParams({ from, slippage: SLIPPAGE, maxPriceImpact: '100', ...query })}`
  const answer = await ask(local.server.url + target)
  const pools = answer.text.match(/0x[0-9a-f]{64}(?=")/gi) ?? []
  return { status: answer.status, body: { ...JSON.parse(answer.text), pools: pools.map((id) => id.toLowerCase()) } }
}
const hookedId = () =>
  local.devnet.info.pools.find(({ family, hooks }) => family === 'uniswap-v4' && hooks && BigInt(hooks) > 0n)!.id!
const pair = () => ({ src: token('UNI'), dst: token('USDC') })

test('a pool with a hook is quoted to the unit, at any amount, and pays that in a transaction', async () => {
  const from = local.devnet.info.accounts[0]!.address
  const only = { includeSources: 'uniswap-v4-hooks' }
  // Past logs are searched in the background.
  await vi.waitFor(async () => expect((await get({ ...pair(), ...only, amount: `${WHOLE}` })).status).toBe(200), 20_000)
  const builder = createBuilder(local.devnet.url, from)
  const [uni, usdc] = [builder.contractAt(ERC20, token('UNI')), builder.contractAt(ERC20, token('USDC'))]
  for (const amount of [WHOLE / 100n, 3n * WHOLE, 217n * WHOLE, 1_003n * WHOLE]) {
    const { status, body } = await get({ ...pair(), ...only, amount: `${amount}` })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.pools).toContain(hookedId())
    await uni.send('approve', [body.tx.to, amount])
    const before = BigInt(await usdc.read<bigint>('balanceOf', [from]))
    // The approval was a block, so the quote is of the block before.
    const fresh = (await get({ ...pair(), ...only, amount: `${amount}` })).body
    const { to, data } = fresh.tx
    const sent = { from, to, data, gas: '0x1e8480' }
    const { status: outcome } = await request<{ status: string }>(local.devnet.url, 'eth_sendTransactionSync', sent)
    expect(outcome).toBe('0x1')
    expect(BigInt(await usdc.read<bigint>('balanceOf', [from])) - before).toBe(BigInt(fresh.toAmount))
  }
}, 120_000)

test('it is used without being named only if its minimum exceeds the output of other pools', async () => {
  for (const amount of [WHOLE, 50n * WHOLE, 2_000n * WHOLE, 20_000n * WHOLE]) {
    const all = (await get({ ...pair(), amount: `${amount}` })).body
    const otherRoute = (await get({ ...pair(), amount: `${amount}`, excludeSources: 'uniswap-v4-hooks' })).body
    const promised = all.pools.includes(hookedId()) ? all.minToAmount : all.toAmount
    expect(BigInt(promised) * 1_000n).toBeGreaterThanOrEqual(BigInt(otherRoute.toAmount) * 999n)
  }
}, 60_000)

test('it does not affect prices', async () => {
  const priceOf = async () => JSON.parse((await ask(`${local.server.url}/prices/31337?token=${token('UNI')}`)).text)
  expect(JSON.stringify(await priceOf())).not.toContain(hookedId())
})
