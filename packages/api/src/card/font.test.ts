/** Tests of the font reader, with fonts of a few glyphs that each test encodes. */
import { deflateSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { readFont } from './font.ts'

/** Encodes 16-bit numbers; negative ones in two's complement. */
const words = (...values: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(2 * values.length)
  for (const [k, value] of values.entries()) bytes.writeUInt16BE(value & 0xffff, 2 * k)
  return bytes
}
const bytes = (...values: readonly number[]) => Buffer.from(values.map((value) => value & 0xff))

/** Encodes a simple glyph. @param outline - instructions, flags, and coordinates */
const simpleGlyph = (contourEnds: readonly number[], ...outline: readonly Buffer[]) =>
  Buffer.concat([words(contourEnds.length, 0, 0, 0, 0, ...contourEnds), ...outline])
const compositeGlyph = (...parts: readonly Buffer[]) => Buffer.concat([words(-1, 0, 0, 0, 0), ...parts])
const NO_INSTRUCTIONS = words(0)
/** Flags of points: each coordinate is a byte that is added. */
const [ON_CURVE, CONTROL] = [0b110111, 0b110110]

/** Segment of a character map of format 4. */
type Segment = { readonly first: number; readonly last: number; readonly delta: number; readonly glyphs?: number[] }

function characterMapOf(segments: readonly Segment[], format = 4): Buffer {
  const all = [...segments, { first: 0xffff, last: 0xffff, delta: 1 } as Segment]
  const indexes: number[] = []
  const ranges = all.map(({ glyphs }, k) => {
    if (!glyphs) return 0
    const range = 2 * (all.length - k + indexes.length)
    indexes.push(...glyphs)
    return range
  })
  const map = words(
    ...[format, 0, 0, 2 * all.length, 0, 0, 0],
    ...[...all.map(({ last }) => last), 0, ...all.map(({ first }) => first), ...all.map(({ delta }) => delta)],
    ...[...ranges, ...indexes],
  )
  // The first subtable has another format, so the reader has to select the second one.
  const other = words(0, 0)
  return Buffer.concat([words(0, 2, 0, 0, 0, 20, 0, 1, 0, 24), other, map])
}

type FontParts = {
  readonly glyphs: readonly Buffer[]
  readonly segments?: readonly Segment[]
  readonly advances?: readonly number[]
  readonly hasLongOffsets?: boolean
  readonly isCompressed?: boolean
  readonly without?: string
  readonly cmapFormat?: number
}

/** Encodes a font. By default, the characters from `?` on have the glyphs from index 1 on. */
function fontOf({ glyphs, advances = [500], segments, hasLongOffsets = true, ...parts }: FontParts): Buffer {
  const head = Buffer.alloc(54)
  head.writeUInt16BE(1_000, 18)
  head.writeInt16BE(Number(hasLongOffsets), 50)
  const hhea = Buffer.alloc(36)
  hhea.writeUInt16BE(advances.length, 34)
  const aligned = glyphs.map((glyph) => Buffer.concat([glyph, Buffer.alloc(glyph.length % 2)]))
  const offsets = [0]
  for (const glyph of aligned) offsets.push(offsets.at(-1)! + glyph.length)
  const defaultSegment = { first: 0x3f, last: 0x3f + glyphs.length - 2, delta: 1 - 0x3f }
  const tables = {
    ...{ head, hhea, glyf: Buffer.concat(aligned) },
    hmtx: words(...advances.flatMap((advance) => [advance, 0])),
    loca: hasLongOffsets ? words(...offsets.flatMap((offset) => [0, offset])) : words(...offsets.map((at) => at / 2)),
    cmap: characterMapOf(segments ?? [defaultSegment], parts.cmapFormat),
  }
  const entries = Object.entries(tables).filter(([name]) => name !== parts.without)
  const header = Buffer.alloc(44)
  header.write('wOFF', 'latin1')
  header.writeUInt16BE(entries.length, 12)
  const directory = Buffer.alloc(20 * entries.length)
  const data: Buffer[] = []
  let offset = header.length + directory.length
  for (const [k, [name, table]] of entries.entries()) {
    const compressed = deflateSync(table)
    // The format stores tables that compression does not make smaller as they are.
    const stored = parts.isCompressed && compressed.length < table.length ? compressed : table
    directory.write(name, 20 * k, 'latin1')
    directory.writeUInt32BE(offset, 20 * k + 4)
    directory.writeUInt32BE(stored.length, 20 * k + 8)
    directory.writeUInt32BE(table.length, 20 * k + 12)
    data.push(stored)
    offset += stored.length
  }
  return Buffer.concat([header, directory, ...data])
}

const EMPTY = Buffer.alloc(0)
/** Triangle with the corners (1, 2), (4, 2), and (4, 7). */
const TRIANGLE = simpleGlyph([2], NO_INSTRUCTIONS, bytes(ON_CURVE, ON_CURVE, ON_CURVE, 1, 3, 0, 2, 0, 5))
const CORNERS = [1, 2, 4, 2, 4, 7]
const contoursOf = (glyph: Buffer, ...more: readonly Buffer[]) =>
  readFont(fontOf({ glyphs: [EMPTY, glyph, ...more] })).glyph('?').contours

test.each([
  ['long offsets', { hasLongOffsets: true }],
  ['short offsets', { hasLongOffsets: false }],
  ['compressed tables', { isCompressed: true }],
])('a font with %s has its size, outlines, and advances', (_, parts) => {
  const { unitsPerEm, glyph } = readFont(fontOf({ glyphs: [EMPTY, TRIANGLE], advances: [500, 600], ...parts }))
  expect(unitsPerEm).toBe(1_000)
  expect(glyph('?')).toEqual({ contours: [CORNERS], advance: 600 })
})

test.each(['head', 'hhea', 'hmtx', 'cmap', 'loca', 'glyf'])('a font without the table %s is refused', (without) => {
  expect(() => readFont(fontOf({ glyphs: [EMPTY, TRIANGLE], without }))).toThrow(`the font has no table ${without}`)
})

test('other files, and fonts without a character map of format 4, are refused', () => {
  expect(() => readFont(Buffer.from('wOF2 and more'))).toThrow('the file is not a WOFF font')
  const font = fontOf({ glyphs: [EMPTY, TRIANGLE], cmapFormat: 12 })
  expect(() => readFont(font)).toThrow('the font has no character map of format 4')
})

describe('characters', () => {
  // Each glyph has its own advance, so the advance names the glyph.
  const advances = [0, 1, 2, 3, 4, 5].map((index) => 100 + index)
  const { glyph } = readFont(
    fontOf({
      glyphs: [EMPTY, TRIANGLE, EMPTY, EMPTY, EMPTY, EMPTY],
      segments: [
        { first: 0x3f, last: 0x3f, delta: 1 - 0x3f },
        { first: 0x41, last: 0x43, delta: 0, glyphs: [2, 0, 3] },
        { first: 0x50, last: 0x51, delta: 1, glyphs: [3, 4] },
      ],
      advances,
    }),
  )
  test.each([
    ['?', 1],
    ['A', 2],
    ['C', 3],
    ['P', 4],
    ['Q', 5],
  ])('%s has glyph %d', (character, index) => {
    expect(glyph(character).advance).toBe(100 + index)
  })

  test.each(['!', '@', 'B', 'D', 'O', 'R', '𝕏'])('%s is missing and drawn as ?', (character) => {
    expect(glyph(character)).toBe(glyph('?'))
    expect(glyph(character).contours).toEqual([CORNERS])
  })

  test('after the last advance of the table have that advance', () => {
    const font = readFont(fontOf({ glyphs: [EMPTY, TRIANGLE, TRIANGLE, TRIANGLE], advances: [100, 101] }))
    expect(['?', '@', 'A'].map((character) => font.glyph(character).advance)).toEqual([101, 101, 101])
  })
})

describe('a simple glyph', () => {
  test('may have instructions, which are skipped', () => {
    const glyph = simpleGlyph([2], words(3), bytes(9, 9, 9, ON_CURVE, ON_CURVE, ON_CURVE, 1, 3, 0, 2, 0, 5))
    expect(contoursOf(glyph)).toEqual([CORNERS])
  })

  test('may repeat a flag', () => {
    expect(contoursOf(simpleGlyph([2], NO_INSTRUCTIONS, bytes(ON_CURVE | 8, 2, 1, 3, 0, 2, 0, 5)))).toEqual([CORNERS])
  })

  test('has coordinates that are added, subtracted, repeated, or of two bytes', () => {
    const flags = bytes(0b000001, 0b000111, 0b110001, 0b110111)
    const coordinates = Buffer.concat([words(300), bytes(20, 5), words(-400), bytes(30, 7)])
    const glyph = simpleGlyph([3], NO_INSTRUCTIONS, flags, coordinates)
    expect(contoursOf(glyph)).toEqual([[300, -400, 280, -430, 280, -430, 285, -423]])
  })

  test('has a contour up to each of its ends', () => {
    const points = Array.from({ length: 6 }, () => ON_CURVE)
    const glyph = simpleGlyph([2, 5], NO_INSTRUCTIONS, bytes(...points, 1, 3, 0, 1, 3, 0, 2, 0, 5, 2, 0, 5))
    expect(contoursOf(glyph)).toEqual([CORNERS, [5, 9, 8, 9, 8, 14]])
  })

  test('without contours is empty', () => {
    expect(contoursOf(simpleGlyph([], NO_INSTRUCTIONS))).toEqual([])
  })

  test('has four segments for each curve', () => {
    const flags = bytes(ON_CURVE, CONTROL, ON_CURVE)
    // A curve from (0, 0) by (16, 0) to (16, 16).
    expect(contoursOf(simpleGlyph([2], NO_INSTRUCTIONS, flags, bytes(0, 16, 0, 0, 0, 16)))).toEqual([
      [0, 0, 7, 1, 12, 4, 15, 9, 16, 16],
    ])
  })

  test('has a point between two control points, and starts at a point of its outline', () => {
    const glyph = simpleGlyph([2], NO_INSTRUCTIONS, bytes(CONTROL, CONTROL, ON_CURVE, 0, 32, 0, 0, 0, 32))
    // From the midpoint (16, 0) by (32, 0) to (32, 32), and by (0, 0) back.
    expect(contoursOf(glyph)).toEqual([[16, 0, 23, 2, 28, 8, 31, 18, 32, 32, 19, 18, 12, 8, 11, 2]])
  })

  test('of control points alone starts at a midpoint', () => {
    const glyph = simpleGlyph([1], NO_INSTRUCTIONS, bytes(CONTROL, CONTROL, 0, 32, 0, 0))
    expect(contoursOf(glyph)).toEqual([[16, 0, 22, 0, 24, 0, 22, 0, 16, 0, 10, 0, 8, 0, 10, 0]])
  })
})

describe('a composite glyph', () => {
  const [WIDE, MORE, SCALE, TWO_SCALES, MATRIX] = [1, 32, 8, 64, 128]

  test('has other glyphs at offsets of one or two bytes', () => {
    const parts = [words(MORE, 2), bytes(-1, 10), words(WIDE, 2, 300, -300)]
    expect(contoursOf(compositeGlyph(...parts), TRIANGLE)).toEqual([
      [0, 12, 3, 12, 3, 17],
      [301, -298, 304, -298, 304, -293],
    ])
  })

  test.each([
    ['a scale', SCALE, 1],
    ['two scales', TWO_SCALES, 2],
    ['a matrix', MATRIX, 4],
  ])('may have %s, which is skipped', (_, flag, count) => {
    const scales = words(...Array.from({ length: count }, () => 0x4000))
    const parts = [words(flag | MORE, 2), bytes(0, 0), scales, words(WIDE, 2, 1, 1)]
    expect(contoursOf(compositeGlyph(...parts), TRIANGLE)).toEqual([CORNERS, CORNERS.map((value) => value + 1)])
  })

  test('has no more than four levels of other glyphs', () => {
    const chain = [2, 3, 4, 5].map((index) => compositeGlyph(words(0, index), bytes(1, 0)))
    expect(contoursOf(chain[0]!, ...chain.slice(1), TRIANGLE)).toEqual([[5, 2, 8, 2, 8, 7]])
    const tooDeep = [2, 3, 4, 5, 6].map((index) => compositeGlyph(words(0, index), bytes(1, 0)))
    expect(contoursOf(tooDeep[0]!, ...tooDeep.slice(1), TRIANGLE)).toEqual([])
    expect(contoursOf(compositeGlyph(words(0, 1), bytes(1, 0)))).toEqual([])
  })
})
