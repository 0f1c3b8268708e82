/** Tests that quotes ignore tokens donated to a pool, because anyone can take them back before the swap is mined. */
import { NATIVE } from '@sluice/chains'
import { createBuilder } from '@sluice/devnet'
import { describe, expect, test } from 'vitest'
import { localService, request } from './src/devnet.ts'
import { ask } from './src/service.ts'

const local = localService()
const PAIR = ['function skim(address)']
const TOKEN = [
  'function mint(address,uint256)',
  'function approve(address,uint256)',
  'function transfer(address,uint256)',
]

type Route = {
  readonly toAmount: string
  readonly minToAmount: string
  readonly priceImpact: number
  readonly gasEstimate: string
  readonly warnings: readonly string[]
  readonly swaps: readonly { readonly pool: string; readonly amountOut: string }[]
  readonly tx: { readonly to: string; readonly data: string }
}

async function quote(query: Record<string, string>): Promise<Route> {
  const { status, text } = await ask(`${local.server.url}/aggregator/31337?${new URLSearchParams(query)}`)
  expect(status, text).toBe(200)
  return JSON.parse(text)
}

describe.each([
  ['uniswap-v2', 'LINK', 'WETH', 10n ** 20n],
  ['velodrome-v2', 'GUSD', 'FRAX', 10_000n],
])('%s', (family, sold, bought, amount) => {
  test('the quote uses the reserves, has a warning, and is valid after the donation is removed', async () => {
    const { devnet } = local
    const [src, dst] = [devnet.info.tokens[sold]!.address, devnet.info.tokens[bought]!.address]
    const [donor, from] = [devnet.info.accounts[0]!.address, devnet.info.accounts[1]!.address]
    const query = { src, dst, amount: `${amount}`, from, includeSources: family, maxHops: '1', maxSplits: '1' }
    const before = await quote(query)
    const pool = createBuilder(devnet.url, donor).contractAt(PAIR, before.swaps[0]!.pool)
    const token = (who: typeof donor) => createBuilder(devnet.url, who).contractAt(TOKEN, src)
    await token(donor).send('transfer', [pool.address, 3n * amount])
    const gifted = await quote(query)
    const { toAmount, minToAmount, swaps, priceImpact, warnings } = gifted
    expect({ toAmount, minToAmount }).toEqual({ toAmount: before.toAmount, minToAmount: before.minToAmount })
    expect(swaps[0]!.amountOut).toBe(toAmount)
    expect(priceImpact).toBe(before.priceImpact)
    expect(warnings.join()).toMatch(/more than the pools' reserves explain/)
    await token(from).send('approve', [gifted.tx.to, amount])
    await pool.send('skim', [donor])
    const gas = `0x${((BigInt(gifted.gasEstimate) * 12n + 9n) / 10n).toString(16)}`
    const sent = { from, to: gifted.tx.to, data: gifted.tx.data, gas }
    expect(await request(devnet.url, 'eth_sendTransactionSync', sent)).toMatchObject({ status: '0x1' })
  })
})

test('a convenience fee for the recipient of the output is no donation', async () => {
  const { tokens, accounts } = local.devnet.info
  const [from, other] = [accounts[0]!.address, accounts[1]!.address]
  const fee = { convenienceFee: '10', amount: '1000000000000000000', from }
  for (const [src, dst] of [
    [tokens.WETH!.address, tokens.USDC!.address],
    [tokens.USDT!.address, NATIVE],
  ] as const)
    for (const recipient of [from, other]) {
      const query = { ...fee, src, dst, recipient, ...(dst === NATIVE && { amount: '3000000000' }) }
      const own = await quote({ ...query, convenienceFeeRecipient: recipient })
      const { toAmount, minToAmount } = await quote({ ...query, convenienceFeeRecipient: accounts[2]!.address })
      expect(own).toMatchObject({ toAmount, minToAmount, warnings: [] })
    }
})
