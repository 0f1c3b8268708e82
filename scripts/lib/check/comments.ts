/** Beginnings of documentation comments: the first words name the thing, so that a list of comments reads as a list of things. */
const DOCUMENTATION = /\/\*\*(?:\s*\n\s*\*)?\s+(What|Whether|Where|How|Of)\s/g

/** Comments that begin with a question or a genitive, with their lines. Comments inside functions are sentences of any kind. */
export function unnamed(path: string, text: string): readonly string[] {
  return [...text.matchAll(DOCUMENTATION)].map(({ index, 1: word }) => {
    const line = text.slice(0, index).split('\n').length
    return `${path}:${line}: a comment that begins with "${word}", not with what the thing is`
  })
}
