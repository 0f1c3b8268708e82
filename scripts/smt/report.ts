/**
 * Checks the SMT-LIB models of the contracts (`models.ts`) with Z3 and, if installed, cvc5. Prints the result and
 * writes docs/audit/smt-models.md.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../lib/run.ts'
import { type Model, models, type Verdict, verdictOf } from './models.ts'
import { cvc5, type Solver, z3 } from './solvers.ts'

/**
 * Checks all models. Sets exit code 1 if a property is not proven or a mutation makes no property false. Writes the
 * file only if cvc5 is installed.
 */
export function checkModels(): void {
  const installedCvc5 = cvc5()
  const solvers = [z3(), ...(installedCvc5 ? [installedCvc5] : [])]
  const verdictsByModel = new Map<Model, readonly Verdict[]>()
  for (const model of models) {
    const verdicts = solvers.map((solver) => verdictOf(model, solver))
    verdictsByModel.set(model, verdicts)
    for (const { solver, properties, mutations } of verdicts) {
      const unprovenProperties = properties.filter(({ isProven }) => !isProven)
      const unrefutedMutations = mutations.filter(({ refutedProperty }) => refutedProperty === undefined)
      const counts = `${properties.length - unprovenProperties.length} of ${properties.length} properties proven, ${mutations.length - unrefutedMutations.length} of ${mutations.length} mutations refuted`
      console.log(`${model.name}, ${solver}: ${counts}`)
      for (const { name } of unprovenProperties) console.log(`  NOT PROVEN: ${name}`)
      for (const { name } of unrefutedMutations) console.log(`  NOT REFUTED: ${name}`)
      if (unprovenProperties.length + unrefutedMutations.length > 0) process.exitCode = 1
    }
  }
  if (installedCvc5) writeFileSync(join(root, 'docs/audit/smt-models.md'), documentOf(solvers, verdictsByModel))
  else
    console.log('cvc5: skipped: install cvc5 (Debian: apt-get install cvc5). docs/audit/smt-models.md is left as it is')
}

function documentOf(solvers: readonly Solver[], verdictsByModel: ReadonlyMap<Model, readonly Verdict[]>): string {
  const solverNames = solvers.map(({ name, version }) => `${name} ${version}`).join(' and ')
  const columns = solvers.map(({ name }) => name)
  const sections = [...verdictsByModel].map(([{ name, linesByFile }, verdicts]) => {
    const [firstVerdict] = verdicts
    const properties = firstVerdict!.properties.map((property, k) => [
      property.name,
      ...verdicts.map((verdict) => (verdict.properties[k]!.isProven ? 'proven' : 'not proven')),
    ])
    const mutations = firstVerdict!.mutations.map((mutation, k) => [
      mutation.name,
      ...verdicts.map((verdict) => verdict.mutations[k]!.refutedProperty ?? 'not refuted'),
    ])
    const files = Object.keys(linesByFile).map((file) => `\`${file}\``)
    return `\n## ${name}\n\nModels ${files.join(', ')}.\n\n${table(['property', ...columns], properties)}\n\n${table(
      ['mutation', ...columns.map((column) => `${column}: no longer true`)],
      mutations,
    )}\n`
  })
  return `# Models of the Guard

Made by \`npm run smt -- models\`, with ${solverNames}. Each model in \`scripts/smt/models\` writes some lines of the contracts as formulas, and
the solvers prove its properties for all values: the negation of a property has no solution. Each mutation changes the model as
a broken contract would, and a solver must find values for which a property is false. The command fails if a modeled line is no longer in the
contracts. The models are written by hand: they prove what the formulas say, not that the compiler keeps to it. For that, see the
differential fuzz in [attacks.md](attacks.md).
${sections.join('')}`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
