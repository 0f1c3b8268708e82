/**
 * `npm run smt`: checks the handwritten models of the Guard (scripts/smt/models) with Z3 and cvc5, and writes
 * docs/audit/smt-models.md. Then runs solc's SMTChecker on the Guard and writes docs/audit/smt.md. The argument
 * `models`, `chc`, or `bmc` runs only this part. The solver in solc's WebAssembly build needs threads, which are
 * missing here, so Z3 from npm answers its queries in a separate process (scripts/smt/z3.ts).
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { root } from './lib/run.ts'
import type { EngineResult, Job, StandardJson } from './smt/engine.ts'
import { checkModels } from './smt/report.ts'

/**
 * Engines of the SMTChecker, with their timeouts per query and in total. Constrained Horn clauses cover all sequences
 * of transactions. Bounded model checking covers each function separately.
 */
const ENGINES = [
  { engine: 'chc', name: 'Constrained Horn clauses', timeoutMs: 60_000, totalMs: 600_000 },
  { engine: 'bmc', name: 'Bounded model checking', timeoutMs: 20_000, totalMs: 180_000 },
] as const
const STACK_MB = 512

const read = <T>(path: string): T => JSON.parse(readFileSync(join(root, path), 'utf8')) as T
const standardJson = read<StandardJson>('deployments/standard-json/Guard.json')
const { version } = read<{ version: string }>('node_modules/z3-solver/package.json')
const requestedParts = process.argv.slice(2)

if (requestedParts.length === 0 || requestedParts.includes('models')) checkModels()

const sections: string[] = []
for (const { engine, name, timeoutMs, totalMs } of ENGINES) {
  if (requestedParts.length > 0 && !requestedParts.includes(engine)) continue
  const { answers, messages } = await runEngine({
    engine,
    queryTimeoutMs: timeoutMs,
    totalTimeoutMs: totalMs,
    standardJson,
  })
  const messageCounts = new Map<string, number>()
  for (const message of messages)
    messageCounts.set(summaryOf(message), (messageCounts.get(summaryOf(message)) ?? 0) + 1)
  sections.push(
    `\n## ${name}\n\n${formatTable(['queries', 'answered'], Object.entries(answers))}\n\n${formatTable(['times', 'said'], [...messageCounts])}\n`,
  )
  console.log(sections.at(-1))
  // Writes the page after each engine, because bounded model checking takes long and may be interrupted.
  writePage()
}

function writePage(): void {
  writeFileSync(
    join(root, 'docs/audit/smt.md'),
    `# SMTChecker

Made by \`npm run smt\` (\`-- chc\` or \`-- bmc\` for one engine): solc 0.8.30 with Z3 ${version} of npm, on \`Guard\` as it is deployed. What
follows from it is described in [attacks.md](attacks.md).
${sections.join('')}`,
  )
}
function runEngine(job: Job): Promise<EngineResult> {
  const worker = new Worker(new URL('./smt/engine.ts', import.meta.url), {
    workerData: job,
    resourceLimits: { stackSizeMb: STACK_MB },
  })
  return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
}

function formatTable([left, right]: readonly [string, string], rows: readonly (readonly [string, number])[]): string {
  const sorted = [...rows].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
  const lines = sorted.length > 0 ? sorted.map(([text, times]) => `| ${times} | ${text} |`) : ['| 0 | – |']
  return [`| ${left} | ${right} |`, '| ---: | --- |', ...lines].join('\n')
}

/** Returns the first line of a message, with file and line if the message is about a place in the code. */
function summaryOf(message: string): string {
  const [line = '', locationLine = ''] = message.split('\n')
  const place = /src\/(\S+?):(\d+):/.exec(locationLine)
  const text = line
    .replace(/^(Warning|Info): /, '')
    .replaceAll('|', '\\|')
    .slice(0, 160)
    .replace(/\.$/, '')
  return place && /^(CHC|BMC): .*(here|safe)/.test(text) ? `${text} (\`${place[1]}\`, line ${place[2]})` : text
}
