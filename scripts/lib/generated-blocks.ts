/** Blocks of Markdown files that commands generate. The text around them is written by hand. */

/**
 * Replaces blocks by name. A block is between `<!-- generated: <name> -->` and `<!-- /generated -->`.
 *
 * @throws Error if the text does not contain a block
 */
export function withBlocks(text: string, blocks: Readonly<Record<string, string>>): string {
  return Object.entries(blocks).reduce((page, [name, block]) => {
    const place = new RegExp(`(?<=<!-- generated: ${name} -->\n\n).*?(?=\n\n<!-- /generated -->)`, 's')
    if (!place.test(page)) throw new Error(`the text has no block "${name}"`)
    return page.replace(place, () => block)
  }, text)
}
