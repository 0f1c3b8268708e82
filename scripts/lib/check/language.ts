/** Words and forms that the language rules replace in comments, names, and documents. */
import ts from 'typescript'
import { QUESTION_WORDS } from './comments.ts'

type Rule = { readonly pattern: RegExp; readonly instead: string }

/** A match of a rule: its line, the text, and the replacement. */
export type Match = { readonly line: number; readonly text: string; readonly instead: string }

/** Words to avoid in comments and documents. */
const WORD_RULES: readonly Rule[] = [
  { pattern: /\b(?:tells?|told|untold|retold)\b/gi, instead: 'report, notify, record, emit, or encode' },
  { pattern: /\b(?:whoever|whomever|whatever)\b/gi, instead: 'the caller, any, or the thing itself' },
  { pattern: /\bbeside\b/gi, instead: 'next to, compared with, other than, or in addition' },
  { pattern: /\banew\b/gi, instead: 'again' },
  { pattern: /\b(?:wish(?:es|ed)?|sought)\b/gi, instead: 'request, or search' },
  { pattern: /\bunder way\b/gi, instead: 'in flight' },
  { pattern: /\bheld against\b/gi, instead: 'compared with' },
  { pattern: /\bis none of\b/gi, instead: 'is not' },
  { pattern: /\bin the place of\b/gi, instead: 'alternative to' },
  { pattern: /\bthat which\b/gi, instead: 'the thing itself' },
  { pattern: /\bdear(?:er|est)?\b/gi, instead: 'expensive' },
  { pattern: /\bculprits?\b/gi, instead: 'faulty pools' },
  { pattern: /\brivals?\b/gi, instead: 'alternatives' },
  { pattern: /\bhaircuts?\b/gi, instead: 'drift penalty' },
  { pattern: /\bstrangers?\b/gi, instead: 'untrusted token or pool' },
  { pattern: /\bpatien(?:t|ce)\b/gi, instead: 'timeout' },
  { pattern: /\b(?:true|false|null|undefined|none|nothing|zero|absent|empty) where\b/gi, instead: 'if' },
]

/** Beginnings to avoid in docstrings. */
const FORM_RULES: readonly Rule[] = [
  {
    pattern: new RegExp(`/\\*\\*[\\s*]+(?:${QUESTION_WORDS}|For|The same)\\b`, 'g'),
    instead: 'a verb or a noun first',
  },
]

/** Words that names must not contain, with their replacements. Names are split at camel case and underscores. */
const NAME_WORDS: Readonly<Record<string, string>> = {
  told: 'reported',
  tell: 'notify',
  tells: 'notifies',
  wish: 'request',
  sought: 'searched',
  most: 'max',
  least: 'min',
  rival: 'alternative',
  rivals: 'alternatives',
  culprits: 'faultyPools',
  blame: 'faultyPools',
  haircut: 'driftPenalty',
  haircuts: 'driftPenalties',
  patience: 'timeout',
  stranger: 'untrusted',
  strangers: 'untrusted',
  vouched: 'allowListed',
  anew: 'again',
  beside: 'nextTo',
  dear: 'expensive',
  dearer: 'moreExpensive',
}
/** Participles that are not valid as a whole name. */
const BARE_PARTICIPLES = new Set([
  'made',
  'told',
  'asked',
  'kept',
  'given',
  'found',
  'held',
  'taken',
  'known',
  'said',
  'seen',
  'left',
])

const wordsOf = (name: string) =>
  name.split(/_|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/).map((word) => word.toLowerCase())

const matches = (text: string, rules: readonly Rule[], lineOf: (index: number) => number): Match[] =>
  rules.flatMap(({ pattern, instead }) =>
    [...text.matchAll(pattern)].map(({ 0: match, index }) => ({ line: lineOf(index), text: match.trim(), instead })),
  )

function nameMatch(name: string): string | undefined {
  if (BARE_PARTICIPLES.has(name.toLowerCase())) return 'a noun: name the thing'
  for (const word of wordsOf(name)) if (Object.hasOwn(NAME_WORDS, word)) return NAME_WORDS[word]
  return undefined
}

/** Returns true if the identifier is the name in a declaration. A name is reported once, not at each use. */
function isDeclaration(node: ts.Identifier): boolean {
  const { parent } = node
  const isNamed =
    ts.isVariableDeclaration(parent) ||
    ts.isParameter(parent) ||
    ts.isFunctionDeclaration(parent) ||
    ts.isClassDeclaration(parent) ||
    ts.isTypeAliasDeclaration(parent) ||
    ts.isInterfaceDeclaration(parent) ||
    ts.isMethodDeclaration(parent) ||
    ts.isPropertyDeclaration(parent) ||
    ts.isPropertySignature(parent) ||
    ts.isMethodSignature(parent) ||
    ts.isGetAccessor(parent) ||
    ts.isEnumMember(parent) ||
    ts.isBindingElement(parent)
  return isNamed && parent.name === node
}

/** @returns matches in the comments and in the declared names of a source file */
export function matchesInSource(
  path: string,
  text: string,
): { readonly comments: readonly Match[]; readonly names: readonly Match[] } {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const lineAt = (index: number) => source.getLineAndCharacterOfPosition(index).line + 1
  const visitedPositions = new Set<number>()
  const comments: Match[] = []
  const names: Match[] = []
  const readComments = (ranges: readonly ts.CommentRange[] = []) => {
    for (const { pos, end } of ranges) {
      if (visitedPositions.has(pos)) continue
      visitedPositions.add(pos)
      // Ignores names in backticks, which are code.
      const comment = text.slice(pos, end).replace(/`[^`]*`/g, (code) => ' '.repeat(code.length))
      comments.push(...matches(comment, [...WORD_RULES, ...FORM_RULES], (index) => lineAt(pos + index)))
    }
  }
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return
    readComments(ts.getLeadingCommentRanges(text, node.getFullStart()))
    readComments(ts.getTrailingCommentRanges(text, node.getEnd()))
    if (ts.isIdentifier(node) && isDeclaration(node)) {
      const instead = nameMatch(node.text)
      if (instead) names.push({ line: lineAt(node.getStart(source)), text: node.text, instead })
    }
    // Uses `getChildren`, because `forEachChild` skips punctuation, which can also have comments.
    for (const child of node.getChildren(source)) visit(child)
  }
  visit(source)
  // In a file that also contains `right` or `top`, `left` is a position and not a participle.
  const isPosition = /\b(?:right|top)\b/.test(text)
  return { comments, names: names.filter(({ text: name }) => name !== 'left' || !isPosition) }
}

/** @returns matches in the prose of a document, without its code */
export function matchesInDocument(text: string): readonly Match[] {
  const blank = (code: string) => code.replace(/[^\n]/g, ' ')
  const prose = text.replace(/```[\s\S]*?```|`[^`\n]*`|<!--[\s\S]*?-->|\]\([^)]*\)/g, blank)
  return matches(prose, WORD_RULES, (index) => prose.slice(0, index).split('\n').length)
}

const MAX_SUBJECT = 72

/** @returns the fault of a commit's subject; undefined if it is `scope: imperative subject` of at most 72 characters */
export function subjectFault(subject: string): string | undefined {
  if (subject.length > MAX_SUBJECT) return `${subject.length} characters, but ${MAX_SUBJECT} at most`
  return /^[a-z0-9][a-z0-9/, -]*: \S/.test(subject) ? undefined : `"${subject}" is not "scope: imperative subject"`
}
