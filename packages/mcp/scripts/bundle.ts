import { join } from 'node:path'
import { rolldown } from 'rolldown'

/** Writes `main.js` into a folder: this package with `@sluice/client` inside. The MCP SDK and zod stay imports. */
export async function bundle(dir: string): Promise<void> {
  const build = await rolldown({
    // Comments of the output name paths from here.
    cwd: join(import.meta.dirname, '..'),
    input: 'src/main.ts',
    platform: 'node',
    external: /^(node:|@modelcontextprotocol\/|zod$)/,
  })
  await build.write({ dir, format: 'esm', entryFileNames: 'main.js' })
  await build.close()
}
