/** Response schemas of `/health` and `/ready`. */
import { CHAIN_STATES } from '@sluice/quoting'
import { z } from 'zod'

export const health = z.object({
  status: z.literal('ok'),
  uptimeSeconds: z.int().nonnegative().describe('Seconds since the process started.'),
})

const scan = z.object({
  state: z
    .enum(['waiting', 'scanning', 'paused', 'failing', 'done'])
    .describe(
      '`paused`: interrupted, because the node is busy. `failing`: the node does not return the logs. `done`: every pool is known.',
    ),
  progress: z.number().min(0).max(1).describe('Share of the blocks that have been searched.'),
  blocksLeft: z.int().nullable().describe('Number of blocks still to be searched; null before the search has begun.'),
  blocksPerCall: z.int().optional().describe('Number of blocks whose logs the node returns in one request.'),
  reason: z.string().optional().describe('Why the search does not continue.'),
  families: z.array(z.string()).describe('DEX families whose pools are not all known yet.'),
})

const chain = {
  state: z
    .enum(CHAIN_STATES)
    .describe(
      '`asleep`: not updated, because there were no recent requests. `failing`: the node does not respond, or responds with errors.',
    ),
  head: z.int().optional().describe('Number of the newest block that quotes are calculated at.'),
  lagSeconds: z.int().optional().describe("Seconds since that block's own timestamp."),
  pools: z.int().optional().describe('Number of pools in memory.'),
  clock: z
    .string()
    .optional()
    .describe("Whether new blocks arrive as usual, and whether their timestamps agree with this machine's clock."),
  scan: scan.optional().describe('Search of past logs for pools.'),
  settling: z
    .literal(true)
    .optional()
    .describe('Present while pools are still being found or measured: a later quote at the same block may be better.'),
  reason: z
    .string()
    .optional()
    .describe("Why new blocks do not arrive, or why their timestamps differ from this machine's clock."),
}
const status = z.enum(['ready', 'not ready']).describe('The HTTP status is 200 for `ready` and 503 for `not ready`.')

export const chainReady = z.object({ status, chainId: z.int(), ...chain })

export const ready = z.object({
  status,
  bus: z
    .object({
      state: z.enum(['connected', 'away', 'full']),
      since: z.string().optional().describe('Time since which Redis has been away or full.'),
      owned: z.array(z.int()).describe('Chains that this process reads on behalf of all processes.'),
      scans: z.record(z.string(), scan).optional().describe('Searches of past logs of the owned chains.'),
    })
    .optional()
    .describe('Connection to Redis. Present if `REDIS_URL` is set.'),
  chains: z.record(z.string(), z.object(chain)).describe('Chains that were requested since the process started.'),
})
