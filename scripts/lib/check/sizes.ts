/**
 * Checks the lengths of files and functions. A file or function that exceeds the limit of CONTRIBUTING.md needs a
 * comment with the reason.
 */
import ts from 'typescript'

const MAX_FILE_LINES = 500
const MAX_FUNCTION_LINES = 80
/**
 * Pattern of the reason for an excess length: `Long: <reason>`. It is in the comment before a function, or before the
 * first statement of a file.
 */
const REASON = /\bLong: \S/

/**
 * Returns the files and functions that are too long without a reason, with their lines. Ignores tests, which are lists
 * of cases.
 */
export function tooLong(path: string, text: string): readonly string[] {
  const faults: string[] = []
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kindOf(path))
  const [firstStatement] = source.statements
  if (path.includes('.test.')) return faults
  if (lines > MAX_FILE_LINES && !(firstStatement && hasReason(firstStatement, text)))
    faults.push(`${path}: ${lines} lines, more than ${MAX_FILE_LINES}`)
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const start = lineOf(source, node.getStart(source))
      const length = lineOf(source, node.end) - start + 1
      if (length > MAX_FUNCTION_LINES && !hasReason(statementOf(node), text))
        faults.push(`${path}:${start + 1}: a function of ${length} lines, more than ${MAX_FUNCTION_LINES}`)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return faults
}

function hasReason(node: ts.Node, text: string): boolean {
  const comments = ts.getLeadingCommentRanges(text, node.pos) ?? []
  return comments.some(({ pos, end }) => REASON.test(text.slice(pos, end)))
}

/**
 * Returns the statement or class member before which a function's comment stands: the function itself, or the innermost
 * statement or member that contains it.
 */
function statementOf(node: ts.Node): ts.Node {
  let current = node
  while (!ts.isStatement(current) && !ts.isClassElement(current) && current.parent) current = current.parent
  return current
}

function lineOf(source: ts.SourceFile, position: number): number {
  return source.getLineAndCharacterOfPosition(position).line
}

function kindOf(path: string): ts.ScriptKind {
  return path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
}
