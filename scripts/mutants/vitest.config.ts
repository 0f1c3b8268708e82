/** Runs tests with lines of some files broken (scripts/mutants/encoder.ts, bench/bus/guards.ts). */
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
        const own = edits.filter(({ file }) => id.split('?')[0] === file)
        return own.length > 0 ? own.reduce((text, { from, to }) => text.replaceAll(from, () => to), code) : undefined
      },
    },
  ],
  // Modules as they were before would be taken for broken ones, and the other way round.
  test: { fsModuleCache: false, setupFiles: ['test/src/fast-check.ts'], include: ['packages/**/*.test.ts'] },
})
