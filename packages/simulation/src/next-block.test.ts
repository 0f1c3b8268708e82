import { ZERO_ADDRESS } from '@sluice/chains'
import type { BlockHeader } from '@sluice/rpc'
import { expect, test } from 'vitest'
import { blockAt, nextBlock } from './next-block.ts'

const header: BlockHeader = {
  number: 100,
  hash: `0x${'1'.repeat(64)}`,
  parentHash: `0x${'2'.repeat(64)}`,
  timestamp: 1_000,
  gasLimit: 30_000_000n,
  baseFeePerGas: 7n,
  miner: ZERO_ADDRESS,
}

test.each([
  [12_000, 1_012],
  [1_499, 1_001],
  [1_500, 1_002],
  [1_000, 1_001],
  [200, 1_001],
])('with %i ms between blocks the next block has the timestamp %i', (interval, timestamp) => {
  expect(nextBlock(header, interval)).toEqual({ number: 101, timestamp })
})

test.each([
  // A time before the next block, or its own, is that of the next block.
  [900, 12_000, 101, 1_012],
  [1_011, 12_000, 101, 1_012],
  [1_012, 12_000, 101, 1_012],
  [1_013, 12_000, 101, 1_013],
  [1_023, 12_000, 101, 1_023],
  [1_024, 12_000, 102, 1_024],
  [1_036, 12_000, 103, 1_036],
  [1_002, 250, 108, 1_002],
])('the time %i with %i ms between blocks is that of block %i at %i', (time, interval, number, timestamp) => {
  expect(blockAt(header, time, interval)).toEqual({ number, timestamp })
})
