/** Checks the beginnings of documentation comments. */

/** First words that documentation comments may not have. Comments start with a verb or a noun, so that they can be scanned. */
export const QUESTION_WORDS = 'What|Whether|Where|How|Of'
const QUESTION = `(${QUESTION_WORDS})\\s`
const DOCUMENTATION = new RegExp(`/\\*\\*(?:\\s*\\n\\s*\\*)?\\s+${QUESTION}`, 'g')
/** First lines of Solidity comments, and the text after each tag and its parameter name. */
const NATSPEC = [
  new RegExp(`(?<!^[ \\t]*///.*\\n)^[ \\t]*/// +${QUESTION}`, 'gm'),
  new RegExp(`^[ \\t]*/// +@(?:title|notice|dev|(?:param|return)(?: \\w+)?) +${QUESTION}`, 'gm'),
]

/**
 * Returns comments that begin with a question word or a genitive, with their lines. Ignores comments inside functions.
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
