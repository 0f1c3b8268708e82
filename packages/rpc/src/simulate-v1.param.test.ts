import { toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import { simulationParam } from './simulate-v1.ts'

const [from, to] = [toAddress(`0x${'1'.repeat(40)}`), toAddress(`0x${'2'.repeat(40)}`)]

test('a simulation is one block of calls, with transfers and without validation', () => {
  const calls = [
    { from, to, data: '0x12', gas: 16n },
    { to: null, data: '0x60' },
  ] as const
  expect(simulationParam(calls, { [to]: { balance: 5n } }, {})).toStrictEqual({
    blockStateCalls: [
      {
        blockOverrides: {},
        stateOverrides: { [to]: { balance: '0x5' } },
        calls: [{ from, to, data: '0x12', gas: '0x10' }, { data: '0x60' }],
      },
    ],
    traceTransfers: true,
    validation: false,
  })
})

test('overrides of the block have their names of the method, zeros too', () => {
  const overrides = { coinbase: from, baseFeePerGas: 0n, number: 0, timestamp: 0 }
  expect(simulationParam([], {}, overrides)).toMatchObject({
    blockStateCalls: [
      { blockOverrides: { feeRecipient: from, baseFeePerGas: '0x0', number: '0x0', time: '0x0' }, calls: [] },
    ],
  })
  expect(simulationParam([], {}, { baseFeePerGas: 16n, number: 17, timestamp: 18 })).toMatchObject({
    blockStateCalls: [{ blockOverrides: { baseFeePerGas: '0x10', number: '0x11', time: '0x12' } }],
  })
})
