/** Unit tests of the rasterizer and the PNG encoder, by areas and by an independent decoder of the pixels. */
import { inflateSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Raster } from './raster.ts'

const WHITE = [255, 255, 255] as const
const BLACK = [0, 0, 0] as const
const SIZE = 40

/** Decodes an unfiltered RGB PNG. */
async function pixelsOf(raster: Raster): Promise<Buffer> {
  const png = await raster.encodePng()
  const length = png.readUInt32BE(33)
  expect(png.toString('latin1', 37, 41)).toBe('IDAT')
  const lines = inflateSync(png.subarray(41, 41 + length))
  const row = raster.width * 3
  return Buffer.concat(
    Array.from({ length: raster.height }, (_, y) => lines.subarray(y * (row + 1) + 1, (y + 1) * (row + 1))),
  )
}

const darkness = (pixels: Buffer): number => pixels.reduce((sum, value) => sum + (255 - value), 0) / 765

test('a rectangle covers its area, also between pixels and beyond the edges', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(...[0, 1, 2, 3].map(() => fc.double({ min: -10, max: 50, noNaN: true }))),
      async ([a, b, c, d]) => {
        const [left, right] = [Math.min(a!, b!), Math.max(a!, b!)]
        const [top, bottom] = [Math.min(c!, d!), Math.max(c!, d!)]
        const raster = new Raster(SIZE, SIZE, WHITE)
        raster.fillRect(left, top, right - left, bottom - top, BLACK)
        const inside = (low: number, high: number) => Math.max(0, Math.min(SIZE, high) - Math.max(0, low))
        const area = inside(left, right) * inside(top, bottom)
        // Each pixel of the border is rounded to 1/255, and coverage below 0.002 is left out.
        expect(Math.abs(darkness(await pixelsOf(raster)) - area)).toBeLessThan(1)
      },
    ),
    { numRuns: 60 },
  )
})

test('a triangle covers half of its box, for both directions of its outline', async () => {
  const corner = fc.double({ min: 1, max: SIZE - 1, noNaN: true })
  await fc.assert(
    fc.asyncProperty(fc.tuple(corner, corner, corner, corner, corner, corner), async (points) => {
      const [x0, y0, x1, y1, x2, y2] = points
      const area = Math.abs((x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)) / 2
      const raster = new Raster(SIZE, SIZE, WHITE)
      raster.fill([points], BLACK)
      expect(Math.abs(darkness(await pixelsOf(raster)) - area)).toBeLessThan(1)
    }),
    { numRuns: 60 },
  )
})
