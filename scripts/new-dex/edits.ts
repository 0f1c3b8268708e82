/** Inserts the lines that a new family needs in existing files. */
import { type Names, NewDexError } from './names.ts'

export type Edit = {
  readonly file: string
  /** Text that occurs exactly once in the file. The new text is inserted before it. */
  readonly insertionPoint: string | RegExp
  readonly insertedText: string
}

const BRANCH_INDENT = '            '

export function editsFor({ name, Name, camel, snake, code }: Names & { readonly code: string }): readonly Edit[] {
  const constant = snake.toUpperCase()
  const ops = 'packages/program/src/ops/index.ts'
  const program = 'contracts/src/libraries/Program.sol'
  const core = 'contracts/src/core/ExecutorCore.sol'
  const expectedCalls = 'contracts/test/support/expected-calls.ts'
  const families = 'packages/liquidity/src/dexes/index.ts'
  return [
    {
      file: ops,
      insertionPoint: 'import type { Op, OpShape',
      insertedText: `import { ${camel} } from './${name}.ts'\n`,
    },
    { file: ops, insertionPoint: ']\n\ntype StepOfEach', insertedText: `  ${camel},\n` },
    {
      file: program,
      insertionPoint: '///\n///   Functions here take',
      insertedText: `///   ${code} ${name.padEnd(13)} pool 20\n`,
    },
    {
      file: program,
      insertionPoint: '\n    uint256 internal constant REST = 0;',
      insertedText: `    uint256 internal constant ${constant} = ${code};\n`,
    },
    {
      file: core,
      insertionPoint: 'import {IBalancerV3Vault}',
      insertedText: `import {${Name}} from "../dexes/${name}/${Name}.sol";\n`,
    },
    {
      file: core,
      insertionPoint: `${BRANCH_INDENT}else revert UnknownOpcode`,
      insertedText: `${BRANCH_INDENT}else if (opcode == Program.${constant}) at = ${Name}.run(at, flags, end);\n`,
    },
    { file: expectedCalls, insertionPoint: '  IERC20__factory,\n', insertedText: `  I${Name}Pool__factory,\n` },
    {
      file: expectedCalls,
      insertionPoint: '\nexport type Scene',
      insertedText: `const ${camel} = I${Name}Pool__factory.createInterface()\n`,
    },
    {
      file: expectedCalls,
      insertionPoint: "      case 'erc4626': {",
      insertedText: `      case '${name}':
        prepay(step, step.pool)
        call(step.pool, ${camel}.encodeFunctionData('swap', [step.zeroForOne, to]))
        break
`,
    },
    {
      file: families,
      insertionPoint: 'import type { DexFamily }',
      insertedText: `import { ${camel} } from './${name}/index.ts'\n`,
    },
    { file: families, insertionPoint: ']\n\nconst familyById', insertedText: `  ${camel},\n` },
  ]
}

/**
 * Applies an edit.
 *
 * @throws NewDexError if the insertion point is missing or not unique
 */
export function applyEdit(content: string, { file, insertionPoint, insertedText }: Edit): string {
  const pattern =
    typeof insertionPoint === 'string' ? insertionPoint.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : insertionPoint.source
  const matches = [...content.matchAll(new RegExp(pattern, 'g'))]
  if (matches.length !== 1) {
    throw new NewDexError(
      `${file} contains ${JSON.stringify(String(insertionPoint))} ${matches.length} times, not once: adapt scripts/new-dex/edits.ts`,
    )
  }
  const offset = matches[0]!.index
  return content.slice(0, offset) + insertedText + content.slice(offset)
}
