/** Entry point of a routing thread: mirrors the pools of each chain, and runs searches one after the other. */
import { parentPort } from 'node:worker_threads'
import { FieldCollector, PoolMap, readEntry, type Snapshot } from '@sluice/liquidity'
import { RoutingError } from '../errors.ts'
import { findRoute } from '../find-route.ts'
import { buildGraph } from '../graph/build-graph.ts'
import type { Graph } from '../graph/graph.ts'
import { type FromThread, type SharedTerms, type ToThread, toPlain } from './messages.ts'

const port = parentPort!
const poolsByChain = new Map<number, PoolMap>()
const graphByChain = new Map<number, Graph>()
const termsByChain = new Map<number, Map<string, SharedTerms>>()

port.on('message', (message: ToThread) => {
  const { chainId } = message
  if (message.do === 'change') {
    poolsByChain.set(chainId, (poolsByChain.get(chainId) ?? PoolMap.empty).with(message.changedPools, message.goneIds))
  } else if (message.do === 'follow') {
    poolsByChain.set(chainId, message.entries.reduce(applyEntry, poolsByChain.get(chainId) ?? PoolMap.empty))
  } else if (message.do === 'share') {
    const terms = termsByChain.get(chainId) ?? new Map<string, SharedTerms>()
    termsByChain.set(chainId, terms.set(message.name, message.terms))
  } else if (message.do === 'forget') {
    poolsByChain.delete(chainId)
    graphByChain.delete(chainId)
    termsByChain.delete(chainId)
  } else post(find(message))
})

/**
 * @throws Error if the entry does not continue from the current state. The thread ends, and the next one receives
 *   everything again.
 */
function applyEntry(pools: PoolMap, bytes: Uint8Array): PoolMap {
  const entry = readEntry(bytes)
  const changedState = entry && FieldCollector.of(entry).applyTo(pools, entry.gone)
  if (!changedState) throw new Error('a log entry does not continue from the state of the thread')
  return changedState.pools
}

function find({ chainId, block, request, sharedNames }: Extract<ToThread, { do: 'find' }>): FromThread {
  try {
    const graph = graphAt(chainId, block)
    const terms = sharedNames.map((name) => termsByChain.get(chainId)!.get(name))
    return { result: toPlain(findRoute(graph, Object.assign({}, request, ...terms))) }
  } catch (thrown) {
    const error = thrown as Error
    return error instanceof RoutingError ? { error, code: error.code } : { error }
  }
}

/**
 * Returns the graph of a block. The graph is cached, with its own cached facts, until the block or the pools change.
 */
function graphAt(chainId: number, block: Snapshot['block']): Graph {
  const pools = poolsByChain.get(chainId) ?? PoolMap.empty
  const cachedGraph = graphByChain.get(chainId)
  if (cachedGraph?.snapshot.pools === pools && cachedGraph.snapshot.block.hash === block.hash) return cachedGraph
  const graph = buildGraph({ chainId, block, pools, changedIds: null }, cachedGraph)
  graphByChain.set(chainId, graph)
  post({ prepared: true })
  return graph
}

function post(message: FromThread): void {
  port.postMessage(message)
}
