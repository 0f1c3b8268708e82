/** Vite configuration of the web app. */
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Build of the web app. All paths except `/` are under `/app/`, so that they never collide with an endpoint. */
export default defineConfig({
  plugins: [react()],
  build: {
    target: ['chrome123', 'firefox128', 'safari18'],
    assetsDir: 'app/assets',
    // The content security policy forbids `data:` URLs.
    assetsInlineLimit: 0,
    // Omits source maps: nobody debugs the published package in production, and the package is smaller.
    sourcemap: false,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Shared modules form one chunk, since many small files compress worse. Pages and signing code load on demand.
        codeSplitting: { groups: [{ name: 'base', test: /node_modules|\/src\/(ui|service|format|wallet)\// }] },
      },
    },
  },
  server: { proxy: { '^/(?!app/|src/|@|node_modules/|$|\\?)': 'http://127.0.0.1:3000' } },
})
