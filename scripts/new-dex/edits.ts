/** The lines that a family needs in files that all families share. */
import { type Names, NewDexError } from './names.ts'

export type Edit = {
  readonly file: string
  /** What stands once in the file: the insertion goes before it. */
  readonly before: string | RegExp
  readonly insert: string
}

const BRANCH = '            '

export function editsFor({ name, Name, camel, snake }: Names, opcode: number): readonly Edit[] {
  const code = `0x${opcode.toString(16).padStart(2, '0')}`
  const constant = snake.toUpperCase()
  const format = 'packages/program/src/format.ts'
  const encode = 'packages/program/src/encode.ts'
  const program = 'contracts/src/libraries/Program.sol'
  const core = 'contracts/src/core/ExecutorCore.sol'
  const golden = 'contracts/test/Golden.t.sol'
  const asked = 'contracts/test/support/asked.ts'
  const families = 'packages/liquidity/src/dexes/index.ts'
  return [
    {
      file: 'packages/program/src/step.ts',
      before: '\nexport type UniswapV4Hop',
      insert: `  | (Common & { readonly op: '${name}'; readonly pool: Address; readonly zeroForOne: boolean })\n`,
    },
    { file: format, before: ' */\n\nimport type', insert: ` *     ${code} ${name.padEnd(14)} pool 20\n` },
    { file: format, before: "} as const satisfies Record<Step['op'], number>", insert: `  '${name}': ${code},\n` },
    { file: format, before: /'uniswap-v2',\s+'solidly',/, insert: `'${name}', ` },
    { file: encode, before: "      out.address(step.pool, 'pool')\n      break", insert: `    case '${name}':\n` },
    { file: encode, before: '      return step.zeroForOne ? DIRECTION : 0', insert: `    case '${name}':\n` },
    {
      file: 'packages/program/src/decode.ts',
      before: "    case 'erc4626':\n",
      insert: `    case '${name}':\n      return { op, pool: bytes.address(), zeroForOne: direction }\n`,
    },
    {
      file: 'packages/program/src/testing/arbitrary.ts',
      before: '  ]),\n  ...[held, pulled].flatMap',
      insert: `    fc.record({ op: op('${name}'), ...common, pool: address, zeroForOne: direction }),\n`,
    },
    { file: program, before: '///\n///   Functions here take', insert: `///   ${code} ${name.padEnd(13)} pool 20\n` },
    {
      file: program,
      before: '\n    uint256 internal constant REST = 0;',
      insert: `    uint256 internal constant ${constant} = ${code};\n`,
    },
    {
      file: core,
      before: 'import {IBalancerV3Vault}',
      insert: `import {${Name}} from "../dexes/${name}/${Name}.sol";\n`,
    },
    {
      file: core,
      before: `${BRANCH}else revert UnknownOpcode`,
      insert: `${BRANCH}else if (opcode == Program.${constant}) at = ${Name}.run(at, flags, end);\n`,
    },
    {
      file: golden,
      before: 'import {IWrappedNative}',
      insert: `import {I${Name}Pool} from "../src/interfaces/I${Name}Pool.sol";\n`,
    },
    { file: asked, before: '  IERC20__factory,\n', insert: `  I${Name}Pool__factory,\n` },
    {
      file: asked,
      before: '\nexport type Scene',
      insert: `const ${camel} = I${Name}Pool__factory.createInterface()\n`,
    },
    {
      file: asked,
      before: "      case 'erc4626': {",
      insert: `      case '${name}':
        prepay(step, step.pool)
        call(step.pool, ${camel}.encodeFunctionData('swap', [step.zeroForOne, to]))
        break
`,
    },
    { file: 'contracts/deploy/plan.ts', before: "  'erc4626',\n", insert: `  '${name}',\n` },
    {
      file: families,
      before: 'import type { DexFamily }',
      insert: `import { ${camel} } from './${name}/index.ts'\n`,
    },
    { file: families, before: ']\n\nconst byId', insert: `  ${camel},\n` },
  ]
}

/** @throws NewDexError where the place of the insertion is not to be found: the file has changed its form */
export function applyEdit(content: string, { file, before, insert }: Edit): string {
  const pattern = typeof before === 'string' ? before.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : before.source
  const found = [...content.matchAll(new RegExp(pattern, 'g'))]
  if (found.length !== 1) {
    throw new NewDexError(
      `${file} holds ${JSON.stringify(String(before))} ${found.length} times, not once: scripts/new-dex/edits.ts must learn its new form`,
    )
  }
  const at = found[0]!.index
  return content.slice(0, at) + insert + content.slice(at)
}
