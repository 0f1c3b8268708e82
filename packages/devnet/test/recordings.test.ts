/**
 * Tests that replayed blocks of rollups match the recorded ones, and that their factories return the pools.
 *
 * @module-tag long
 */
import { Interface } from 'ethers'
import { expect, test } from 'vitest'
import { type RecordedRollup, readRecordings, replayBlock, request, startRecording } from '../src/index.ts'

const all = (['linea', 'scroll'] as const).flatMap((name: RecordedRollup) =>
  readRecordings(name).map((recording) => [name, recording.blocks[0]!.number, recording] as const),
)

test.each(all)(
  'blocks of %s from %i have the results of the chain',
  async (_, first, recording) => {
    const { blocks, chainId } = recording
    expect(blocks.map(({ number }) => number)).toEqual(blocks.map((_block, k) => first + k))
    const node = await startRecording(recording)
    try {
      expect(Number(await request(node.url, 'eth_chainId', []))).toBe(chainId)
      for (const block of blocks) await replayBlock(node.url, block)
      expect(Number(await request(node.url, 'eth_blockNumber', []))).toBe(blocks.at(-1)!.number)
    } finally {
      await node.stop()
    }
  },
  120_000,
)

const getters = new Interface([
  'function getPool(address,address) view returns (address)',
  'function poolByPair(address,address) view returns (address)',
])

test('a table stands in for a factory without recorded code, and recorded code answers by its own storage', async () => {
  // The last recording of Linea has Lynex's factory, and not SyncSwap's.
  const recording = readRecordings('linea').at(-1)!
  const node = await startRecording(recording)
  const answer = (to: string, getter: string, ...pair: string[]) =>
    request<string>(node.url, 'eth_call', [{ to, data: getters.encodeFunctionData(getter, pair) }, 'latest'])
  try {
    const deployedPools = recording.pools.filter(({ address }) => recording.accounts[address]?.codeHash)
    for (const [family, getter, isRecorded] of [
      ['syncswap', 'getPool', false],
      ['algebra-v1', 'poolByPair', true],
    ] as const) {
      const { factory, tokens, address } = deployedPools.find((pool) => pool.family === family)!
      expect(recording.accounts[factory]?.codeHash !== undefined).toBe(isRecorded)
      for (const pair of [tokens, tokens.toReversed()])
        expect(BigInt(await answer(factory, getter, ...pair))).toBe(BigInt(address))
      expect(BigInt(await answer(factory, getter, tokens[0], factory))).toBe(0n)
    }
  } finally {
    await node.stop()
  }
}, 60_000)
