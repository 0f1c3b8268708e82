/** Checks the head and the block time of a chain. */
import { type Check, type Finding, missing, pass, unknown } from './finding.ts'

/**
 * Maximum age of the newest block. If it is older, the chain or the node has halted, or a local chain mines on demand.
 */
const STALE_SECONDS = 3_600
/** Number of blocks over which the block time is measured. */
const MEASURED_BLOCKS = 1_000
/**
 * Maximum factor between the measured and the recorded block time. A rough value is enough, because the service uses it
 * only to choose how often to poll.
 */
const MAX_FACTOR = 2

export const checkHead: Check = async ({ chain, rpc, block }) => {
  const [head, earlierBlock] = await Promise.all([
    rpc.getBlock(block),
    rpc.getBlock(Math.max(1, block - MEASURED_BLOCKS)),
  ])
  if (head === null) return [unknown('head', `the node does not know its own block ${block}`)]
  const findings: Finding[] = []
  const ageSeconds = Math.round(Date.now() / 1000) - head.timestamp
  findings.push(
    ageSeconds > STALE_SECONDS
      ? unknown('head', `block ${block} is ${Math.round(ageSeconds / 3600)} h old`)
      : pass('head', `block ${block}`),
  )

  const blockCount = earlierBlock === null ? 0 : head.number - earlierBlock.number
  if (earlierBlock === null || blockCount < MEASURED_BLOCKS / 2)
    return [...findings, unknown('block time', 'too few blocks to measure')]
  const measuredMs = Math.round((1000 * (head.timestamp - earlierBlock.timestamp)) / blockCount)
  const ratio = measuredMs / chain.blockTimeMs
  if (ratio <= MAX_FACTOR && ratio >= 1 / MAX_FACTOR) return [...findings, pass('block time', `${measuredMs} ms`)]
  return [
    ...findings,
    missing('block time', `measured ${measuredMs} ms, recorded as ${chain.blockTimeMs} ms`, (file) => {
      file.blockTimeMs = measuredMs
    }),
  ]
}
