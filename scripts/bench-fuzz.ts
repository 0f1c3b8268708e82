/** `npm run bench:fuzz`: 100,000 random quotes against genuine bytecode; the tally is kept in bench/results/quotes.json. */
await import('../bench/fuzz.ts')
