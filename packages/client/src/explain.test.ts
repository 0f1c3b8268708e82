/** Tests that `explain` decodes every instruction of the Executor and the contracts that it names. */
import { encodeGuardSwap } from '@sluice/bindings/guard'
import { decodeProgram, ops } from '@sluice/program'
import { type Golden, golden } from '@sluice/program/testing'
import { expect, test } from 'vitest'
import { poolsOf } from './explain.ts'
import { explain } from './index.ts'

/** Operations whose pool ids are derived from the bytes, by a hash or otherwise, instead of contained in them. */
const hashedOps = new Set(['uniswap-v4', 'pancake-infinity', 'ekubo', 'ambient', 'balancer-v3'])
const address = (digits: string) => `0x${digits.repeat(20)}` as const

const transaction = ({ pulledToken, bytes }: Golden) => {
  const data = encodeGuardSwap({
    tokenIn: pulledToken,
    amountIn: 1000n,
    value: 0n,
    tokenOut: address('22'),
    minOutput: 990n,
    deadline: 1_800_000_000n,
    executor: address('33'),
    wrapper: address('00'),
    feePpm: 1500n,
    feeRecipient: address('44'),
    recipient: address('77'),
    direct: false,
    program: bytes,
  })
  return { from: address('55'), to: address('66'), data, value: '0' }
}

test.each(golden)('$name', (program) => {
  const explanation = explain(transaction(program))
  expect(explanation).toMatchObject({
    guard: address('66'),
    recipient: address('77'),
    tokenIn: program.pulledToken,
    amountIn: 1000n,
    tokenOut: address('22'),
    minOutput: 990n,
    deadline: 1_800_000_000n,
    fee: { ppm: 1500n, recipient: address('44') },
    executor: address('33'),
  })
  expect(explanation.steps).toEqual(decodeProgram(program.bytes, program.pulledToken))
  expect(explanation.steps.length).toBeGreaterThan(0)
  expect(explanation.pools.length).toBeGreaterThan(0)
  // Every pool must be in the bytes, except derived ids and the token that the Guard draws.
  const hashed = new Set(explanation.steps.flatMap((step) => (hashedOps.has(step.op) ? poolsOf(step) : [])))
  for (const pool of explanation.pools) {
    const inBytes = program.bytes.toLowerCase().includes(pool.slice(2).toLowerCase())
    expect(inBytes || hashed.has(pool) || pool === program.pulledToken, pool).toBe(true)
  }
})

test('together they hold every instruction there is', () => {
  const operations = new Set(golden.flatMap((program) => explain(transaction(program)).steps.map(({ op }) => op)))
  expect([...operations].sort()).toEqual(ops.map(({ name }) => name).sort())
})

test('a program cut anywhere is refused, not half explained', () => {
  for (const program of golden)
    for (let bytes = 0; bytes < (program.bytes.length - 2) / 2; bytes++) {
      const cut = program.bytes.slice(0, 2 + 2 * bytes) as `0x${string}`
      let steps: number | undefined
      try {
        steps = explain(transaction({ ...program, bytes: cut })).steps.length
      } catch (error) {
        expect(error).toMatchObject({ code: 'UNSAFE' })
        continue
      }
      // Cut between two steps, the program is valid but has fewer steps.
      expect(steps).toBeLessThan(explain(transaction(program)).steps.length)
    }
})
