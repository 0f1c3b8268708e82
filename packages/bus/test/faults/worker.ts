/**
 * A worker process of the fault test. Arguments as for an indexer. Reports a digest of every state, and requests pools
 * at random.
 */
import { Semaphore } from '@sluice/rpc'
import { Commands } from '../../src/commands.ts'
import { StateFollower } from '../../src/follower.ts'
import { keysOf } from '../../src/keys.ts'
import { sendRequest } from '../../src/request-stream.ts'
import { type Groups, sumOf } from './digest.ts'
import { FIRST_GROUPS, GROUPS, groupOfToken, pairOf, tokenOf } from './synthetic-chain.ts'

/** Milliseconds between two requests for missing pools. */
const REQUEST_MS = 500
/** Fields per read: few, so that joins take several blocks. */
const PAGE = 40

const [url, , schema] = process.argv.slice(2) as [string, string, string?]
const keys = keysOf(1, schema)
const send = (message: object) => process.send?.(message)
const commands = new Commands(url)
const requestedAt = new Map<number, number>()

const follower = new StateFollower({
  ...{ url, keys, joinLimit: new Semaphore(1), fieldsPerRead: PAGE },
  onState: ({ block, pools, pairs, canonical }) => {
    const groups: Groups = sumOf(pools.values())
    const pairGroups = [...pairs].map((pair) => groupOfToken(pair.split(',')[0]!))
    send({ shown: { hash: block.hash, number: block.number, groups, pairGroups, canonical } })
    for (const [group, since] of requestedAt) {
      if (!pairs.has(pairOf(group))) continue
      send({ wantMs: Date.now() - since })
      requestedAt.delete(group)
    }
  },
})
follower.start()
setInterval(() => {
  const group = FIRST_GROUPS + Math.floor(Math.random() * (GROUPS - FIRST_GROUPS))
  const isKnown = follower.currentState?.pairs.has(pairOf(group)) ?? true
  if (!isKnown && !requestedAt.has(group) && Math.random() < 0.3) requestedAt.set(group, Date.now())
  for (const missing of requestedAt.keys())
    void sendRequest(commands, keys, { groups: [[tokenOf(missing)]] }).catch(() => {})
}, REQUEST_MS)
setInterval(() => send({ counts: { ...follower.counts, waiting: requestedAt.size } }), 500)
process.on('disconnect', () => process.exit())
