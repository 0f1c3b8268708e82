/** One worker of the fault test: URL in its arguments, then as of an indexer. Tells a digest of every state that it shows, and wants tokens now and then. */
import { Semaphore } from '@sluice/rpc'
import { Commands } from '../../src/commands.ts'
import { Follower } from '../../src/follower.ts'
import { keysOf } from '../../src/keys.ts'
import { putWant } from '../../src/wants.ts'
import { type Groups, sumOf } from './digest.ts'
import { FIRST_GROUPS, GROUPS, groupOfToken, pairOf, tokenOf } from './made-chain.ts'

/** Milliseconds between two times that what is missing is wanted. */
const WANT_MS = 500
/** Fields of a page: few, so that joins span blocks. */
const PAGE = 40

const [url, , schema] = process.argv.slice(2) as [string, string, string?]
const keys = keysOf(1, schema)
const tell = (message: object) => process.send?.(message)
const commands = new Commands(url)
const wanted = new Map<number, number>()

const follower = new Follower({
  ...{ url, keys, joins: new Semaphore(1), page: PAGE },
  onShown: ({ block, pools, pairs, stands }) => {
    const groups: Groups = sumOf(pools.values())
    const known = [...pairs].map((pair) => groupOfToken(pair.split(',')[0]!))
    tell({ shown: { hash: block.hash, number: block.number, groups, known, stands } })
    for (const [group, since] of wanted) {
      if (!pairs.has(pairOf(group))) continue
      tell({ wantMs: Date.now() - since })
      wanted.delete(group)
    }
  },
})
follower.start()
setInterval(() => {
  const group = FIRST_GROUPS + Math.floor(Math.random() * (GROUPS - FIRST_GROUPS))
  const isKnown = follower.shown?.pairs.has(pairOf(group)) ?? true
  if (!isKnown && !wanted.has(group) && Math.random() < 0.3) wanted.set(group, Date.now())
  for (const asked of wanted.keys()) void putWant(commands, keys, { groups: [[tokenOf(asked)]] }).catch(() => {})
}, WANT_MS)
setInterval(() => tell({ counts: { ...follower.counts, waiting: wanted.size } }), 500)
process.on('disconnect', () => process.exit())
