/** One indexer of the fault test: URL, START and a version of the state, where it is another one, in its arguments. SIGUSR2 holds its next write for longer than its lease. */
import { ChainIndexer } from '../../src/indexer.ts'
import { keysOf } from '../../src/keys.ts'
import { HUB } from './made-chain.ts'
import { MadeMarket } from './made-market.ts'

/** Time for the other one to take the lease, and to publish. */
const HELD_MS = 6_000

const [url, start, schema] = process.argv.slice(2) as [string, string, string?]
const tell = (message: object) => process.send?.(message)
let isHeld = false
const indexer = new ChainIndexer({
  ...{ url, chainId: 1, scope: { hubs: [HUB], intermediates: [HUB] }, keys: keysOf(1, schema) },
  open: (place) => {
    const market = new MadeMarket(Number(start), place)
    market.start()
    return { market, close: () => market.stop() }
  },
  onError: (error) => tell({ error: error instanceof Error ? error.message : String(error) }),
  beforeWrite: async () => {
    if (!isHeld) return
    isHeld = false
    tell({ held: true })
    // Nothing else happens in the process meanwhile: its lease runs out.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, HELD_MS)
  },
})
indexer.start()
setInterval(() => tell({ owns: indexer.owns }), 50)
process.on('SIGUSR2', () => {
  isHeld = true
})
process.on('SIGTERM', () => void indexer.stop().finally(() => process.exit()))
// An orphan would go on for ever.
process.on('disconnect', () => process.exit())
