/**
 * Generates the table of docs/audit/families.md. For each operation of the Executor, the page says how its input is paid, what
 * happens to leftover input, which account may call back, and on which results of other contracts the operation relies.
 * Derives these facts from the Solidity sources, so that the table cannot contradict them. Called by `audit-scope.ts`.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ops } from '@sluice/program'
import { root } from './lib/run.ts'

const SOURCES = join(root, 'contracts/src')
const read = (path: string) => readFileSync(join(SOURCES, path), 'utf8')
const core = read('core/ExecutorCore.sol')

/** Row of the page: texts about one operation. */
export type FamilyFacts = {
  readonly name: string
  readonly source: string
  /** Ways to pay the input. */
  readonly payments: readonly string[]
  /** Outcomes if the pool takes only a part of the input. */
  readonly partialFills: readonly string[]
  /** Account that may call back. */
  readonly callback: string
  /** Functions of other contracts whose results the operation uses. */
  readonly reliedOnAnswers: readonly string[]
  readonly output: string
}

/** Pattern of calls that pay the input before the swap. The page calls these payments "ahead". */
const PAYS_AHEAD = /Inputs\.(prepay|pay)\(/
/** Pattern of calls that pay the input before the swap and measure the growth of the pool's balance ("measured"). */
const PAYS_MEASURED = /Inputs\.payMeasured\(/
/** Pattern of calls that draw the input into the Executor before the swap ("taken"). */
const TAKES_INPUT = /Inputs\.take(Pair)?\(/

/**
 * Pattern of a step that draws only the cost from the sender, or requires that the cost equals all input that the
 * Executor holds.
 */
const DRAWS_ONLY_COST = /!pulled(?: \|\| tokenIn == address\(0\))?\) Inputs\.requireWhole/
/**
 * Outcomes of a partial fill: the pool takes only a part of the input. Each has a pattern of the code that handles it.
 */
const PARTIAL_FILL_OUTCOMES: readonly (readonly [pattern: RegExp, text: string])[] = [
  [DRAWS_ONLY_COST, "not drawn (the sender's own token); else reverts, by the amounts returned"],
  [/requireWhole\(trade\.pool, nativeBefore/, 'native: reverts, by the balance'],
  [/Inputs\.requireSpent\(/, 'token: reverts, by the approval'],
  [/isPulled\(flags\)\)\s*\{?\s*amount = Inputs\.take/, 'not drawn (only the cost is drawn from the sender)'],
  [/Inputs\.forfeit\(/, 'forfeited'],
  [/clearApproval\(/, 'exact input; the approval is cleared'],
]

/**
 * Behavior of original contracts for which the Executor checks no partial fill, by folder of the operation. These texts
 * are written by hand.
 */
const UNCHECKED_PARTIAL_FILLS: Readonly<Record<string, string>> = {
  'balancer-v3': 'the vault has the whole input, and reverts an unlock that ends with a credit or a debt',
  'wrapped-native': '1:1',
  'aave-v3': 'withdrawal: burns the requested aTokens',
  erc4626: 'redemption: burns the requested shares',
  'rate-wrapper': 'unwrapping: burns the requested shares',
}

/** Matches a call that sends the native token, in Solidity or in assembly. */
const SENDS_NATIVE = /\{value: |call\(gas\(\), \w+, value,/

/** Folders of the operations whose folder has another name than the operation. */
const FOLDERS: Readonly<Record<string, string>> = { wrap: 'wrapped-native', unwrap: 'wrapped-native' }

export function familyFacts(): FamilyFacts[] {
  return ops.map(({ name }) => {
    const folder = FOLDERS[name] ?? name
    const file = readdirSync(join(SOURCES, 'dexes', folder)).find((entry) => entry.endsWith('.sol'))!
    const source = read(`dexes/${folder}/${file}`).replace(/^\s*\/\/.*$/gm, '')
    const ownSource = folder === 'wrapped-native' ? functionOf(source, name) : source
    const functionName = new RegExp(
      `opcode == Program\\.${name.replaceAll('-', '_').toUpperCase()}\\) at = (\\w+)`,
    ).exec(core)?.[1]
    if (!functionName) throw new Error(`ExecutorCore has no branch of ${name}`)
    const stepFunction = functionName.startsWith('_') ? functionOf(core, functionName) : ''
    return {
      name,
      source: `contracts/src/dexes/${folder}/${file}`,
      payments: paymentsOf(ownSource, stepFunction),
      partialFills: partialFillsOf(name, folder, ownSource, stepFunction),
      callback: callbackOf(stepFunction),
      reliedOnAnswers: reliedOnAnswersOf(ownSource),
      output: outputOf(ownSource),
    }
  })
}

function paymentsOf(source: string, stepFunction: string): string[] {
  if (stepFunction) return ['callback']
  const findings: string[] = []
  if (PAYS_AHEAD.test(source)) findings.push('ahead')
  if (PAYS_MEASURED.test(source)) findings.push('ahead, measured')
  if (TAKES_INPUT.test(source)) findings.push(/\.approve\(/.test(source) ? 'taken, approved' : 'taken')
  if (SENDS_NATIVE.test(source)) findings.push('native with the call')
  return findings
}

function partialFillsOf(name: string, folder: string, source: string, stepFunction: string): string[] {
  const notDrawn = "not drawn (the sender's own token)"
  if (/_answered\(pool, flags, consumed, amount\)|requireWhole\(pool, consumed, amount\)/.test(stepFunction))
    return [`${notDrawn}; else reverts, by the amounts returned`]
  const rounding = /ROUNDING_BITS = (\d+);/.exec(source)?.[1]
  if (/\w+\.finish\(pool, token, consumed, amount\)/.test(stepFunction) && rounding)
    return [
      `${notDrawn}; else reverts, by the amounts returned, but for 2^-${rounding} of the input, which is forfeited`,
    ]
  const outcomes = PARTIAL_FILL_OUTCOMES.filter(([pattern]) => pattern.test(source)).map(([, text]) => text)
  if (DRAWS_ONLY_COST.test(source))
    outcomes.push(`later hops: ${/k != 0/.test(source) ? 'revert' : 'the manager reverts'}`)
  if (PAYS_AHEAD.test(source) || PAYS_MEASURED.test(source)) outcomes.push('the pool keeps it')
  if (SENDS_NATIVE.test(source) && folder !== 'wrapped-native' && !/nativeBefore/.test(source))
    outcomes.push('native: unguarded, exact input')
  const uncheckedBehavior = UNCHECKED_PARTIAL_FILLS[folder]
  if (uncheckedBehavior) outcomes.push(uncheckedBehavior)
  if (outcomes.length === 0) throw new Error(`${name}: the source does not show what happens to a partial fill`)
  return outcomes
}

/** Returns the account that may call back. The last argument of `_await` determines it. */
function callbackOf(stepFunction: string): string {
  if (!stepFunction) return 'nobody'
  const flag = /_await\(\w+, flags, token, (\w+)\)/.exec(stepFunction)?.[1]
  if (!flag) throw new Error('a step function of ExecutorCore does not call _await')
  return flag === '0' ? 'the pool' : `the contract called (\`${flag}\`)`
}

/** Returns the functions of other contracts whose results the operation uses. */
function reliedOnAnswersOf(source: string): string[] {
  const views = viewsOf(source)
  const calledNames = [...source.matchAll(/\.(\w+)(?:\{[^}]*\})?\(/g)].map(([, name]) => name!)
  const calledViews = [...new Set(calledNames.filter((name) => views.has(name)))].map((name) => `\`${name}\``)
  if (/function owed\(/.test(source)) calledViews.push('the amount that the callback requests')
  if (/0x0902f1ac/.test(source)) calledViews.push('`getReserves`')
  if (/:= mload\(0x00\)|consumed := mload|consumed(?:,)?\) =|\(,, amount\) =/.test(source))
    calledViews.push('amounts that `swap` returns')
  if (/Inputs\.(requireSpent|forfeit)\(|clearApproval\(/.test(source))
    calledViews.push("`allowance` of the input's token")
  if (/balanceOf\(pool\)|balanceOf\(\w+\.pool\)|payMeasured/.test(source))
    calledViews.push("`balanceOf` of the pool in the input's token")
  if (/requireWhole\(trade\.pool, nativeBefore/.test(source)) calledViews.push("the Executor's own balance")
  return [...new Set(calledViews)]
}

/** Returns the view functions of the interfaces that a family's source imports. */
function viewsOf(source: string): ReadonlySet<string> {
  const files = [...source.matchAll(/interfaces\/(I\w+)\.sol/g)].map(([, name]) => name!)
  const views = files
    .filter((name) => !['IERC20', 'IExecutor'].includes(name))
    .flatMap((name) => [...read(`interfaces/${name}.sol`).matchAll(/function (\w+)\([^)]*\)[^;{]*\bview\b/g)])
    .map(([, name]) => name!)
  return new Set(views)
}

function outputOf(source: string): string {
  if (/passOn\(/.test(source)) return 'measured, passed on'
  if (/\.sendNative\(|wrapper\.transfer\(/.test(source)) return 'passed on, the same amount'
  return 'sent by the pool'
}

/** Returns the text of a function, up to the first closing brace with the indentation of the function. */
function functionOf(source: string, name: string): string {
  const text = new RegExp(`^ {4}function ${name}\\b[\\s\\S]*?^ {4}}$`, 'm').exec(source)?.[0]
  if (!text) throw new Error(`the source has no function ${name}`)
  return text
}

/** Returns the table of the operations. */
export function familiesTable(): string {
  const cell = (parts: readonly string[]) => (parts.length > 0 ? parts.join('; ') : '–')
  const rows = familyFacts().map(
    ({ name, source, payments: paid, partialFills: partial, callback, reliedOnAnswers: answers, output }) => {
      const link = `[\`${name}\`](../../${source})`
      return `| ${link} | ${cell(paid)} | ${cell(partial)} | ${callback} | ${cell(answers)} | ${output} |`
    },
  )
  return [
    '| operation | input payment | partial fill | may call back | trusted return values | output |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}
