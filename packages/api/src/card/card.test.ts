/** Unit tests of the pictures of links. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
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
  ...{ paid: '500', src: 'WETH', received: '1 497 709.88', dst: 'DAI', note: '2 pools on Devnet' },
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
