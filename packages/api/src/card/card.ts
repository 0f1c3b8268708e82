/** Draws the preview picture (card) of a link to a swap: its amounts, and the pools through which the input goes. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Font, readFont } from './font.ts'
import { type Color, Raster, widthOf } from './raster.ts'

/** Size of a card in pixels, which readers of Open Graph tags expect. */
export const CARD = { width: 1200, height: 630 } as const
/** Distance of text from the left and right edges, in pixels. */
const MARGIN = 72
/**
 * Maximum bands. Each band shows a pool. If there are more pools, those with the smallest shares are drawn as one band.
 */
const MAX_BANDS = 8
/** Maximum characters of a token name, so that the amounts fit next to it. */
const MAX_NAME_CHARS = 14

/** Colors of the light theme of the playground. */
const PAPER_COLOR: Color = [243, 242, 238]
const INK_COLOR: Color = [22, 25, 27]
const SOFT_INK_COLOR: Color = [74, 80, 84]
const ACCENT_COLOR: Color = [11, 107, 93]
const BAND_COLORS: readonly Color[] = [
  [25, 90, 206],
  [99, 20, 14],
  [118, 75, 116],
  [143, 129, 85],
  [53, 11, 140],
  [8, 144, 188],
  [187, 36, 0],
]

/** Texts and shares on a card. `src` and `dst` are symbols; amounts are formatted in whole tokens. */
export type CardContent = {
  readonly inputAmount: string
  readonly src: string
  /** Undefined if there is no quote. */
  readonly outputAmount: string | undefined
  readonly dst: string
  /** Line below the amounts. */
  readonly note: string
  /** Names of pools with their shares in percent, largest first. */
  readonly pools: readonly { readonly name: string; readonly share: number }[]
}

export type Fonts = { readonly text: Font; readonly strong: Font }

