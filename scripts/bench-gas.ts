/** `npm run bench:gas`: gas side by side with the peers; the table is printed and kept in bench/results/gas.json. */
await import('../bench/gas/bench.ts')
