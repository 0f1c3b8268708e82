/** Vite configuration of the web app. */
import { defineConfig } from 'vite'
import { htmlOfPages } from './build-pages.ts'

/** Modules that only browser wallets need. They load when the user connects a wallet. */
const BROWSER_WALLETS =
  /node_modules\/(@?wagmi|viem|ox|abitype|@noble|@scure|zustand|eventemitter3|mipd)\/|browser-wallets/

/** Preact replaces React, so that a page loads 58 kB less. The most specific module names come first. */
const PREACT = {
  'react/jsx-runtime': 'preact/jsx-runtime',
  'react-dom/client': 'preact/compat/client',
  'react-dom': 'preact/compat',
  react: 'preact/compat',
}

/**
 * Build of the web app. All paths except `/` are under `/app/`, so that no path collides with an endpoint of the API.
 */
export default defineConfig({
  plugins: [htmlOfPages()],
  resolve: { alias: PREACT },
  build: {
    target: ['chrome123', 'firefox128', 'safari18'],
    assetsDir: 'app/assets',
    // The content security policy forbids `data:` URLs.
    assetsInlineLimit: 0,
    // Omits source maps to keep the published package small.
    sourcemap: false,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Shared modules form few chunks, since many small files compress worse. Pages and signing code load on demand.
        codeSplitting: {
          groups: [
            { name: 'wallets', test: BROWSER_WALLETS, priority: 2 },
            {
              name: 'base',
              test: /node_modules|\/src\/(ui|service|format|wallet)\/(?!WalletDialog)|\/params\.ts/,
              priority: 1,
            },
            { name: 'route', test: /\/src\/route\// },
          ],
        },
      },
    },
  },
  server: { proxy: { '^/(?!app/|src/|@|node_modules/|$|\\?)': 'http://127.0.0.1:3000' } },
})
