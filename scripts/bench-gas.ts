/** `npm run bench:gas`: gas side by side with the peers; the table is printed and kept in bench/results/gas.json. */
import {} from './lib/run.ts'

await import('../bench/gas/bench.ts')
