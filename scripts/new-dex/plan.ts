/** Computes the content of all files that a new family adds or changes, and writes them. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Interface } from 'ethers'
import { applyEdit, editsFor } from './edits.ts'
import { fill, type Names, NewDexError, namesOf } from './names.ts'

const OPS = 'packages/program/src/ops'
const FAMILIES = 'packages/liquidity/src/dexes/index.ts'
const GOLDEN = 'packages/program/golden/programs.json'

type Words = Names & {
  /** Code of the operation, such as `0x0e`. */
  readonly code: string
}

/** Returns the path of the file that each template creates, by the template's name. */
const outputPaths = ({ name, Name }: Names): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(
    ['math.ts', 'index.ts', 'README.md'].map((file) => [file, `packages/liquidity/src/dexes/${name}/${file}`]),
  ),
  'test.ts': `packages/liquidity/src/dexes/${name}/${name}.test.ts`,
  'op.ts': `${OPS}/${name}.ts`,
  'library.sol': `contracts/src/dexes/${name}/${Name}.sol`,
  'interfaces.sol': `contracts/src/interfaces/I${Name}.sol`,
})

/**
 * Returns the content of the new and changed files, by path.
 *
 * @throws NewDexError if the name is invalid or taken
 */
export function planDex(name: string, root: string): ReadonlyMap<string, string> {
  const names = namesOf(name)
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  rejectTakenName(names, root, read(FAMILIES))
  const words = { ...names, code: nextCode(root) }
  const files = new Map<string, string>()
  for (const [file, path] of Object.entries(outputPaths(names)))
    files.set(path, fill(readFileSync(join(import.meta.dirname, 'templates', `${file}.txt`), 'utf8'), words))
  for (const edit of editsFor(words)) files.set(edit.file, applyEdit(files.get(edit.file) ?? read(edit.file), edit))
  files.set(GOLDEN, appendGolden(read(GOLDEN), words))
  return files
}

export function writeFiles(files: ReadonlyMap<string, string>, root: string): void {
  for (const [path, content] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
}

function rejectTakenName({ name, Name, camel }: Names, root: string, families: string): void {
  const refuse = (why: string) => new NewDexError(`name: ${name} is taken: ${why}`)
  if (name.endsWith('-sampled')) throw refuse('it is the id of a sampled twin')
  for (const folder of ['packages/liquidity/src/dexes', 'contracts/src/dexes']) {
    if (existsSync(join(root, folder, name))) throw refuse(`${folder}/${name} exists`)
  }
  const sources = readdirSync(join(root, 'contracts/src'), { recursive: true, encoding: 'utf8' })
  const solidity = [`${Name}.sol`, `I${Name}.sol`, `I${Name}Pool.sol`, `I${Name}State.sol`]
  const takenFile = sources.find((file) => solidity.includes(file.split('/').at(-1)!))
  if (takenFile) throw refuse(`contracts/src/${takenFile} exists`)
  if (new RegExp(`\\b${camel}\\b`).test(families)) throw refuse(`${FAMILIES} has a ${camel}`)
  if (RESERVED_NAMES.has(camel)) throw refuse('it is a word of TypeScript')
}

const RESERVED_NAMES = new Set(
  'await break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield'.split(
    ' ',
  ),
)

function nextCode(root: string): string {
  const sources = readdirSync(join(root, OPS)).map((file) => readFileSync(join(root, OPS, file), 'utf8'))
  const codes = sources.flatMap((source) =>
    [...source.matchAll(/\bcode: (0x[0-9a-f]{2}),/g)].map(([, code]) => Number(code)),
  )
  const next = Math.max(...codes) + 1
  if (next > 0xff) throw new NewDexError(`${OPS} has no code left`)
  return `0x${next.toString(16).padStart(2, '0')}`
}

const TOKENS = ['0x1000000000000000000000000000000000000001', '0x1000000000000000000000000000000000000002'] as const
const POOL = '0x2000000000000000000000000000000000000001'

/** Placeholder addresses of the Executor and the Guard in the calls of a golden program. */
const [EXECUTOR, GUARD] = [`0x${'ee'.repeat(20)}`, `0x${'cc'.repeat(20)}`]

const CALLS = new Interface([
  'function pullInput(address to, uint256 amount)',
  'function transfer(address to, uint256 amount)',
  'function swap(bool zeroForOne, address to)',
])

/**
 * Adds a golden program with a swap in each direction, and the expected calls. The first swap sells 5 base units of the
 * sender. The second sells the Executor's balance (1000) and sends the output to the recipient.
 */
function appendGolden(golden: string, { name, code }: Words): string {
  const op = code.slice(2)
  const firstStep = `${op}24${'5'.padStart(32, '0')}${POOL.slice(2)}`
  const secondStep = `${op}08${TOKENS[1].slice(2)}${POOL.slice(2)}`
  const programs = JSON.parse(golden) as unknown[]
  const step = { op: name, tokenIn: TOKENS[0], pool: POOL, zeroForOne: true }
  const call = (to: string, functionName: string, args: readonly unknown[]) => ({
    to,
    data: CALLS.encodeFunctionData(functionName, args),
  })
  programs.push({
    name: `both directions of a ${name} pool`,
    pulledToken: TOKENS[0],
    steps: [
      { ...step, input: { kind: 'pull', amount: '5' }, output: { kind: 'executor' } },
      { ...step, tokenIn: TOKENS[1], zeroForOne: false, input: { kind: 'rest' }, output: { kind: 'recipient' } },
    ],
    bytes: `0x${firstStep}${secondStep}`,
    calls: [
      call(GUARD, 'pullInput', [POOL, 5]),
      call(POOL, 'swap', [true, EXECUTOR]),
      call(TOKENS[1], 'transfer', [POOL, 1000]),
      call(POOL, 'swap', [false, GUARD]),
    ],
  })
  return `${JSON.stringify(programs, null, 2)}\n`
}
