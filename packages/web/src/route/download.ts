/** Saves a drawing of a route as SVG or PNG. The route panel loads this module on demand. */

/** Properties that style sheets set. A saved file has no style sheets, so its elements get the values as attributes. */
const STYLE_PROPERTIES = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-opacity',
  'stroke-width',
  'stroke-linejoin',
  'paint-order',
  'font-size',
  'font-weight',
  'opacity',
] as const
const FONT = '"IBM Plex Sans", "Segoe UI", system-ui, sans-serif'
/** Space around the drawing. */
const MARGIN_PX = 24
/** Height of the line of text above the drawing. */
const TITLE_HEIGHT_PX = 32
/** Pixels of a PNG per pixel of the drawing. */
const PNG_SCALE = 2

export type Drawing = {
  readonly svg: SVGSVGElement
  /** Text above the drawing. */
  readonly title: string
  /** Name of the file without its extension. */
  readonly fileName: string
}
type Colors = { readonly background: string; readonly ink: string }

export function saveSvg({ svg, title, fileName }: Drawing): void {
  const { width, height } = sizeOf(svg)
  const copy = svg.cloneNode(true) as SVGSVGElement
  const [originalMarks, copiedMarks] = [svg, copy].map((root) => [
    ...root.querySelectorAll<SVGElement>('path, rect, text, tspan'),
  ])
  for (const [index, mark] of copiedMarks!.entries()) {
    const style = getComputedStyle(originalMarks![index]!)
    for (const name of STYLE_PROPERTIES) mark.setAttribute(name, style.getPropertyValue(name))
    for (const name of ['class', 'role', 'tabindex', 'aria-label']) mark.removeAttribute(name)
  }
  const { background, ink } = colorsOf(svg)
  const outer = document.createElementNS(svg.namespaceURI, 'svg') as SVGSVGElement
  const imageSize = { width: width + 2 * MARGIN_PX, height: height + 2 * MARGIN_PX + TITLE_HEIGHT_PX }
  setAttributes(outer, { ...imageSize, viewBox: `0 0 ${imageSize.width} ${imageSize.height}`, 'font-family': FONT })
  const backgroundRect = document.createElementNS(svg.namespaceURI, 'rect') as SVGElement
  setAttributes(backgroundRect, { width: '100%', height: '100%', fill: background })
  const titleText = document.createElementNS(svg.namespaceURI, 'text') as SVGElement
  setAttributes(titleText, { x: MARGIN_PX, y: MARGIN_PX + 12, fill: ink, 'font-size': '14px', 'font-weight': 600 })
  titleText.textContent = title
  for (const group of copy.querySelectorAll('g'))
    for (const { name } of [...group.attributes]) group.removeAttribute(name)
  setAttributes(copy, { x: MARGIN_PX, y: MARGIN_PX + TITLE_HEIGHT_PX })
  outer.append(backgroundRect, titleText, copy)
  downloadBlob(new Blob([new XMLSerializer().serializeToString(outer)], { type: 'image/svg+xml' }), `${fileName}.svg`)
}

/**
 * Saves a drawing as PNG. Draws each mark on a canvas, because the content security policy forbids loading the SVG as
 * an image.
 */
export async function savePng({ svg, title, fileName }: Drawing): Promise<void> {
  const { width, height } = sizeOf(svg)
  const canvas = document.createElement('canvas')
  canvas.width = (width + 2 * MARGIN_PX) * PNG_SCALE
  canvas.height = (height + 2 * MARGIN_PX + TITLE_HEIGHT_PX) * PNG_SCALE
  const context = canvas.getContext('2d')!
  const { background, ink } = colorsOf(svg)
  context.scale(PNG_SCALE, PNG_SCALE)
  context.fillStyle = background
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.fillStyle = ink
  context.font = `600 14px ${FONT}`
  context.fillText(title, MARGIN_PX, MARGIN_PX + 12)
  context.translate(MARGIN_PX, MARGIN_PX + TITLE_HEIGHT_PX)
  for (const mark of svg.querySelectorAll<SVGElement>('path, rect, text'))
    if (!mark.closest('defs')) drawMark(context, mark)
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
  if (!blob) throw new Error('The browser could not encode the picture.')
  downloadBlob(blob, `${fileName}.png`)
}

function drawMark(context: CanvasRenderingContext2D, mark: SVGElement): void {
  const style = getComputedStyle(mark)
  const numberAttribute = (name: string) => Number(mark.getAttribute(name) ?? 0)
  // A canvas cannot use SVG patterns, so hatched marks are filled with the color of the hatch.
  const fill = style.fill.startsWith('url(')
    ? getComputedStyle(mark.ownerSVGElement!.querySelector('.hatch')!).fill
    : style.fill
  const opacity = Number(style.opacity)
  if (mark.tagName === 'text') {
    drawText(context, mark, opacity)
    return
  }
  const shape = new Path2D(mark.getAttribute('d') ?? undefined)
  if (mark.tagName === 'rect')
    shape.rect(numberAttribute('x'), numberAttribute('y'), numberAttribute('width'), numberAttribute('height'))
  withPaint(context, fill, opacity * Number(style.fillOpacity), () => context.fill(shape))
  withPaint(context, style.stroke, opacity * Number(style.strokeOpacity), () => {
    context.lineWidth = Number.parseFloat(style.strokeWidth)
    context.stroke(shape)
  })
}

function drawText(context: CanvasRenderingContext2D, text: SVGElement, opacity: number): void {
  let x = Number(text.getAttribute('x'))
  const y = Number(text.getAttribute('y'))
  const textSpans = text.querySelectorAll<SVGElement>('tspan')
  for (const textSpan of textSpans.length > 0 ? textSpans : [text]) {
    const style = getComputedStyle(textSpan)
    const content = textSpan.textContent ?? ''
    context.font = `${style.fontWeight} ${style.fontSize} ${FONT}`
    context.lineJoin = 'round'
    context.lineWidth = Number.parseFloat(style.strokeWidth)
    withPaint(context, style.stroke, opacity * Number(style.strokeOpacity), () => context.strokeText(content, x, y))
    withPaint(context, style.fill, opacity * Number(style.fillOpacity), () => context.fillText(content, x, y))
    x += context.measureText(`${content} `).width + 3
  }
}

function withPaint(context: CanvasRenderingContext2D, color: string, opacity: number, apply: () => void): void {
  if (color === 'none' || opacity === 0) return
  context.globalAlpha = opacity
  context.fillStyle = color
  context.strokeStyle = color
  apply()
  context.globalAlpha = 1
}

function sizeOf(svg: SVGSVGElement): { readonly width: number; readonly height: number } {
  const { width, height } = svg.viewBox.baseVal
  return { width, height }
}

function colorsOf(svg: SVGSVGElement): Colors {
  const panel = svg.closest('.panel')!
  return { background: getComputedStyle(panel).backgroundColor, ink: getComputedStyle(panel).color }
}

function setAttributes(element: SVGElement, attributes: Readonly<Record<string, string | number>>): void {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value))
}

function downloadBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser reads the data after `click` returns, so the URL must stay valid for a while.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
