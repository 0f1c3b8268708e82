/** Formats chain files for people: short lines, and small diffs. */
import type { ChainFile } from './schema.ts'

/** Fields whose lists have one entry per line, so that a changed entry is a one-line diff. */
const listFields = new Set(['stables', 'tokens', 'dexes', 'vouched', 'notes'])

/** Formats a chain file with one field per line, in the object's order, and one token or DEX per line. */
export function formatChainFile(file: ChainFile): string {
  const lines = Object.entries(file)
    .filter(([, value]) => value !== undefined)
    .map(
      ([key, value]) =>
        `  ${JSON.stringify(key)}: ${listFields.has(key) ? formatList(value as unknown[]) : formatInline(value)}`,
    )
  return `{\n${lines.join(',\n')}\n}\n`
}

function formatList(entries: readonly unknown[]): string {
  if (entries.length === 0) return '[]'
  return `[\n${entries.map((entry) => `    ${formatInline(entry)}`).join(',\n')}\n  ]`
}

/** Formats JSON on one line, with spaces inside braces and after colons and commas. */
function formatInline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatInline).join(', ')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  if (fields.length === 0) return '{}'
  return `{ ${fields.map(([key, field]) => `${JSON.stringify(key)}: ${formatInline(field)}`).join(', ')} }`
}
