import { expect, test } from 'vitest'
import { decodeProgram, encodeProgram, SHARE_DENOMINATOR, type Step } from './index.ts'

const [token, out, pool] = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}`) as [
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
]
const curve = (variant: string) =>
  ({
    ...{ op: 'curve', tokenIn: token, tokenOut: out, pool, i: 0, j: 1, variant },
    ...{ input: { kind: 'pullAll' }, output: { kind: 'recipient' } },
  }) as unknown as Step

test('a choice beyond the last one is refused', () => {
  const [first, last] = ['int128', 'uint8'].map((variant) =>
    Buffer.from(encodeProgram([curve(variant)]).slice(2), 'hex'),
  ) as [Buffer, Buffer]
  const places = [...first.keys()].filter((k) => first[k] !== last[k])
  expect(places).toHaveLength(1)
  const [place] = places as [number]
  expect([first[place], last[place]]).toEqual([0, 4])
  for (const choice of [5, 6, 255]) {
    const bytes = Buffer.from(first)
    bytes[place] = choice
    expect(() => decodeProgram(`0x${bytes.toString('hex')}`, token)).toThrow(
      expect.objectContaining({ code: 'INVALID_PROGRAM' }),
    )
  }
  expect(decodeProgram(`0x${last.toString('hex')}`, token)).toMatchObject([{ variant: 'uint8' }])
})

const sharing = (share: number): Step => ({ ...curve('int128'), input: { kind: 'share', share } }) as Step

test.each([1, SHARE_DENOMINATOR - 1])('a share of %d is written and read', (share) => {
  expect(decodeProgram(encodeProgram([sharing(share)]), token)).toMatchObject([{ input: { kind: 'share', share } }])
})

test.each([0, -1, 0.5, 1.5, SHARE_DENOMINATOR, SHARE_DENOMINATOR + 1, Number.NaN])(
  'a share of %d is refused',
  (share) => {
    expect(() => encodeProgram([sharing(share)])).toThrow(
      expect.objectContaining({ code: 'INVALID_STEP', message: expect.stringContaining('share must be from 1') }),
    )
  },
)
