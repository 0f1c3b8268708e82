/**
 * Reads the glyphs of a WOFF font with TrueType outlines, so that drawing text needs no graphics library. Byte offsets
 * and flag bits are those of the file formats.
 *
 * @see WOFF 1.0 (W3C) and the tables `cmap`, `glyf`, `head`, `hhea`, `hmtx`, and `loca` of OpenType
 */
import { inflateSync } from 'node:zlib'

/** Closed polygon: x and y alternate, in font units, with y upward. */
export type Contour = readonly number[]

export type Font = {
  readonly unitsPerEm: number
  /**
   * Returns the outline and the advance width of a character, in font units; if the font lacks the character, those of
   * `?`.
   */
  readonly glyph: (character: string) => { readonly contours: readonly Contour[]; readonly advance: number }
}

/** Number of line segments per quadratic curve. */
const SEGMENTS_PER_CURVE = 4
/** Maximum nesting of composite glyphs. */
const MAX_DEPTH = 4

/** Parses a font. @throws Error if the bytes are not a WOFF font with TrueType outlines */
export function readFont(woff: Buffer): Font {
  const tables = tablesOf(woff)
  const table = (name: string): Buffer => {
    const bytes = tables.get(name)
    if (!bytes) throw new Error(`the font has no table ${name}`)
    return bytes
  }
  const [head, cmap, glyf, loca, hmtx] = ['head', 'cmap', 'glyf', 'loca', 'hmtx'].map(table) as [
    Buffer,
    Buffer,
    Buffer,
    Buffer,
    Buffer,
  ]
  const indexOf = characterMap(cmap)
  const hasLongOffsets = head.readInt16BE(50) === 1
  const metricCount = table('hhea').readUInt16BE(34)
  const offsetOf = (index: number) => (hasLongOffsets ? loca.readUInt32BE(index * 4) : loca.readUInt16BE(index * 2) * 2)
  const outline = (index: number, depth = 0): readonly Contour[] => {
    const [start, end] = [offsetOf(index), offsetOf(index + 1)]
    if (start === end || depth > MAX_DEPTH) return []
    const data = glyf.subarray(start, end)
    return data.readInt16BE(0) >= 0
      ? readSimpleGlyph(data)
      : readCompositeGlyph(data, (glyphIndex) => outline(glyphIndex, depth + 1))
  }
  const cache = new Map<string, ReturnType<Font['glyph']>>()
  const readGlyph = (character: string): ReturnType<Font['glyph']> => {
    const index = indexOf(character.codePointAt(0)!) || indexOf(0x3f)
    return { contours: outline(index), advance: hmtx.readUInt16BE(4 * Math.min(index, metricCount - 1)) }
  }
  return {
    unitsPerEm: head.readUInt16BE(18),
    glyph(character) {
      // The cache needs no limit: the font has a few hundred glyphs, and all characters that it lacks share one entry.
      const key = indexOf(character.codePointAt(0)!) ? character : '?'
      const glyph = cache.get(key) ?? readGlyph(key)
      cache.set(key, glyph)
      return glyph
    },
  }
}

/** Returns the decompressed tables of a font, by name. */
function tablesOf(woff: Buffer): ReadonlyMap<string, Buffer> {
  if (woff.toString('latin1', 0, 4) !== 'wOFF') throw new Error('the file is not a WOFF font')
  const count = woff.readUInt16BE(12)
  const tables = new Map<string, Buffer>()
  for (let k = 0; k < count; k++) {
    const tableOffset = 44 + 20 * k
    const [offset, compressedLength, length] = [4, 8, 12].map((field) => woff.readUInt32BE(tableOffset + field)) as [
      number,
      number,
      number,
    ]
    const bytes = woff.subarray(offset, offset + compressedLength)
    tables.set(
      woff.toString('latin1', tableOffset, tableOffset + 4),
      compressedLength === length ? bytes : inflateSync(bytes),
    )
  }
  return tables
}

/** Reads the subtable of format 4, which maps the characters of the basic multilingual plane to glyph indexes. */
function characterMap(cmap: Buffer): (codePoint: number) => number {
  const count = cmap.readUInt16BE(2)
  const subtableOffsets = Array.from({ length: count }, (_, k) => cmap.readUInt32BE(8 + 8 * k))
  const start = subtableOffsets.find((offset) => cmap.readUInt16BE(offset) === 4)
  if (start === undefined) throw new Error('the font has no character map of format 4')
  const data = cmap.subarray(start)
  const segCountX2 = data.readUInt16BE(6)
  const field = (offset: number, k: number) => data.readUInt16BE(offset + 2 * k)
  return (codePoint) => {
    for (let k = 0; k < segCountX2 / 2; k++) {
      if (field(14, k) < codePoint) continue
      const first = field(16 + segCountX2, k)
      if (codePoint < first) return 0
      const rangeAt = 16 + 3 * segCountX2 + 2 * k
      const range = data.readUInt16BE(rangeAt)
      const delta = field(16 + 2 * segCountX2, k)
      if (range === 0) return (codePoint + delta) & 0xffff
      const index = data.readUInt16BE(rangeAt + range + 2 * (codePoint - first))
      return index === 0 ? 0 : (index + delta) & 0xffff
    }
    return 0
  }
}

