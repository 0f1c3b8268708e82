/** Tests when refused logs of a block are accepted, with a node in memory. */
import { type Address, type Hex, ZERO_ADDRESS } from '@sluice/chains'
import { type BlockHeader, type Rpc, RpcError, type RpcErrorCode } from '@sluice/rpc'
import { expect, test } from 'vitest'
import { BlockLogs } from './block-logs.ts'

const header = (number: number): BlockHeader => ({
  ...{ number, hash: `0x${number}` as Hex, parentHash: `0x${number - 1}` as Hex, timestamp: number },
  ...{ gasLimit: 1n, baseFeePerGas: null, miner: ZERO_ADDRESS as Address },
})

/** Reads the logs of blocks up to `head` from a node that refuses those of the first one. */
async function readRefused(
  logs: BlockLogs,
  code: RpcErrorCode,
  head: number,
  { count = 1, isConfirmedHead = true } = {},
) {
  const blocks = Array.from({ length: count }, (_, k) => header(head - count + 1 + k))
  const rpc = {
    getLogs: async ({ blockHash }: { blockHash: Hex }) => {
      if (blockHash === blocks[0]!.hash) throw new RpcError(code, 'no logs')
      return []
    },
  } as unknown as Rpc
  const { signal } = new AbortController()
  return logs.read(rpc, { blocks, topics: [], signal, isConfirmedHead, onDoubt: () => {} })
}

test.each(['REJECTED', 'PRUNED'] as const)('%s counts as a refusal once the head is confirmed', async (code) => {
  const logs = new BlockLogs()
  await expect(readRefused(logs, code, 7, { isConfirmedHead: false })).rejects.toMatchObject({ code })
  expect(await readRefused(logs, code, 7)).toBe('refused')
})

test.each(['UNSUPPORTED', 'RANGE', 'SIZE'] as const)('%s counts as a refusal at once', async (code) => {
  expect(await readRefused(new BlockLogs(), code, 7, { isConfirmedHead: false })).toBe('refused')
})

test('a block that the node lacks counts as refused when the head is five blocks ahead', async () => {
  const logs = new BlockLogs()
  await expect(readRefused(logs, 'LAGGING', 10, { count: 4 })).rejects.toMatchObject({ code: 'LAGGING' })
  expect(await readRefused(logs, 'LAGGING', 11, { count: 5 })).toBe('refused')
})

test('a failure of the node is no refusal', async () => {
  for (const code of ['UNREACHABLE', 'TIMEOUT', 'RATE_LIMITED', 'BLOCK_GONE'] as const)
    await expect(readRefused(new BlockLogs(), code, 20, { count: 9 })).rejects.toMatchObject({ code })
})

test('a refusal is accepted again 16 blocks after all pools were read', async () => {
  const logs = new BlockLogs()
  expect(await readRefused(logs, 'REJECTED', 100)).toBe('refused')
  logs.recordReread(100)
  await expect(readRefused(logs, 'REJECTED', 115)).rejects.toMatchObject({ code: 'REJECTED' })
  expect(await readRefused(logs, 'REJECTED', 116)).toBe('refused')
})
