/** Unit tests of the pictures of links. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { CARD, type CardContent, drawCard } from './card.ts'
import { readFont } from './font.ts'

const root = join(import.meta.dirname, '../../../..')
const fontOf = (weight: number) =>
  readFont(
    readFileSync(join(root, `node_modules/@fontsource/ibm-plex-sans/files/ibm-plex-sans-latin-${weight}-normal.woff`)),
  )
const fonts = { text: fontOf(400), strong: fontOf(600) }
const content: CardContent = {
  ...{ inputAmount: '500', src: 'WETH', outputAmount: '1 497 709.88', dst: 'DAI', note: '2 pools on Devnet' },
  pools: [
    { name: 'Uniswap V3', share: 60 },
    { name: 'Curve', share: 40 },
  ],
}

test('a card is a PNG of the size of link previews', async () => {
  const png = await drawCard(fonts, content)
  expect(png.subarray(0, 8)).toEqual(Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]))
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([CARD.width, CARD.height])
})

test.each([
  ['reversing text', 'A\u202eB'],
  ['a symbol of 300 letters', 'W'.repeat(300)],
  ['emoji and joined characters', '👩‍👩‍👧‍👦𝕏\u0000\ud800'],
  ['markup', '<script>alert(1)</script>'],
  ['an empty symbol', ''],
])('a hostile symbol does not change the layout of the card: %s', async (_, symbol) => {
  const png = await drawCard(fonts, { ...content, src: symbol, dst: symbol })
  expect(png.readUInt32BE(16)).toBe(CARD.width)
})

test('routes with many pools, thin pools, or no pools are drawn', async () => {
  for (const count of [0, 1, 8, 9, 300]) {
    const pools = Array.from({ length: count }, (_, k) => ({ name: `Pool ${k}`, share: k === 0 ? 99.9 : 0.001 }))
    expect((await drawCard(fonts, { ...content, pools })).length).toBeGreaterThan(5_000)
  }
})

/** Decodes an unfiltered RGB PNG, and returns the color at a position. */
function colorsOf(png: Buffer) {
  const length = png.readUInt32BE(33)
  const lines = inflateSync(png.subarray(41, 41 + length))
  return (x: number, y: number): number[] => {
    const offset = y * (CARD.width * 3 + 1) + 1 + x * 3
    return [...lines.subarray(offset, offset + 3)]
  }
}

const pools = (...shares: readonly number[]) => shares.map((share, k) => ({ name: `Pool ${k}`, share }))

test('up to eight pools have a band each; of more, those with the smallest shares share the last one', async () => {
  const draw = (drawn: CardContent['pools']) => drawCard(fonts, { ...content, pools: drawn })
  const nine = pools(30, 20, 10, 10, 10, 8, 6, 4, 2)
  expect(await draw(nine)).toEqual(await draw([...nine.slice(0, 7), { name: '2 more', share: 6 }]))
  const eight = pools(30, 20, 10, 10, 10, 8, 6, 6)
  expect(await draw(eight)).not.toEqual(await draw([...eight.slice(0, 7), { name: '1 more', share: 6 }]))
})

test('bands have the colors of the playground, one after the other', async () => {
  const count = 8
  const colorAt = colorsOf(await drawCard(fonts, { ...content, pools: pools(...Array(count).fill(12.5)) }))
  const colors = Array.from({ length: count }, (_, k) => colorAt(72 + 222, Math.round(376 + (190 / count) * (k + 0.5))))
  expect(colors).toEqual([
    [25, 90, 206],
    [99, 20, 14],
    [118, 75, 116],
    [143, 129, 85],
    [53, 11, 140],
    [8, 144, 188],
    [187, 36, 0],
    [25, 90, 206],
  ])
})

test('a band is as wide as its share, also if no share is known', async () => {
  const [first, second] = [
    [25, 90, 206],
    [99, 20, 14],
  ] as const
  const opacity = 0.24
  const blended = (color: readonly number[]) =>
    color.map((value, k) => Math.round(opacity * value + (1 - opacity) * [243, 242, 238][k]!))
  const colorAt = colorsOf(await drawCard(fonts, { ...content, pools: pools(75, 25) }))
  const near = (actual: readonly number[], expected: readonly number[]) =>
    actual.every((value, k) => Math.abs(value - expected[k]!) <= 2)
  // Right of the bar, bands have the height of their shares: 142 and 48 of 190 pixels.
  for (const y of [386, 450, 510]) expect([y, near(colorAt(82, y), blended(first))]).toEqual([y, true])
  for (const y of [530, 560]) expect([y, near(colorAt(82, y), blended(second))]).toEqual([y, true])
  const unknown = colorsOf(await drawCard(fonts, { ...content, pools: pools(0, 0) }))
  expect([unknown(72 + 222, 423), unknown(72 + 222, 518)]).toEqual([[...first], [...second]])
})

test('a card without a swap says what the service does, one without pools has no bar', async () => {
  const bar = [22, 25, 27]
  const barOf = async (drawn: CardContent | undefined) => colorsOf(await drawCard(fonts, drawn))(74, 560)
  expect(await barOf(content)).toEqual(bar)
  expect(await barOf({ ...content, pools: [] })).toEqual([243, 242, 238])
  expect(await barOf(undefined)).toEqual([243, 242, 238])
})

test('each text of a swap is drawn, and a long line is smaller', async () => {
  const drawn = await drawCard(fonts, content)
  for (const change of [
    { inputAmount: '501' },
    { outputAmount: '2' },
    { dst: 'USDC' },
    { src: 'ETH' },
    { note: '3 pools' },
  ])
    expect(await drawCard(fonts, { ...content, ...change })).not.toEqual(drawn)
  const without = await drawCard(fonts, { ...content, outputAmount: undefined })
  expect(without).not.toEqual(drawn)
  const wide = colorsOf(await drawCard(fonts, { ...content, inputAmount: '1'.repeat(60) }))
  const columns = Array.from({ length: 72 }, (_, x) => CARD.width - 72 + x)
  for (const x of columns) for (let y = 140; y < 210; y++) expect(wide(x, y)).toEqual([243, 242, 238])
})

test('every printable ASCII character has its own outline, and missing characters share one', () => {
  const outlines = new Set<string>()
  for (let code = 0x21; code < 0x7f; code++) {
    const { contours, advance } = fonts.strong.glyph(String.fromCharCode(code))
    expect(contours.length, String.fromCharCode(code)).toBeGreaterThan(0)
    expect(advance).toBeGreaterThan(0)
    for (const contour of contours) for (const value of contour) expect(Number.isFinite(value)).toBe(true)
    outlines.add(JSON.stringify(contours))
  }
  expect(outlines.size).toBe(0x7f - 0x21)
  expect(fonts.strong.glyph('漢')).toBe(fonts.strong.glyph('\u202e'))
})
