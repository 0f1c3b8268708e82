/**
 * An indexer process of the fault test. Arguments: URL, start of the chain, and a version of the state, if another one.
 * SIGUSR2 delays its next write for longer than its lease.
 */
import { ChainIndexer } from '../../src/indexer.ts'
import { keysOf } from '../../src/keys.ts'
import { HUB } from './synthetic-chain.ts'
import { SyntheticMarket } from './synthetic-market.ts'

/** Milliseconds of the delay: enough for another indexer to take the lease and publish. */
const DELAY_MS = 6_000

const [url, start, schema] = process.argv.slice(2) as [string, string, string?]
const send = (message: object) => process.send?.(message)
let isDelayed = false
const indexer = new ChainIndexer({
  ...{ url, chainId: 1, scope: { hubs: [HUB], intermediates: [HUB] }, keys: keysOf(1, schema) },
  open: (place) => {
    const market = new SyntheticMarket(Number(start), place)
    market.start()
    return { market, close: () => market.stop() }
  },
  onError: (error) => send({ error: error instanceof Error ? error.message : String(error) }),
  beforeWrite: async () => {
    if (!isDelayed) return
    isDelayed = false
    send({ held: true })
    // Blocks the whole process, so that its lease expires.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, DELAY_MS)
  },
})
indexer.start()
setInterval(() => send({ owns: indexer.ownsChain }), 50)
process.on('SIGUSR2', () => {
  isDelayed = true
})
process.on('SIGTERM', () => void indexer.stop().finally(() => process.exit()))
// Exits with the test, instead of running forever.
process.on('disconnect', () => process.exit())
