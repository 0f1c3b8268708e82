/** Compares the referee's reading of users' swaps on Ethereum with the balances of their senders. */
import type { Hex } from '@sluice/chains'
import { Transaction } from 'ethers'
import { expect, test } from 'vitest'
import { mineAs, readRecorded, sendRecorded, startBefore } from './src/recorded.ts'
import { startService } from './src/service.ts'
import { get } from './src/swap.ts'
import { Node } from './src/wallet.ts'

type Verdict = {
  readonly outcome: string
  readonly trades: readonly Readonly<Record<'fromAmount' | 'toAmount' | 'toAmountAtParent', string>>[]
}

const latestOf = (router: string) => readRecorded().findLast((each) => each.router.startsWith(router))!

// One transaction per router. `npm run bench -- referee` runs all fifty.
test.each(['UniversalRouter', '1inch', '0x', 'ParaSwap', 'KyberSwap', 'MetaMask'].map(latestOf))(
  'of a swap through $router it reads what balances say',
  async (recorded) => {
    const anvil = await startBefore(recorded)
    const service = await startService({ RPC_URL_1: anvil.url })
    try {
      const node = new Node(anvil.url)
      const { received } = await sendRecorded(node, recorded)
      const hash = await node.request<Hex>('eth_sendRawTransaction', [recorded.raw])
      await mineAs(node, recorded)
      const { status, body } = await get<Verdict>(`${service.url}/referee/1/${hash}`)
      expect(status).toBe(200)
      expect(body, JSON.stringify(body)).toMatchObject({ outcome: 'swap', block: recorded.block.number, index: 0 })
      const trader = Transaction.from(recorded.raw).from!.toLowerCase()
      const [src, dst] = [recorded.tokenIn.toLowerCase(), recorded.tokenOut.toLowerCase()]
      const [trade] = body.trades
      expect(trade).toMatchObject({ trader, recipient: trader, src, dst })
      expect(BigInt(trade!.toAmount)).toBe(received)
      expect(BigInt(trade!.fromAmount)).toBeLessThanOrEqual(BigInt(recorded.amountIn))
      expect(BigInt(trade!.fromAmount)).toBeGreaterThan(0n)
      expect(trade!.toAmountAtParent).toBe(trade!.toAmount)
    } finally {
      await service.stop()
      await anvil.stop()
    }
  },
  180_000,
)
