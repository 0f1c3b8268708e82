import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeProgram, encodeProgram, SHARE_DENOMINATOR, type Step, shareOf, toShare } from './index.ts'
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

  /** Bytes near a program, which pass for one more often than random ones: some replaced, some put in or taken out. */
  const nearby = fc
    .tuple(program, fc.array(fc.tuple(fc.nat(), fc.nat(2), fc.nat(255)), { minLength: 1, maxLength: 3 }))
    .map(([steps, changes]) => {
      const bytes = [...Buffer.from(encodeProgram(steps).slice(2), 'hex')]
      for (const [at, kind, byte] of changes)
        bytes.splice(at % (bytes.length + 1), kind === 1 ? 0 : 1, ...(kind === 2 ? [] : [byte]))
      return Uint8Array.from(bytes)
    })

  test('is decoded from the bytes that encode its steps, and from no others', () => {
    let decoded = 0
    const anyBytes = fc.oneof(nearby, nearby, fc.uint8Array({ maxLength: 200 }))
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const hex = `0x${Buffer.from(bytes).toString('hex')}` as const
        let steps: Step[]
        try {
          steps = decodeProgram(hex, PULLED_TOKEN)
        } catch (error) {
          expect(error).toMatchObject({ code: 'INVALID_PROGRAM' })
          return
        }
        decoded++
        expect(encodeProgram(steps)).toBe(hex)
      }),
      { numRuns: 2_000 },
    )
    expect(decoded).toBeGreaterThan(100)
  })

  test.each([
    ['a batch of Balancer V2 without hops', `0x080d${'22'.repeat(20)}00`],
    ['an unlock of Uniswap V4 without hops', `0x050d${'22'.repeat(20)}00`],
    ['a share of nothing', `0x0209000000${'33'.repeat(20)}${'22'.repeat(20)}`],
    ['a flag that the family does not have', `0x028d${'22'.repeat(20)}`],
    ['hooks that are named and are none', `0x054d${'22'.repeat(20)}01${'33'.repeat(20)}000bb800003c${'00'.repeat(20)}`],
    ['a negative tick spacing', `0x050d${'22'.repeat(20)}01${'33'.repeat(20)}000bb8ffffff`],
    ['native token for a family that cannot take it', `0x0208${'00'.repeat(20)}${'22'.repeat(20)}`],
  ])('with %s is refused', (_, bytes) => {
    expect(() => decodeProgram(bytes)).toThrow(expect.objectContaining({ code: 'INVALID_PROGRAM' }))
  })

  test('that pulls native token is refused where the token is known to be that', () => {
    const bytes = `0x020d${'22'.repeat(20)}`
    expect(decodeProgram(bytes)).toHaveLength(1)
    expect(() => decodeProgram(bytes, `0x${'00'.repeat(20)}`)).toThrow(
      expect.objectContaining({ code: 'INVALID_PROGRAM' }),
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
      fc.property(split, fc.bigInt({ min: 0n, max: 1n << 128n }), ({ num, den }, balance) => {
        const wanted = (balance * num) / den
        const amount = shareOf(balance, toShare(num, den))
        const off = amount > wanted ? amount - wanted : wanted - amount
        expect(off).toBeLessThanOrEqual(balance / BigInt(SHARE_DENOMINATOR) + 1n)
      }),
    )
  })
})
