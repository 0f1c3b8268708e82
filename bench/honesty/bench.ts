/**
 * `npm run bench -- honesty [--trades <count> --seed <n>]`: random trades on the real state of Ethereum (`npm run mainnet`),
 * each quoted over HTTP before block 24,628,607, sent as the answer says, and compared with what was promised; then the same
 * transactions after that block and after the next one. Results in `results/honesty.json`, the table in `docs/honesty.md`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { loadRegistry } from '@sluice/chains'
import { deployContracts } from '@sluice/contracts'
import { mineUpTo, readBlocks, request, startMainnet } from '@sluice/devnet'
import { Node } from '@sluice/system-test/wallet'
import { startProcess } from '../api/world.ts'
import { record } from '../record.ts'
import { afterBlocks } from './blocks.ts'
import { drawTrades, nativeOf } from './draw.ts'
import { writePage } from './page.ts'
import { pricesOf, tokensOfState, withDecimals } from './prices.ts'
import { landedOf, summary, type Tried } from './summary.ts'
import { run } from './trade.ts'

const { values } = parseArgs({
  options: { trades: { type: 'string', default: '1000' }, seed: { type: 'string', default: '20261122' } },
})
const [count, seed] = [Number(values.trades), Number(values.seed)]

const directory = mkdtempSync(join(tmpdir(), 'sluice-honesty-'))
const node = await startMainnet({ replay: true })
try {
  const { chainId, url } = node
  const { guard } = await deployContracts({ rpcUrl: url, chainId, deploymentsDir: directory })
  // Trades come a second after a block, however long they take here: some pools know the time.
  await request(url, 'anvil_setBlockTimestampInterval', [1])
  await mineUpTo(url, readBlocks()[0]!)
  const env = { PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'error', DEPLOYMENTS_DIR: directory, RPC_URL_1: url }
  const service = await startProcess('service.ts', [], env)
  try {
    const { all: addresses, busy } = tokensOfState()
    const prices = await pricesOf(service.url, addresses)
    const all = await withDecimals(url, prices)
    const weth = loadRegistry().chain(chainId)!.wrappedNative!.address.toLowerCase()
    const native = nativeOf(prices.get(weth)!)
    const place = { api: service.url, node: new Node(url), guard: guard.address }
    const tried: Tried[] = []
    const tokens = { native, all, busy: all.filter(({ token }) => busy.has(token)) }
    for (const trade of drawTrades(seed, count, tokens)) {
      tried.push({ trade, outcome: await run(place, trade) })
      if (tried.length % 100 === 0) console.error(`${tried.length} of ${count} trades`)
    }
    const priceOf = new Map([...all, native].map((priced) => [priced.token, priced]))
    const after = await afterBlocks(place, landedOf(tried))
    const figures = { seed, tokens: all.length, busy: tokens.busy.length, ...summary(tried, priceOf, after) }
    record('honesty', figures)
    writePage()
    if (figures.wrong > 0) process.exitCode = 1
  } finally {
    await service.stop()
  }
} finally {
  await node.stop()
  rmSync(directory, { recursive: true })
}
