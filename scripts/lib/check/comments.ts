/** Beginnings of documentation comments: the first words name the thing, so that a list of comments reads as a list of things. */
const QUESTION = '(What|Whether|Where|How|Of)\\s'
const DOCUMENTATION = new RegExp(`/\\*\\*(?:\\s*\\n\\s*\\*)?\\s+${QUESTION}`, 'g')
/** First lines of Solidity's comments, and every tag of theirs, behind the name that it is about. */
const NATSPEC = [
  new RegExp(`(?<!^[ \\t]*///.*\\n)^[ \\t]*/// +${QUESTION}`, 'gm'),
  new RegExp(`^[ \\t]*/// +@(?:title|notice|dev|(?:param|return)(?: \\w+)?) +${QUESTION}`, 'gm'),
]

/** Comments that begin with a question or a genitive, with their lines. Comments inside functions are sentences of any kind. */
export function unnamed(path: string, text: string): readonly string[] {
  const patterns = path.endsWith('.sol') ? [DOCUMENTATION, ...NATSPEC] : [DOCUMENTATION]
  return patterns
    .flatMap((pattern) => [...text.matchAll(pattern)])
    .map(({ index, 1: word }) => {
      const line = text.slice(0, index).split('\n').length
      return `${path}:${line}: a comment that begins with "${word}", not with what the thing is`
    })
}
