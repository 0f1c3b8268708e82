import { IGuard__factory } from '@sluice/bindings'
import { toAddress } from '@sluice/chains'
import type { SwapSimulation } from '@sluice/simulation'
import { expect, test } from 'vitest'
import { defaultDeadline } from '../deadline.ts'
import { receivedFromRefusal, withoutOwnFee } from './try-route.ts'

const now = 1_800_000_000

test('the default deadline is 20 minutes after now if the last block is an hour old', () => {
  expect(defaultDeadline(now - 3_600, 1_000 * now + 999)).toBe(now + 1_200)
})

test('the default deadline is 20 minutes after the block if its timestamp is in the future', () => {
  expect(defaultDeadline(now + 3_600, 1_000 * now)).toBe(now + 4_800)
})

test('the received amount is decoded from OutputTooLow and from no other return data', () => {
  const guard = IGuard__factory.createInterface()
  const values = guard.getError('OutputTooLow')!.inputs.map(({ name }) => (name === 'received' ? 7n : 9n))
  const refusal = guard.encodeErrorResult('OutputTooLow', values) as `0x${string}`
  expect(receivedFromRefusal({ returnData: refusal })).toBe(7n)
  for (const returnData of ['0x', '0x12', '0xdeadbeef', refusal.slice(0, 40)] as const)
    expect(receivedFromRefusal({ returnData: returnData as `0x${string}` })).toBeUndefined()
})

test('a fee that the recipient receives does not count as output', () => {
  const [from, other] = [toAddress(`0x${'11'.repeat(20)}`), toAddress(`0x${'22'.repeat(20)}`)]
  const outcome = { success: true, amountOut: 1_000_003n }
  const simulation = { ...outcome, alternatives: [outcome], outcomeWithProbe: outcome } as unknown as SwapSimulation
  const outputsOf = ({ amountOut, alternatives, outcomeWithProbe }: SwapSimulation) =>
    [{ amountOut }, ...alternatives!, outcomeWithProbe!].map((each) => each.amountOut)
  const fee = { from, feePpm: 100_000n }
  // The Guard rounds the fee of 100,000.3 down.
  for (const request of [
    { ...fee, feeRecipient: from },
    { ...fee, recipient: other, feeRecipient: other },
  ])
    expect(outputsOf(withoutOwnFee(simulation, request))).toEqual([900_003n, 900_003n, 900_003n])
  for (const request of [
    { ...fee, feeRecipient: other },
    { ...fee, recipient: other, feeRecipient: from },
    { from, feePpm: 0n },
  ])
    expect(withoutOwnFee(simulation, request)).toBe(simulation)
})
