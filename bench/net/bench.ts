/** `npm run bench -- net`: runs `table.ts`, or `cold.ts` with `--cold`. */
if (process.argv.includes('--cold')) await import('./cold.ts')
else await import('./table.ts')
