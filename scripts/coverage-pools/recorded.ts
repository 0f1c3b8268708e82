/**
 * Measures the coverage of pools on recorded blocks of Ethereum, Linea, and Scroll. A local node with the recorded
 * state of the chain mines their transactions again.
 */
import { type Chain, loadRegistry } from '@sluice/chains'
import {
  mineUpTo,
  type RecordedBlock,
  type RecordedRollup,
  readBlocks,
  readRecordings,
  replayBlock,
  startMainnet,
  startRecording,
} from '@sluice/devnet'
import { createRpc } from '@sluice/rpc'
import { assignPools } from './assign.ts'
import { type Coverage, type CoverageOptions, coverageOf } from './coverage.ts'
import { swapsAt } from './mined.ts'
import type { Swap } from './swaps.ts'

/** Chains with recorded blocks. */
export const RECORDED_CHAINS = ['ethereum', 'linea', 'scroll'] as const
export type RecordedChain = (typeof RECORDED_CHAINS)[number]

/** Maximum wait for the search of pools. */
const SETTLE_MS = 60_000

type Node = { readonly url: string; readonly stop: () => Promise<void> }

/** Mines recorded blocks again, and compares the pools of their swaps with those that a quote can use. */
async function coverageAfter(node: Node, chain: Chain, blocks: readonly RecordedBlock[], tokenCount: number) {
  const rpc = createRpc({ chainId: chain.chainId, urls: [node.url] })
  try {
    const swaps: Swap[] = []
    for (const block of blocks) {
      await mineUpTo(node.url, block)
      await replayBlock(node.url, block)
      swaps.push(...(await swapsAt(rpc, block.number, chain)))
    }
    const assign: CoverageOptions['assign'] = (swapsToAssign, knownPools) =>
      assignPools(swapsToAssign, knownPools, { chain, rpc, url: node.url })
    return await coverageOf(swaps, { chain, rpc, tokenCount, settleMs: SETTLE_MS, assign })
  } finally {
    rpc.close()
    await node.stop()
  }
}

/** Returns one coverage for each recording of a chain, because recordings are from different dates. */
export async function recordedCoverage(name: RecordedChain, tokenCount: number): Promise<readonly Coverage[]> {
  const chain = loadRegistry().chain({ ethereum: 1, linea: 59_144, scroll: 534_352 }[name])!
  if (name === 'ethereum')
    return [await coverageAfter(await startMainnet({ replay: true }), chain, readBlocks(), tokenCount)]
  const coverages: Coverage[] = []
  for (const recording of readRecordings(name satisfies RecordedRollup))
    coverages.push(await coverageAfter(await startRecording(recording), chain, recording.blocks, tokenCount))
  return coverages
}

/** Returns the number of a chain's recorded blocks and of their transactions, and the first and last block number. */
export function recordedBlocks(name: RecordedChain) {
  const blocks = name === 'ethereum' ? readBlocks() : readRecordings(name).flatMap((recording) => recording.blocks)
  return {
    blocks: blocks.length,
    from: blocks[0]!.number,
    to: blocks.at(-1)!.number,
    minedTransactions: blocks.reduce((sum, { transactions }) => sum + transactions.length, 0),
  }
}
