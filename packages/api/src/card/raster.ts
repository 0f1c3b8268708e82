/** Draws filled polygons and text into pixels, and encodes them as PNG. */
import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'
import type { Contour, Font } from './font.ts'

/** Red, green, and blue, 0 to 255. */
export type Color = readonly [number, number, number]

/** A picture to draw on; x and y are in pixels, with y downward. */
export class Raster {
  readonly width: number
  readonly height: number
  private readonly pixels: Buffer

  constructor(width: number, height: number, background: Color) {
    this.width = width
    this.height = height
    this.pixels = Buffer.alloc(width * height * 3)
    for (let offset = 0; offset < this.pixels.length; offset++) this.pixels[offset] = background[offset % 3]!
  }

  /** Fills a rectangle. @param opacity - 0 to 1 */
  fillRect(x: number, y: number, width: number, height: number, color: Color, opacity = 1): void {
    this.fill([[x, y, x + width, y, x + width, y + height, x, y + height]], color, opacity)
  }

  /**
   * Fills closed polygons with anti-aliasing. `coverage` holds for each pixel how much more of it is covered than of
   * the pixel to its left. So the running sum of a row is the coverage of its pixels. The sum is negative inside a
   * polygon whose points are in the opposite order.
   */
  fill(contours: readonly Contour[], color: Color, opacity = 1): void {
    const xs = contours.flatMap((contour) => contour.filter((_, k) => k % 2 === 0))
    const left = Math.max(0, Math.floor(Math.min(...xs)))
    const right = Math.min(this.width, Math.ceil(Math.max(...xs)) + 1)
    const ys = contours.flatMap((contour) => contour.filter((_, k) => k % 2 === 1))
    const top = Math.max(0, Math.floor(Math.min(...ys)))
    const bottom = Math.min(this.height, Math.ceil(Math.max(...ys)))
    if (!(bottom > top)) return
    const stride = this.width + 2
    const coverage = new Float32Array(stride * (bottom - top))
    for (const contour of contours)
      for (let k = 0; k < contour.length; k += 2) {
        const next = (k + 2) % contour.length
        addEdge(
          coverage,
          stride,
          bottom - top,
          contour[k]!,
          contour[k + 1]! - top,
          contour[next]!,
          contour[next + 1]! - top,
        )
      }
    for (let row = 0; row < bottom - top; row++) {
      let sum = 0
      // Left of all edges nothing is covered, and right of them the sum is 0 again.
      for (let x = left; x < right; x++) {
        sum += coverage[row * stride + x]!
        const alpha = Math.min(1, Math.abs(sum)) * opacity
        if (alpha > 0.002) this.blend(((row + top) * this.width + x) * 3, color, alpha)
      }
    }
  }

  /** Draws text with its baseline at `y`. @param size - font size in pixels @returns the x at which the text ends */
  drawText(font: Font, text: string, x: number, y: number, size: number, color: Color): number {
    const scale = size / font.unitsPerEm
    let penX = x
    for (const character of text) {
      const { contours, advance } = font.glyph(character)
      const placedContours = contours.map((contour) =>
        contour.map((v, k) => (k % 2 === 0 ? penX + v * scale : y - v * scale)),
      )
      if (placedContours.length > 0) this.fill(placedContours, color)
      penX += advance * scale
    }
    return penX
  }

  async encodePng(): Promise<Buffer> {
    const row = this.width * 3
    const lines = Buffer.alloc((row + 1) * this.height)
    for (let y = 0; y < this.height; y++) this.pixels.copy(lines, y * (row + 1) + 1, y * row, (y + 1) * row)
    const header = Buffer.alloc(13)
    header.writeUInt32BE(this.width, 0)
    header.writeUInt32BE(this.height, 4)
    // Eight bits per channel, RGB.
    header.set([8, 2, 0, 0, 0], 8)
    const data = await promisify(deflate)(lines)
    const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
    return Buffer.concat([
      signature,
      pngChunk('IHDR', header),
      pngChunk('IDAT', data),
      pngChunk('IEND', Buffer.alloc(0)),
    ])
  }

  private blend(offset: number, color: Color, alpha: number): void {
    for (let k = 0; k < 3; k++)
      this.pixels[offset + k] = Math.round(this.pixels[offset + k]! * (1 - alpha) + color[k]! * alpha)
  }
}

/** Returns the width of a text in pixels. */
export function widthOf(font: Font, text: string, size: number): number {
  let width = 0
  for (const character of text) width += font.glyph(character).advance
  return (width * size) / font.unitsPerEm
}

/**
 * Adds the coverage of an edge to each row that the edge crosses; negative if the edge goes upward.
 *
 * @param stride - length of a row in `coverage`
 */
function addEdge(
  coverage: Float32Array,
  stride: number,
  rows: number,
  x0: number,
  y0: number,
  x1: number,
  y1: number,
): void {
  if (y0 === y1) return
  const [sign, startX, startY, endX, endY] = y0 < y1 ? [1, x0, y0, x1, y1] : [-1, x1, y1, x0, y0]
  const slope = (endX - startX) / (endY - startY)
  const maxX = stride - 2
  for (let row = Math.max(0, Math.floor(startY)); row < Math.min(rows, Math.ceil(endY)); row++) {
    const [from, to] = [Math.max(startY, row), Math.min(endY, row + 1)]
    if (to <= from) continue
    const height = (to - from) * sign
    const clamp = (x: number) => Math.max(0, Math.min(maxX, x))
    const [left, right] = [clamp(startX + (from - startY) * slope), clamp(startX + (to - startY) * slope)].sort(
      (p, q) => p - q,
    ) as [number, number]
    addCoverage(coverage, row * stride, left, right, height)
  }
}

/**
 * Adds the coverage of an edge within one row.
 *
 * @param rowStart - index of the row's first pixel in `coverage`
 * @param left - lowest x of the edge in the row
 * @param right - highest x of the edge in the row
 * @param height - height of the edge in the row, at most 1; negative if the edge goes upward
 */
function addCoverage(coverage: Float32Array, rowStart: number, left: number, right: number, height: number): void {
  const first = Math.floor(left)
  const last = Math.max(first + 1, Math.ceil(right))
  let coveredHeight = 0
  for (let x = first; x < last; x++) {
    // Mean width of the part of this pixel that lies right of the edge.
    const coveredWidth = right > left ? integral(x + 1, left, right) - integral(x, left, right) : x + 1 - left
    const value = Math.max(0, Math.min(1, coveredWidth)) * height
    coverage[rowStart + x]! += value - coveredHeight
    coveredHeight = value
  }
  coverage[rowStart + last]! += height - coveredHeight
}

/**
 * Integrates, up to position `x`, the share of the edge that lies left of the position. The edge spans `left` to
 * `right` horizontally.
 */
function integral(x: number, left: number, right: number): number {
  if (x <= left) return 0
  if (x >= right) return (right - left) / 2 + (x - right)
  return (x - left) ** 2 / (2 * (right - left))
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const bytes = Buffer.alloc(body.length + 8)
  bytes.writeUInt32BE(data.length, 0)
  body.copy(bytes, 4)
  bytes.writeUInt32BE(crc32(body), body.length + 4)
  return bytes
}
