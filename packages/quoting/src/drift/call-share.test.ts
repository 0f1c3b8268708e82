import { expect, test } from 'vitest'
import { CallShare } from './call-share.ts'

test('calls can be spent once they are earned', () => {
  const share = new CallShare(0.1)
  share.creditCalls(19)
  expect(share.takeCalls(2)).toBe(false)
  expect(share.takeCalls(1)).toBe(true)
  expect(share.takeCalls(1)).toBe(false)
  share.creditCalls(1)
  expect(share.takeCalls(1)).toBe(true)
})

test('at most fifty calls are saved', () => {
  const share = new CallShare(1)
  share.creditCalls(1_000)
  expect([share.takeCalls(51), share.takeCalls(50), share.takeCalls(1)]).toEqual([false, true, false])
})

test('owed calls are paid back before further ones are granted', () => {
  const share = new CallShare(1)
  share.recordExtra(3)
  share.creditCalls(3)
  expect(share.takeCalls(1)).toBe(false)
  share.creditCalls(1)
  expect(share.takeCalls(1)).toBe(true)
})

test('a share of zero is off', () => {
  expect([0, 0.01].map((share) => new CallShare(share).isOff)).toEqual([true, false])
  const off = new CallShare(0)
  off.creditCalls(1e9)
  expect(off.takeCalls(1)).toBe(false)
})
