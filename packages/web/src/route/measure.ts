/** Measures the width of text on a canvas, which is faster than a layout of the page. */
const context = document.createElement('canvas').getContext('2d')!

export function widthOf(text: string, weight: 400 | 600 = 400, sizePx = 12): number {
  context.font = `${weight} ${sizePx}px "IBM Plex Sans", "Segoe UI", system-ui, sans-serif`
  return context.measureText(text).width
}

/** Truncates a text to the available width, with an ellipsis. */
export function truncateText(text: string, maxWidth: number): string {
  if (widthOf(text) <= maxWidth) return text
  let length = text.length - 1
  while (length > 1 && widthOf(`${text.slice(0, length)}…`) > maxWidth) length--
  return `${text.slice(0, length)}…`
}
