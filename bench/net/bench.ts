/** `npm run bench -- net`: see `table.ts`, and with `--cold` `cold.ts`. */
if (process.argv.includes('--cold')) await import('./cold.ts')
else await import('./table.ts')
