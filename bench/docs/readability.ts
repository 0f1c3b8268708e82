/**
 * `npm run bench -- docs [commit]`: measures the sentences of the README, the guides, and other documents, at HEAD and
 * at an earlier commit. Measures words per sentence, the percentage of sentences with more than 25 words, and the
 * number of words that the language rules replace. Results in `results/readability.json`.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { record, rounded } from '../record.ts'

const root = join(import.meta.dirname, '../..')
/** Maximum words of a sentence that is not long. */
const MAX_SENTENCE_WORDS = 25
/** Words that the language rules replace. */
const REPLACED_WORDS =
  /\b(anew|beside|whoever|whatever|whomever|told|tells?|wish|held against|is none|in the place of|what is|that which|it is no)\b/gi

const [earlierCommit = '8ce7255'] = process.argv.slice(2)
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 })

/** Groups of documents, as patterns of paths. */
const GROUPS: Readonly<Record<string, RegExp>> = {
  readme: /^README\.md$/,
  guides: /^docs\/(guides|run|understand)\/[^/]+\.md$/,
  docs: /^(docs\/[^/]+|ARCHITECTURE|CONTRIBUTING|SECURITY)\.md$/,
  packages: /^packages\/[^/]+\/README\.md$/,
}
const GENERATED_FILES = [
  'docs/api.md',
  'docs/dexes.md',
  'docs/errors.md',
  'docs/honesty.md',
  'docs/run/configuration.md',
]

function sentencesOf(markdown: string): string[] {
  const prose = markdown
    .replace(/```.*?```/gs, '\n\n')
    .replace(/<!--.*?-->/gs, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/`[^`]*`/g, 'code')
  const blocks = prose.split(/\n\s*\n|\n(?=\s*(?:[-*|#]|\d+\.)\s?)/)
  const cells = blocks.flatMap((block) => (block.trimStart().startsWith('|') ? block.split('|') : [block]))
  return cells
    .flatMap((text) => text.replace(/\s+/g, ' ').split(/(?<=[.!?:;])\s+(?=[A-Z`*])/))
    .map((sentence) => sentence.replace(/^[\s#*>-]+/, '').trim())
    .filter((sentence) => sentence.split(' ').length >= 3)
}

function figuresOf(texts: readonly string[]) {
  const sentences = texts.flatMap(sentencesOf)
  const lengths = sentences.map((sentence) => sentence.split(' ').length)
  const words = lengths.reduce((sum, length) => sum + length, 0)
  const replacedWords = sentences.reduce((sum, sentence) => sum + (sentence.match(REPLACED_WORDS)?.length ?? 0), 0)
  return {
    documents: texts.length,
    sentences: sentences.length,
    wordsInASentence: rounded(words / Math.max(1, sentences.length)),
    longPercent: rounded(
      (100 * lengths.filter((length) => length > MAX_SENTENCE_WORDS).length) / Math.max(1, sentences.length),
    ),
    replacedWordsIn1000: rounded((1_000 * replacedWords) / Math.max(1, words)),
  }
}

function measureCommit(commit: string) {
  const files = git('ls-tree', '-r', '--name-only', commit).split('\n')
  return Object.fromEntries(
    Object.entries(GROUPS).map(([name, pattern]) => {
      const groupFiles = files.filter((file) => pattern.test(file) && !GENERATED_FILES.includes(file))
      return [name, figuresOf(groupFiles.map((file) => git('show', `${commit}:${file}`)))]
    }),
  )
}

record('readability', {
  before: { commit: earlierCommit, ...measureCommit(earlierCommit) },
  now: measureCommit('HEAD'),
})
