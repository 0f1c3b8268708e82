import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Everything but `/` stands under `/app/`, so that no page and no file ever takes the path of an endpoint. */
export default defineConfig({
  plugins: [react()],
  build: {
    target: ['chrome123', 'firefox128', 'safari18'],
    assetsDir: 'app/assets',
    // Policy allows no data: addresses.
    assetsInlineLimit: 0,
    // Of a package that nobody debugs by its source map in the field: smaller, and built sooner.
    sourcemap: false,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // What every page needs is one file: many small ones compress worse. Pages, and what signs, come when asked for.
        codeSplitting: { groups: [{ name: 'base', test: /node_modules|\/src\/(ui|service|format|wallet)\// }] },
      },
    },
  },
  server: { proxy: { '^/(?!app/|src/|@|node_modules/|$|\\?)': 'http://127.0.0.1:3000' } },
})
