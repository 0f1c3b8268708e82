import { afterAll, beforeAll, expect, test } from 'vitest'
import { patientContext, startTestChain, type TestChain } from './chain.ts'
import { compareShape, shapesOn } from './shapes.ts'

let chain: TestChain
const context = patientContext()
beforeAll(async () => {
  chain = await startTestChain()
})
afterAll(() => chain?.anvil.stop())

/** Gas that the proxy at the sender takes to receive native. */
const RECEIVING_GAS = 20n

test.each(Object.entries(shapesOn(() => chain)))(
  '%s: amount and gas equal those of the sent transaction',
  async (_, shape) => {
    const { simulated, sent, toNative } = await compareShape(shape, chain, context)
    expect(simulated.revertReason).toBeUndefined()
    expect(sent.success).toBe(true)
    expect(simulated.amountOut).toBe(sent.received)
    const difference = BigInt(simulated.gasUsed) - sent.grossGas
    expect(difference).toBeGreaterThanOrEqual(0n)
    expect(difference).toBeLessThanOrEqual(toNative ? RECEIVING_GAS : 0n)
  },
)
