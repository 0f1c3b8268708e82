/** All files that a new family makes or changes, before any of them is written. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { applyEdit, editsFor } from './edits.ts'
import { fill, type Names, NewDexError, namesOf } from './names.ts'

const FORMAT = 'packages/program/src/format.ts'
const FAMILIES = 'packages/liquidity/src/dexes/index.ts'
const GOLDEN = 'packages/program/golden/programs.json'
const GOLDEN_TEST = 'contracts/test/Golden.t.sol'
const GAS = 'packages/liquidity/src/dexes/common/gas.generated.json'

/** Gas of a hop before it is measured: above most families, so that routing does not favour what nobody has run. */
const UNKNOWN_GAS = 150_000

/** Where each template goes. */
const places = ({ name, Name }: Names): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(
    ['types.ts', 'math.ts', 'state.ts', 'discover.ts', 'index.ts', 'README.md'].map((file) => [
      file,
      `packages/liquidity/src/dexes/${name}/${file}`,
    ]),
  ),
  'test.ts': `packages/liquidity/src/dexes/${name}/${name}.test.ts`,
  'library.sol': `contracts/src/dexes/${name}/${Name}.sol`,
  'pool-interface.sol': `contracts/src/interfaces/I${Name}Pool.sol`,
  'state-interface.sol': `contracts/src/interfaces/I${Name}State.sol`,
})

/**
 * Content by path.
 *
 * @throws NewDexError for a name that is not one, or is taken
 */
export function planDex(name: string, root: string): ReadonlyMap<string, string> {
  const names = namesOf(name)
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  refuseTaken(names, root, read(FAMILIES))
  const template = (file: string) =>
    fill(readFileSync(join(import.meta.dirname, 'templates', `${file}.txt`), 'utf8'), names)

  const files = new Map<string, string>()
  for (const [file, path] of Object.entries(places(names))) files.set(path, template(file))
  const opcode = nextOpcode(read(FORMAT))
  for (const edit of editsFor(names, opcode)) {
    files.set(edit.file, applyEdit(files.get(edit.file) ?? read(edit.file), edit))
  }
  const goldenTest = files.get(GOLDEN_TEST)!
  files.set(GOLDEN_TEST, `${goldenTest.slice(0, goldenTest.lastIndexOf('}'))}${template('golden-test.sol')}`)
  files.set(GOLDEN, appendGolden(read(GOLDEN), names, opcode))
  files.set(GAS, addGas(read(GAS), names))
  return files
}

export function writeFiles(files: ReadonlyMap<string, string>, root: string): void {
  for (const [path, content] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
}

function refuseTaken({ name, Name, camel }: Names, root: string, families: string): void {
  const refuse = (why: string) => new NewDexError(`name: ${name} is taken: ${why}`)
  for (const side of ['packages/liquidity/src/dexes', 'contracts/src/dexes']) {
    if (existsSync(join(root, side, name))) throw refuse(`${side}/${name} exists`)
  }
  const sources = readdirSync(join(root, 'contracts/src'), { recursive: true, encoding: 'utf8' })
  const solidity = [`${Name}.sol`, `I${Name}Pool.sol`, `I${Name}State.sol`]
  const clash = sources.find((file) => solidity.includes(file.split('/').at(-1)!))
  if (clash) throw refuse(`contracts/src/${clash} exists`)
  if (new RegExp(`\\b${camel}\\b`).test(families)) throw refuse(`${FAMILIES} has a ${camel}`)
  if (RESERVED.has(camel)) throw refuse('it is a word of TypeScript')
}

const RESERVED = new Set(
  'await break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield'.split(
    ' ',
  ),
)

function nextOpcode(format: string): number {
  const table = format.slice(format.indexOf('export const opcodes'), format.indexOf('as const satisfies Record<Step'))
  const codes = [...table.matchAll(/: (0x[0-9a-f]{2}),/g)].map(([, code]) => Number(code))
  const next = Math.max(...codes) + 1
  if (next > 0xff) throw new NewDexError(`${FORMAT} has no opcode left`)
  return next
}

const TOKENS = ['0x1000000000000000000000000000000000000001', '0x1000000000000000000000000000000000000002'] as const
const POOL = '0x2000000000000000000000000000000000000001'

/** Both directions, written down by hand as the table of the format says: pull 5, and the rest to the recipient. */
function appendGolden(golden: string, { name }: Names, opcode: number): string {
  const op = opcode.toString(16).padStart(2, '0')
  const sold = `${op}24${'5'.padStart(32, '0')}${POOL.slice(2)}`
  const bought = `${op}08${TOKENS[1].slice(2)}${POOL.slice(2)}`
  const programs = JSON.parse(golden) as unknown[]
  const step = { op: name, tokenIn: TOKENS[0], pool: POOL, zeroForOne: true }
  programs.push({
    name: `both directions of a ${name} pool`,
    pulledToken: TOKENS[0],
    steps: [
      { ...step, input: { kind: 'pull', amount: '5' }, output: { kind: 'executor' } },
      { ...step, tokenIn: TOKENS[1], zeroForOne: false, input: { kind: 'rest' }, output: { kind: 'recipient' } },
    ],
    bytes: `0x${sold}${bought}`,
  })
  return `${JSON.stringify(programs, null, 2)}\n`
}

function addGas(table: string, { name }: Names): string {
  const { families, ...rest } = JSON.parse(table) as { families: Record<string, object> }
  const row = { hop: UNKNOWN_GAS, piece: 0, basis: 'estimate: not measured yet' }
  const sorted = Object.entries({ ...families, [name]: row }).sort(([a], [b]) => (a < b ? -1 : 1))
  return `${JSON.stringify({ ...rest, families: Object.fromEntries(sorted) }, null, 2)}\n`
}
