import { IGuard__factory } from '@sluice/bindings'
import { expect, test } from 'vitest'
import { defaultDeadline } from '../deadline.ts'
import { tooLittle } from './try-route.ts'

const now = 1_800_000_000

test('the default deadline is 20 minutes after now where the last block is an hour old', () => {
  expect(defaultDeadline(now - 3_600, 1_000 * now + 999)).toBe(now + 1_200)
})

test('and 20 minutes after the block where that is of the future', () => {
  expect(defaultDeadline(now + 3_600, 1_000 * now)).toBe(now + 4_800)
})

test('a refusal of the Guard tells what was received, and nothing else that a swap may revert with does', () => {
  const guard = IGuard__factory.createInterface()
  const values = guard.getError('OutputTooLow')!.inputs.map(({ name }) => (name === 'received' ? 7n : 9n))
  const refusal = guard.encodeErrorResult('OutputTooLow', values) as `0x${string}`
  expect(tooLittle({ returnData: refusal })).toBe(7n)
  for (const returnData of ['0x', '0x12', '0xdeadbeef', refusal.slice(0, 40)] as const)
    expect(tooLittle({ returnData: returnData as `0x${string}` })).toBeUndefined()
})
