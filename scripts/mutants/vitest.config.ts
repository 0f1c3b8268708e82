/**
 * Vitest configuration that replaces lines of source files in memory. Used by scripts/mutants/encoder.ts and
 * bench/bus/guards.ts.
 */
import { defineConfig } from 'vitest/config'
import { root } from '../lib/run.ts'

type Edit = { readonly file: string; readonly from: string; readonly to: string }

const edits = [JSON.parse(process.env.MUTANT_OF!) as Edit | readonly Edit[]].flat()

export default defineConfig({
  root,
  plugins: [
    {
      name: 'mutant',
      enforce: 'pre',
      transform: (code, id) => {
        const fileEdits = edits.filter(({ file }) => id.split('?')[0] === file)
        return fileEdits.length > 0
          ? fileEdits.reduce((text, { from, to }) => text.replaceAll(from, () => to), code)
          : undefined
      },
    },
  ],
  // No cache of transformed modules, because it would mix broken and unbroken versions of a file.
  test: { fsModuleCache: false, setupFiles: ['test/src/fast-check.ts'], include: ['packages/**/*.test.ts'] },
})