/** Point of an outline: on the outline, or a control point of a quadratic curve. */
type Point = { readonly x: number; readonly y: number; readonly isOnCurve: boolean }

function readSimpleGlyph(data: Buffer): readonly Contour[] {
  const contourEnds = Array.from({ length: data.readInt16BE(0) }, (_, k) => data.readUInt16BE(10 + 2 * k))
  const count = contourEnds.length === 0 ? 0 : contourEnds.at(-1)! + 1
  let offset = 10 + 2 * contourEnds.length
  offset += 2 + data.readUInt16BE(offset)
  const flags: number[] = []
  while (flags.length < count) {
    const flag = data[offset++]!
    const repeats = flag & 8 ? data[offset++]! : 0
    for (let k = 0; k <= repeats; k++) flags.push(flag)
  }
  const readCoordinates = (shortFlag: number, sameFlag: number) => {
    let value = 0
    return flags.map((flag) => {
      if (flag & shortFlag) value += flag & sameFlag ? data[offset++]! : -data[offset++]!
      else if (!(flag & sameFlag)) {
        value += data.readInt16BE(offset)
        offset += 2
      }
      return value
    })
  }
  const xs = readCoordinates(2, 16)
  const ys = readCoordinates(4, 32)
  const points = flags.map((flag, k): Point => ({ x: xs[k]!, y: ys[k]!, isOnCurve: (flag & 1) === 1 }))
  return contourEnds.map((end, k) => flatten(points.slice(k === 0 ? 0 : contourEnds[k - 1]! + 1, end + 1)))
}

/**
 * Converts quadratic curves to line segments. Between two control points in a row, their midpoint is on the outline.
 */
function flatten(points: readonly Point[]): Contour {
  const midpoint = (p: Point, q: Point): Point => ({ x: (p.x + q.x) / 2, y: (p.y + q.y) / 2, isOnCurve: true })
  const contourPoints = points.flatMap((point, k) => {
    const next = points[(k + 1) % points.length]!
    return point.isOnCurve || next.isOnCurve ? [point] : [point, midpoint(point, next)]
  })
  const first = contourPoints.findIndex(({ isOnCurve }) => isOnCurve)
  if (first < 0) return []
  const rotatedPoints = [...contourPoints.slice(first), ...contourPoints.slice(0, first)]
  const polygon: number[] = []
  for (const [k, point] of rotatedPoints.entries()) {
    if (point.isOnCurve) {
      polygon.push(point.x, point.y)
      continue
    }
    const [from, to] = [rotatedPoints[k - 1]!, rotatedPoints[(k + 1) % rotatedPoints.length]!]
    for (let step = 1; step < SEGMENTS_PER_CURVE; step++) {
      const t = step / SEGMENTS_PER_CURVE
      const [a, b, c] = [(1 - t) ** 2, 2 * t * (1 - t), t * t]
      polygon.push(a * from.x + b * point.x + c * to.x, a * from.y + b * point.y + c * to.y)
    }
  }
  return polygon
}

/** Reads a glyph that consists of other glyphs at an offset. Ignores scales, because the font in use has none. */
function readCompositeGlyph(data: Buffer, outline: (index: number) => readonly Contour[]): readonly Contour[] {
  const contours: Contour[] = []
  let offset = 10
  for (let hasMore = true; hasMore; ) {
    const flags = data.readUInt16BE(offset)
    const index = data.readUInt16BE(offset + 2)
    const hasWordOffsets = (flags & 1) === 1
    const [dx, dy] = hasWordOffsets
      ? [data.readInt16BE(offset + 4), data.readInt16BE(offset + 6)]
      : [data.readInt8(offset + 4), data.readInt8(offset + 5)]
    offset += (hasWordOffsets ? 8 : 6) + (flags & 8 ? 2 : flags & 64 ? 4 : flags & 128 ? 8 : 0)
    for (const contour of outline(index)) contours.push(contour.map((value, k) => value + (k % 2 === 0 ? dx : dy)))
    hasMore = (flags & 32) !== 0
  }
  return contours
}
