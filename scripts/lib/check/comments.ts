/** Checks the beginnings of documentation comments. */

/** Words that documentation comments must not begin with. A verb or a noun at the start makes comments easy to scan. */
export const QUESTION_WORDS = 'What|Whether|Where|How|Of'
const QUESTION = `(${QUESTION_WORDS})\\s`
const DOCUMENTATION = new RegExp(`/\\*\\*(?:\\s*\\n\\s*\\*)?\\s+${QUESTION}`, 'g')
/** Patterns of Solidity comments: their first lines, and the text after each NatSpec tag. */
const NATSPEC = [
  new RegExp(`(?<!^[ \\t]*///.*\\n)^[ \\t]*/// +${QUESTION}`, 'gm'),
  new RegExp(`^[ \\t]*/// +@(?:title|notice|dev|(?:param|return)(?: \\w+)?) +${QUESTION}`, 'gm'),
]

/**
 * Returns a fault for each documentation comment that begins with one of `QUESTION_WORDS`. Ignores `//` comments of
 * TypeScript.
 */
export function misleadingBeginnings(path: string, text: string): readonly string[] {
  const patterns = path.endsWith('.sol') ? [DOCUMENTATION, ...NATSPEC] : [DOCUMENTATION]
  return patterns
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .map(({ index, 1: word }) => {
      const line = text.slice(0, index).split('\n').length
      return `${path}:${line}: a comment that begins with "${word}", not with what the thing is`
    })
}