/** Reads the fonts of the web app's build; undefined if it has none. */
export function readFonts(webDir: string): Fonts | undefined {
  try {
    const [text, strong] = ['400', '600'].map((weight) =>
      readFont(readFileSync(join(webDir, `app/card-${weight}.woff`))),
    )
    return { text: text!, strong: strong! }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Draws a card. @param content - undefined for the plain card, without a swap */
export function drawCard({ text, strong }: Fonts, content: CardContent | undefined): Promise<Buffer> {
  const raster = new Raster(CARD.width, CARD.height, PAPER_COLOR)
  drawBrand(raster, strong)
  if (!content) {
    raster.drawText(strong, 'Every pool of a swap,', MARGIN, 330, 64, INK_COLOR)
    raster.drawText(strong, 'before you sign.', MARGIN, 410, 64, INK_COLOR)
    raster.drawText(text, 'Routes that are drawn, proven, and simulated.', MARGIN, 480, 32, SOFT_INK_COLOR)
    return raster.encodePng()
  }
  const src = truncateName(content.src)
  const dst = truncateName(content.dst)
  const line =
    content.outputAmount === undefined ? `${content.inputAmount} ${src} for ${dst}` : `${content.inputAmount} ${src}`
  drawFittedText(raster, strong, line, 196, 64)
  if (content.outputAmount !== undefined) drawFittedText(raster, strong, `for ${content.outputAmount} ${dst}`, 276, 64)
  raster.drawText(text, content.note, MARGIN, 326, 28, SOFT_INK_COLOR)
  drawFlow(raster, { text, strong }, content.pools)
  return raster.encodePng()
}

/** Draws the logo, a sluice gate between two posts above two lines of water, and the name. */
function drawBrand(raster: Raster, font: Font): void {
  const [x, y, unit] = [MARGIN, 64, 2]
  for (const postX of [3, 19]) raster.fillRect(x + postX * unit, y, 2.5 * unit, 20 * unit, INK_COLOR)
  raster.fillRect(x + 5 * unit, y + 3 * unit, 14 * unit, 6 * unit, INK_COLOR)
  for (const waterY of [13, 17]) raster.fillRect(x + 5 * unit, y + waterY * unit, 14 * unit, 2 * unit, ACCENT_COLOR)
  raster.drawText(font, 'Sluice', MARGIN + 60, 98, 36, INK_COLOR)
}

/** Draws text in a size at which it fits between the margins. @param size - maximum font size */
function drawFittedText(raster: Raster, font: Font, text: string, y: number, size: number): void {
  const textWidth = CARD.width - 2 * MARGIN
  raster.drawText(font, text, MARGIN, y, Math.min(size, (size * textWidth) / widthOf(font, text, size)), INK_COLOR)
}

/** Draws a bar at each side, and between them one band per pool, as wide as the pool's share of the input. */
function drawFlow(raster: Raster, { text, strong }: Fonts, pools: CardContent['pools']): void {
  if (pools.length === 0) return
  const [top, height, barWidth] = [376, 190, 8]
  const [left, right] = [MARGIN, CARD.width - MARGIN]
  const shownPools = pools.slice(0, pools.length > MAX_BANDS ? MAX_BANDS - 1 : MAX_BANDS)
  const remainingPools = pools.slice(shownPools.length)
  const bands =
    remainingPools.length === 0
      ? shownPools
      : [...shownPools, { name: `${remainingPools.length} more`, share: sum(remainingPools) }]
  const total = sum(bands) || 1
  const rowHeight = height / bands.length
  let y = top
  for (const [index, { name, share }] of bands.entries()) {
    const color = BAND_COLORS[index % BAND_COLORS.length]!
    const bandHeight = Math.max(2, (height * share) / total)
    const middle = top + rowHeight * (index + 0.5)
    const width = Math.min(bandHeight, rowHeight - 3)
    // A band begins at its part of the left bar and bends to its own row in the middle. It ends at the same part of the
    // right bar.
    const upper = sCurve(left + barWidth, y, left + 220, middle - width / 2)
    const lower = sCurve(left + barWidth, y + bandHeight, left + 220, middle + width / 2)
    const mirror = (points: readonly number[]) =>
      points.map((coordinate, k) => (k % 2 === 0 ? left + right - coordinate : coordinate))
    raster.fill([[...upper, ...reversePoints(mirror(upper)), ...mirror(lower), ...reversePoints(lower)]], color, 0.24)
    raster.fillRect(left + 220, middle - width / 2, 6, width, color)
    const label = `${share.toFixed(1)} %`
    const fontSize = Math.min(24, rowHeight - 2)
    const end = raster.drawText(strong, label, left + 240, middle + fontSize / 3, fontSize, INK_COLOR)
    raster.drawText(text, name.slice(0, 40), end + 10, middle + fontSize / 3, fontSize, INK_COLOR)
    y += bandHeight
  }
  raster.fillRect(left, top, barWidth, height, INK_COLOR)
  raster.fillRect(right - barWidth, top, barWidth, height, INK_COLOR)
}

const sum = (pools: CardContent['pools']): number => pools.reduce((total, { share }) => total + share, 0)

/** Returns the points of a horizontal S curve: x and y alternate. */
function sCurve(x0: number, y0: number, x1: number, y1: number): readonly number[] {
  const points: number[] = []
  for (let k = 0; k <= 24; k++) {
    const t = k / 24
    points.push(x0 + (x1 - x0) * t, y0 + (y1 - y0) * t * t * (3 - 2 * t))
  }
  return points
}

/** Reverses the order of points in an array in which x and y alternate. */
function reversePoints(points: readonly number[]): readonly number[] {
  return points.flatMap((_, k) => (k % 2 === 0 ? [points[points.length - 2 - k]!, points[points.length - 1 - k]!] : []))
}

/**
 * Truncates a name. It needs no other sanitizing: characters that the font lacks, such as bidirectional overrides, are
 * drawn as question marks.
 */
function truncateName(name: string): string {
  const characters = [...name]
  return characters.length > MAX_NAME_CHARS ? `${characters.slice(0, MAX_NAME_CHARS - 1).join('')}…` : name
}
