/**
 * Import rules (ARCHITECTURE.md), for `npm run check`. A package is imported by its name, that is by its exports; nobody reaches
 * into another's folders.
 */

/** Left may never import right. */
const ORDER = [
  'chains',
  'bindings',
  'program',
  'tracing',
  'rpc',
  'simulation',
  'liquidity',
  'bus',
  'routing',
  'pricing',
  'quoting',
  'solver',
  'api',
  'server',
]
/** Files that only tests and builds of the project run. */
const TESTS = '(\\.test\\.tsx?$|/test/|/testing/)'

/** Files that reach into others' folders, with the reason. */
const EXCEPTIONS = [
  // The client is published, and has no entry for tests.
  '^bench/certificates/verify\\.ts$',
  '^packages/mcp/src/server\\.test\\.ts$',
  // They share connections and records with the benchmarks, which depend on the api: declaring that would be a cycle.
  '^packages/api/test/[a-z-]+\\.test\\.ts$',
  // They test what the benchmarks compute with. These depend on the folder of the tests: declaring that would be a cycle.
  '^test/((gas|router)/[a-z-]+|bounded|bus-guards|capacity)\\.test\\.ts$',
]

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    ...ORDER.map((name, at) => ({
      name: `direction-of-${name}`,
      severity: 'error',
      from: { path: `^packages/${name}/`, pathNot: TESTS },
      to: {
        path: `^packages/(${[...ORDER.slice(at + 1), 'devnet', 'client', 'react', 'mcp', 'web', 'docs', 'certificate'].join('|')})/`,
      },
    })),
    {
      name: 'client-stands-alone',
      severity: 'error',
      comment: 'The program format is compiled into it.',
      from: { path: '^packages/client/src/', pathNot: TESTS },
      to: { pathNot: '^packages/(client|program)/src/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'certificate-stands-alone',
      severity: 'error',
      comment: 'What checks the service shares nothing with it, and has no dependencies.',
      from: { path: '^packages/certificate/src/', pathNot: TESTS },
      to: { pathNot: '^packages/certificate/src/' },
    },
    {
      name: 'react-by-the-client',
      severity: 'error',
      from: { path: '^packages/react/src/', pathNot: TESTS },
      to: { path: '^packages/', pathNot: '^packages/(react|client)/' },
    },
    {
      name: 'mcp-by-the-client',
      severity: 'error',
      from: { path: '^packages/mcp/src/', pathNot: TESTS },
      to: { path: '^packages/', pathNot: '^packages/(mcp|client)/' },
    },
    {
      name: 'web-by-the-client',
      severity: 'error',
      from: { path: '^packages/web/src/', pathNot: TESTS },
      to: { path: '^packages/', pathNot: '^packages/(web|react|client|program)/' },
    },
    {
      name: 'docs-stand-alone',
      severity: 'error',
      comment: 'The site is made of Markdown, and served as files.',
      from: { path: '^packages/docs/src/', pathNot: TESTS },
      to: { path: '^packages/', pathNot: '^packages/docs/' },
    },
    {
      name: 'by-exports',
      severity: 'error',
      comment: 'Another package is imported by its name.',
      from: { path: '^(packages/[^/]+|contracts|bench|test)/', pathNot: EXCEPTIONS },
      to: { path: '^(packages/[^/]+|contracts|bench|test)/', pathNot: '^$1/', dependencyTypes: ['local'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules|/dist/' },
    exclude: { path: '(^|/)(dist|cache|artifacts|types)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
}
