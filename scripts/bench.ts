/**
 * `npm run bench -- <name> [part] [arguments]`: runs one benchmark, prints its results, and saves them in
 * bench/results. Without a name, lists the benchmarks. bench/README.md describes them.
 */
import { chooseBenchmark } from './lib/benchmarks.ts'

const choice = chooseBenchmark(process.argv.slice(2))
if ('file' in choice) {
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...choice.args)
  await import(`../bench/${choice.file}`)
} else {
  console[choice.code === 0 ? 'log' : 'error'](choice.text)
  process.exitCode = choice.code
}
