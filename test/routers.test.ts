/** Compares `/simulate` with what users of other routers received on Ethereum. */
import { NodeProxy } from '@sluice/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  gasOfSenderCode,
  readRecordedSwaps,
  sendRecorded,
  sendWithExactInput,
  simulateRecorded,
  startBefore,
} from './src/recorded.ts'
import { type Service, startService } from './src/service.ts'
import { Node } from './src/wallet.ts'

let proxy: NodeProxy
let service: Service
/** URL of the node behind the proxy. One service sees the chain at several times in turn. */
let url = ''
beforeAll(async () => {
  proxy = await NodeProxy.start('', async ({ id, method, params }) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params })
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    return (await answer.json()) as { result: unknown }
  })
  service = await startService({ RPC_URL_1: proxy.url })
})
afterAll(async () => {
  await service?.stop()
  await proxy?.stop()
})

const latestOf = (router: string) => readRecordedSwaps().findLast((record) => record.router.startsWith(router))!
const earliestFirst = ['UniversalRouter', '1inch', '0x', 'ParaSwap', 'KyberSwap', 'MetaMask']
  .map(latestOf)
  .sort((a, b) => a.block.number - b.block.number)

// One transaction per router. `npm run bench -- simulate routers` runs all fifty.
test.each(earliestFirst)(
  '/simulate predicts the amount that a user of $router was paid on Ethereum',
  async (recorded) => {
    const anvil = await startBefore(recorded)
    url = anvil.url
    try {
      const node = new Node(url)
      const simulated = await simulateRecorded(service.url, recorded)
      const sent = await sendRecorded(node, recorded)
      expect(sent.matchesChain).toBe(true)
      expect(simulated.revertReason).toBeUndefined()
      expect(BigInt(simulated.amountOut)).toBe(sent.received)
      const { grossGas } = (await sendWithExactInput(node, recorded))!
      expect(simulated.gasUsed - grossGas).toBe(gasOfSenderCode(recorded))
    } finally {
      await anvil.stop()
    }
  },
)
