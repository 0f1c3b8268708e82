/** Lines that a family adds to shared files. */
import { type Names, NewDexError } from './names.ts'

export type Edit = {
  readonly file: string
  /** Text that occurs once in the file. The insertion goes before it. */
  readonly before: string | RegExp
  readonly insert: string
}

const BRANCH = '            '

export function editsFor({ name, Name, camel, snake, code }: Names & { readonly code: string }): readonly Edit[] {
  const constant = snake.toUpperCase()
  const ops = 'packages/program/src/ops/index.ts'
  const program = 'contracts/src/libraries/Program.sol'
  const core = 'contracts/src/core/ExecutorCore.sol'
  const expectedCalls = 'contracts/test/support/expected-calls.ts'
  const families = 'packages/liquidity/src/dexes/index.ts'
  return [
    { file: ops, before: 'import type { Op, OpShape', insert: `import { ${camel} } from './${name}.ts'\n` },
    { file: ops, before: ']\n\ntype StepOfEach', insert: `  ${camel},\n` },
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
    { file: expectedCalls, before: '  IERC20__factory,\n', insert: `  I${Name}Pool__factory,\n` },
    {
      file: expectedCalls,
      before: '\nexport type Scene',
      insert: `const ${camel} = I${Name}Pool__factory.createInterface()\n`,
    },
    {
      file: expectedCalls,
      before: "      case 'erc4626': {",
      insert: `      case '${name}':
        prepay(step, step.pool)
        call(step.pool, ${camel}.encodeFunctionData('swap', [step.zeroForOne, to]))
        break
`,
    },
    {
      file: families,
      before: 'import type { DexFamily }',
      insert: `import { ${camel} } from './${name}/index.ts'\n`,
    },
    { file: families, before: ']\n\nconst byId', insert: `  ${camel},\n` },
  ]
}

/**
 * Applies an edit.
 *
 * @throws NewDexError if the insertion point is missing or not unique
 */
export function applyEdit(content: string, { file, before, insert }: Edit): string {
  const pattern = typeof before === 'string' ? before.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : before.source
  const matches = [...content.matchAll(new RegExp(pattern, 'g'))]
  if (matches.length !== 1) {
    throw new NewDexError(
      `${file} holds ${JSON.stringify(String(before))} ${matches.length} times, not once: scripts/new-dex/edits.ts must learn its new form`,
    )
  }
  const at = matches[0]!.index
  return content.slice(0, at) + insert + content.slice(at)
}
