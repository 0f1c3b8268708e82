/** `npm run bench -- net`: see `table.ts`, and with `--cold` `cold.ts`. */
await import(process.argv.includes('--cold') ? './cold.ts' : './table.ts')
