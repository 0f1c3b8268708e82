/** Runs in the thread: the pools of each chain as they were last told, and searches over them, one after the other. */
import { parentPort } from 'node:worker_threads'
import { PoolMap } from '@sluice/liquidity'
import { findRoute } from '../find-route.ts'
import { buildGraph, type Graph } from '../graph.ts'
import { type FromThread, type ToThread, toPlain } from './messages.ts'

const port = parentPort!
const poolsOf = new Map<number, PoolMap>()
const graphOf = new Map<number, Graph>()

port.on('message', (message: ToThread) => {
  const { chainId } = message
  if (message.do === 'change') {
    poolsOf.set(chainId, (poolsOf.get(chainId) ?? PoolMap.empty).with(message.changed, message.gone))
  } else if (message.do === 'forget') {
    poolsOf.delete(chainId)
    graphOf.delete(chainId)
  } else port.postMessage(find(message))
})

function find({ job, chainId, block, request }: Extract<ToThread, { do: 'find' }>): FromThread {
  try {
    const pools = poolsOf.get(chainId) ?? PoolMap.empty
    const graph = buildGraph({ chainId, block, pools, changed: null }, graphOf.get(chainId))
    graphOf.set(chainId, graph)
    return { job, result: toPlain(findRoute(graph, request)) }
  } catch (error) {
    return { job, error: error as Error }
  }
}
