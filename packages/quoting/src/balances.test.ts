import { toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import { readBalances } from './balances.ts'

const [holder, token] = ['1', '2'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [
  ...[ReturnType<typeof toAddress>, ReturnType<typeof toAddress>],
]

test('a balance is the first word of an answer, and null without a whole word', () => {
  const reads = readBalances(Array.from({ length: 5 }, () => [holder, token] as const))
  const calls = reads.next().value as readonly { readonly data: string }[]
  expect(calls).toHaveLength(5)
  expect(calls[0]).toEqual({ to: token, gas: 300_000, data: `0x70a08231${holder.slice(2).padStart(64, '0')}` })
  const word = `0x${'7'.padStart(64, '0')}`
  const answers = [word, `${word}ff`, word.slice(0, -1), '0x', null]
  expect(reads.next(answers as never)).toEqual({ done: true, value: [7n, 7n, null, null, null] })
})
