import { toAddress } from '@sluice/chains'
import type { Snapshot } from '@sluice/liquidity'
import type { MeasuredHop, RouteRequest } from '@sluice/routing'
import { expect, test } from 'vitest'
import { replayOf, requestOfReplay } from './replay.ts'

const [one, two] = ['11', '22'].map((byte) => toAddress(`0x${byte.repeat(20)}`))
const hop: MeasuredHop = { tokenIn: one!, tokenOut: two!, first: 3, middle: 2, last: 1 }

test('the log line of a failed search contains its whole request as JSON', () => {
  const block: Snapshot['block'] = {
    number: 7,
    hash: '0x07',
    parentHash: '0x06',
    timestamp: 0,
    gasLimit: 0n,
    baseFeePerGas: 0n,
    miner: one!,
  }
  const request: RouteRequest = {
    tokenIn: one!,
    tokenOut: two!,
    amountIn: 2n ** 90n,
    wrappedNative: null,
    gasPriceWei: 3n,
    sources: { exclude: new Set(['curve']), executable: new Set(['uniswap-v2']) },
    trust: { level: 'earned', tokens: new Set([one!]), accounts: new Set(), pools: new Set(['0x44']) },
    excludePools: new Set(['0x33']),
    inputLimits: [{ poolId: '0x88', tokenIn: one!, tokenOut: two!, maxInput: 2n ** 80n }],
    driftPenalties: new Map([['0x55', 1_000_000]]),
    learnedGas: new Map<string, number | readonly MeasuredHop[]>([
      ['0x66', -12_000],
      ['0x77', [hop]],
    ]),
    taxes: new Map([[one!, { usual: { buyPpm: 1, sellPpm: 2, transferPpm: 3 }, inPool: new Map() }]]),
  }
  const replay = replayOf({ chainId: 1, block, pools: new Map(), changedIds: null }, request)
  expect(JSON.parse(JSON.stringify(replay))).toEqual({
    chainId: 1,
    block: 7,
    blockHash: '0x07',
    pools: 0,
    request: {
      tokenIn: one,
      tokenOut: two,
      amountIn: `${2n ** 90n}`,
      wrappedNative: null,
      gasPriceWei: '3',
      sources: { exclude: ['curve'], executable: ['uniswap-v2'] },
      trust: { level: 'earned', tokens: [one], accounts: [], pools: ['0x44'] },
      excludePools: ['0x33'],
      inputLimits: [{ poolId: '0x88', tokenIn: one, tokenOut: two, maxInput: `${2n ** 80n}` }],
      driftPenalties: [['0x55', 1_000_000]],
      learnedGas: [
        ['0x66', -12_000],
        ['0x77', [hop]],
      ],
      taxes: [[one, { usual: { buyPpm: 1, sellPpm: 2, transferPpm: 3 }, inPool: [] }]],
    },
  })
  expect(requestOfReplay(JSON.stringify(replay.request))).toEqual(request)
})
