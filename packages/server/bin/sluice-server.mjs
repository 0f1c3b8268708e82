#!/usr/bin/env node
await import('../dist/packages/server/src/main.js')
