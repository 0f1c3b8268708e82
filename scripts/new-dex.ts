/** `npm run new:dex <name>`: creates the skeleton of a DEX family in Solidity and TypeScript, as described in CONTRIBUTING.md. */
import { root, run } from './lib/run.ts'
import { NewDexError } from './new-dex/names.ts'
import { planDex, writeFiles } from './new-dex/plan.ts'

const [name, ...rest] = process.argv.slice(2)
if (name === undefined || rest.length > 0) {
  console.error('usage: npm run new:dex <name>, such as npm run new:dex some-dex-v2')
  process.exit(2)
}

try {
  const files = planDex(name, root)
  writeFiles(files, root)
  const paths = [...files.keys()]
  const { code } = await run('biome', ['check', '--write', ...paths.filter((path) => /\.(ts|json)$/.test(path))])
  await run('node', ['packages/program/scripts/format.ts'])
  console.log(`${paths.map((path) => `  ${path}`).join('\n')}

It compiles and quotes nothing yet. CONTRIBUTING.md goes on from here: the real functions of the pools in their
interfaces, discovery and reading, the maths with known answers, the gas of a hop (npm run measure:gas), and, since the
Executor has changed, npm run predict and npm run audit:scope.`)
  process.exit(code)
} catch (error) {
  if (!(error instanceof NewDexError)) throw error
  console.error(error.message)
  process.exit(1)
}
