/**
 * `npm run bench -- docs [commit]`: measures sentences of the README, the guides, and other documents, now and
 * at an earlier commit: words per sentence, the share of sentences above 25 words, and words that the language guide
 * replaces. Results in `results/readability.json`.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { record, rounded } from '../record.ts'

const root = join(import.meta.dirname, '../..')
const LONG_SENTENCE = 25
/** Words that the language guide replaces. */
const REPLACED_WORDS =
  /\b(anew|beside|whoever|whatever|whomever|told|tells?|wish|held against|is none|in the place of|what is|that which|it is no)\b/gi

const [earlierCommit = '8ce7255'] = process.argv.slice(2)
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 })

/** Documents by audience. Excludes generated pages and records of the past. */
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
      (100 * lengths.filter((length) => length > LONG_SENTENCE).length) / Math.max(1, sentences.length),
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
