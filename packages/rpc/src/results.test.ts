import { expect, test } from 'vitest'
import { hexAnswer, readLogs } from './results.ts'

const badAnswer = expect.objectContaining({ code: 'BAD_ANSWER' })

test.each(['0x', '0x0', '0xABCdef0123456789'])('%s is hex and is passed on as it is', (answer) => {
  expect(hexAnswer(answer)).toBe(answer)
})

test.each([[''], ['0'], ['12'], ['0xg1'], ['0x1g'], ['0x1 '], [' 0x1'], ['0X1'], [1], [null], [undefined], [['0x1']]])(
  '%j is not hex',
  (answer) => {
    expect(() => hexAnswer(answer)).toThrow(badAnswer)
  },
)

const raw = (logIndex: string) => ({
  ...{ address: `0x${'1'.repeat(40)}`, topics: [], data: '0x', blockNumber: '0x5', logIndex },
  blockHash: `0x${'a'.repeat(64)}`,
})

test('logs are read in their order', async () => {
  expect((await readLogs([raw('0x1'), raw('0x0')])).map(({ logIndex }) => logIndex)).toEqual([1, 0])
  expect(await readLogs([])).toEqual([])
})

test.each([[null], [{}], [7], [[null]], [[raw('0x1'), { ...raw('0x2'), address: '0x12' }]]])(
  'logs of the form %j are refused',
  async (answer) => {
    await expect(readLogs(answer)).rejects.toEqual(badAnswer)
  },
)
