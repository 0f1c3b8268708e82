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
    .describe('`paused`: the node is busy. `failing`: the node does not give the logs. `done`: every pool is known.'),
  progress: z.number().min(0).max(1).describe('Share of the blocks.'),
  blocksLeft: z.int().nullable().describe('Blocks that are left; null before the search began.'),
  blocksPerCall: z.int().optional().describe('Blocks that the node grants in one request.'),
  reason: z.string().optional().describe('Why the search does not go on.'),
  families: z.array(z.string()).describe('Families whose pools are not all known.'),
})

const chain = {
  state: z
    .enum(CHAIN_STATES)
    .describe('`asleep`: nobody has asked for the chain lately. `failing`: the node does not answer as it should.'),
  head: z.int().optional().describe('Newest block that is quoted.'),
  lagSeconds: z.int().optional().describe("Seconds since that block by the block's own time."),
  pools: z.int().optional().describe('Pools in memory.'),
  clock: z.string().optional().describe('Whether blocks come as usual, and at our time.'),
  scan: scan.optional().describe('Search of past logs for pools.'),
  settling: z
    .literal(true)
    .optional()
    .describe('Pools are still searched for, or measured: later answers of the same block may be better.'),
  reason: z.string().optional().describe('Why the chain does not move with our time.'),
}
const status = z.enum(['ready', 'not ready']).describe('`not ready` comes with status 503.')

export const chainReady = z.object({ status, chainId: z.int(), ...chain })

export const ready = z.object({
  status,
  bus: z
    .object({
      state: z.enum(['connected', 'away', 'full']),
      since: z.string().optional().describe('Time since which Redis is away, or full.'),
      owned: z.array(z.int()).describe('Chains that this process reads for all.'),
      scans: z.record(z.string(), scan).optional().describe('Searches of past logs of these chains.'),
    })
    .optional()
    .describe('With `REDIS_URL`: the connection to Redis.'),
  chains: z.record(z.string(), z.object(chain)).describe('Chains that were asked for since the start.'),
})
