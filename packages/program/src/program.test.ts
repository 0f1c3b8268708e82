import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeProgram, encodeProgram, SHARE_DENOMINATOR, shareOf, toShare } from './index.ts'
import { PULLED_TOKEN, program } from './testing/arbitrary.ts'

describe('a program', () => {
  test('decodes to the steps it was made from', () => {
    fc.assert(
      fc.property(program, (steps) => {
        expect(decodeProgram(encodeProgram(steps), PULLED_TOKEN)).toEqual(steps)
      }),
    )
  })

  test('that is cut short is refused, wherever it is cut inside a step', () => {
    fc.assert(
      fc.property(program, fc.nat(), (steps, at) => {
        const last = encodeProgram(steps.slice(-1))
        const cut = 1 + (at % ((last.length - 2) / 2 - 1))
        const bytes = `${encodeProgram(steps.slice(0, -1))}${last.slice(2, 2 + cut * 2)}`
        expect(() => decodeProgram(bytes)).toThrow(expect.objectContaining({ code: 'INVALID_PROGRAM' }))
      }),
    )
  })

  test('of any bytes decodes to steps that survive encoding, or is refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const hex = `0x${Buffer.from(bytes).toString('hex')}` as const
        let steps: ReturnType<typeof decodeProgram>
        try {
          steps = decodeProgram(hex)
        } catch (error) {
          expect(error).toMatchObject({ code: 'INVALID_PROGRAM' })
          return
        }
        // Bits without a meaning for the family are not kept; what they decode to stays. Some bytes decode to steps that
        // nobody would write, such as a share of 0.
        let again: `0x${string}`
        try {
          again = encodeProgram(steps)
        } catch (error) {
          expect(error).toMatchObject({ code: 'INVALID_STEP' })
          return
        }
        expect(decodeProgram(again)).toEqual(steps)
      }),
    )
  })

  test.each([
    ['a share of everything', { kind: 'share', share: SHARE_DENOMINATOR }],
    ['a share of nothing', { kind: 'share', share: 0 }],
    ['an amount of 2^128', { kind: 'pull', amount: 1n << 128n }],
    ['a negative amount', { kind: 'held', amount: -1n }],
    ['payment ahead of a pool that asks for it', { kind: 'atPool' }],
  ] as const)('refuses %s', (_, input) => {
    const token = `0x${'11'.repeat(20)}` as const
    const step = {
      op: 'uniswap-v3',
      tokenIn: token,
      pool: token,
      zeroForOne: true,
      input,
      output: { kind: 'recipient' },
    } as const
    expect(() => encodeProgram([step])).toThrow(expect.objectContaining({ code: 'INVALID_STEP' }))
  })
})

describe('a share', () => {
  const split = fc
    .tuple(fc.bigInt({ min: 1n, max: 1n << 130n }), fc.bigInt({ min: 2n, max: 1n << 130n }))
    .map(([num, den]) => ({ num: num % den || 1n, den }))

  test('can always be written', () => {
    fc.assert(
      fc.property(split, ({ num, den }) => {
        const share = toShare(num, den)
        expect(share).toBeGreaterThanOrEqual(1)
        expect(share).toBeLessThan(SHARE_DENOMINATOR)
      }),
    )
  })

  test('is off by at most one part in its denominator', () => {
    fc.assert(
      fc.property(split, fc.bigInt({ min: 0n, max: 1n << 128n }), ({ num, den }, held) => {
        const wanted = (held * num) / den
        const taken = shareOf(held, toShare(num, den))
        const off = taken > wanted ? taken - wanted : wanted - taken
        expect(off).toBeLessThanOrEqual(held / BigInt(SHARE_DENOMINATOR) + 1n)
      }),
    )
  })
})
