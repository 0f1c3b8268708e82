/**
 * Renders Mermaid diagrams to SVG without inline styles, which the content security policy forbids. The site's style
 * sheet sets the colors.
 */
import { renderMermaidSVG } from 'beautiful-mermaid'

/**
 * Renders a diagram.
 *
 * @param id - prefix of the ids in the SVG, so that several diagrams of a page do not share ids
 * @returns an SVG element without `style` elements and attributes
 */
export function renderDiagram(source: string, id: string, label: string): string {
  const svg = renderMermaidSVG(source, { padding: 16, nodeSpacing: 24, layerSpacing: 36 })
  const size = /viewBox="0 0 ([\d.]+) [\d.]+"/.exec(svg)
  if (!size) throw new Error(`a diagram without a size: ${source}`)
  return svg
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/ style="[^"]*"/g, '')
    .replace(/ (?:data-[\w-]+)="[^"]*"/g, '')
    .replace(/\bid="([\w-]+)"/g, `id="${id}-$1"`)
    .replace(/url\(#([\w-]+)\)/g, `url(#${id}-$1)`)
    .replace(/<svg /, `<svg class="diagram" role="img" aria-label="${label}" `)
    .replace(/\n\s*/g, '\n')
    .trim()
}
