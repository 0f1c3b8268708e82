import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeProgram, encodeProgram, ops, ProgramError, type Step } from './index.ts'
import { golden, PULLED_TOKEN, program } from './testing/index.ts'

const repeatedAddress = (digit: string) => `0x${digit.repeat(40)}` as const
const [token, pool, other] = [repeatedAddress('1'), repeatedAddress('2'), repeatedAddress('3')]
const swap = {
  ...{ op: 'curve', variant: 'int128', i: 0, j: 1, tokenOut: other, pool, tokenIn: token },
  ...{ input: { kind: 'rest' }, output: { kind: 'executor' } },
} as unknown as Step
const bytes = encodeProgram([swap])
/** Returns the program with one byte set to another value. */
const withByte = (offset: number, value: number, program: string = bytes) =>
  program.slice(0, 2 + 2 * offset) + value.toString(16).padStart(2, '0') + program.slice(4 + 2 * offset)
const decodeError = (program: string, pullStep?: `0x${string}`) => {
  try {
    decodeProgram(program, pullStep)
  } catch (error) {
    expect(error).toBeInstanceOf(ProgramError)
    expect(error).toMatchObject({ name: 'ProgramError', code: 'INVALID_PROGRAM' })
    return (error as Error).message
  }
  return 'accepted'
}
/** Byte offset of the first field, after the opcode, the flags, and the input token. */
const VARIANT = 22

describe('a program', () => {
  test('is decoded into the steps that it was encoded from', () => {
    fc.assert(
      fc.property(program, (steps) => {
        expect(decodeProgram(encodeProgram(steps), PULLED_TOKEN)).toEqual(steps)
      }),
      { numRuns: 300 },
    )
  })

  test.each(golden)('of the golden list is decoded and encoded exactly: $name', ({ steps, bytes, pulledToken }) => {
    expect(decodeProgram(bytes, pulledToken)).toEqual(steps)
    expect(encodeProgram(steps)).toBe(bytes)
  })

  test('may be empty, and may have upper-case or lower-case digits', () => {
    expect(decodeProgram('0x')).toEqual([])
    expect(decodeProgram(`0x${bytes.slice(2).toUpperCase()}`)).toEqual([swap])
  })

  test('has the zero address as input token if the pulled token is not given', () => {
    const pullStep = { ...swap, input: { kind: 'pull', amount: 5n } } as Step
    const [step] = decodeProgram(encodeProgram([pullStep]))
    expect(step).toMatchObject({ tokenIn: repeatedAddress('0'), input: { kind: 'pull', amount: 5n } })
    expect(decodeProgram(encodeProgram([pullStep]), token)).toEqual([pullStep])
  })

  test('is refused if a byte is missing or extra', () => {
    for (let length = 1; length < bytes.length / 2 - 1; length++)
      expect(decodeError(bytes.slice(0, 2 + 2 * length))).toContain(`of a program of ${length}`)
    expect(decodeError(`${bytes}07`)).toContain('of a program of')
    for (const text of ['', '0x1', 'zz', `${bytes}g0`])
      expect(decodeError(text)).toBe('a program is whole bytes of hex')
  })
})

describe('a step', () => {
  test('of an unknown operation is refused with its byte offset', () => {
    expect(decodeError(withByte(0, 0xff))).toBe('step at byte 0: unknown opcode 255')
    expect(decodeError(bytes + withByte(0, 0).slice(2))).toBe(`step at byte ${bytes.length / 2 - 1}: unknown opcode 0`)
  })

  test('with an unknown variant is refused', () => {
    const variants = ['int128', 'uint256', 'int128-received', 'uint256-received', 'uint8']
    for (const [index, variant] of variants.entries())
      expect(decodeProgram(withByte(VARIANT, index))).toEqual([{ ...swap, variant }])
    expect(decodeError(withByte(VARIANT, 5))).toBe('step at byte 0: no variant 5')
    expect(decodeError(withByte(VARIANT, 255))).toBe('step at byte 0: no variant 255')
  })

  test('with an unknown input or output kind is refused', () => {
    expect(decodeError(withByte(1, 6))).toBe('step at byte 0: no input kind 6')
    expect(decodeError(withByte(1, 7))).toBe('step at byte 0: no input kind 7')
    expect(decodeError(withByte(1, 0b11000))).toBe('step at byte 0: no output kind 3')
  })

  test('that cannot be prepaid, or that pulls the native token, is refused', () => {
    expect(decodeError(withByte(1, 3))).toBe('step at byte 0: curve cannot be prepaid')
    const wrap = encodeProgram([
      {
        op: 'wrap',
        wrapped: token,
        tokenIn: repeatedAddress('0'),
        input: { kind: 'rest' },
        output: { kind: 'executor' },
      } as Step,
    ])
    expect(decodeProgram(wrap)).toMatchObject([{ op: 'wrap', tokenIn: repeatedAddress('0') }])
    for (const kind of [4, 5])
      expect(decodeError(withByte(1, kind, wrap))).toContain('the native token cannot be pulled')
  })

  test('is refused if encoding it again gives other bytes', () => {
    // The direction flag, which this operation does not have.
    expect(decodeError(withByte(1, 32))).toBe('the bytes are not those that encode their steps')
    const batch = ops.find(({ hops }) => hops)!
    const hopless = `0x${batch.code.toString(16).padStart(2, '0')}00${'11'.repeat(20)}`
    const fields = Object.values(batch.fields).map((field) => '22'.repeat(field.kind === 'address' ? 20 : 32))
    expect(decodeError(`${hopless}${fields.join('')}00`)).toBe(`${batch.name} needs at least one hop`)
  })

  test('has the amount, the share, or the receiver that its flags name', () => {
    const inputs = [
      { kind: 'rest' },
      { kind: 'share', share: 7 },
      { kind: 'held', amount: 1n << 127n },
      { kind: 'pullAll' },
    ]
    const outputs = [{ kind: 'executor' }, { kind: 'recipient' }, { kind: 'address', address: pool }]
    for (const input of inputs)
      for (const output of outputs) {
        const step = { ...swap, input, output } as Step
        expect(decodeProgram(encodeProgram([step]), token)).toEqual([step])
      }
  })
})
