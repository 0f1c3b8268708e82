/** Folders of the packages that import one another in a cycle, tests aside, for `npm run check`. */
import rules from './.dependency-cruiser.mjs'

const { options } = rules

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [{ name: 'no-folder-cycle', severity: 'error', scope: 'folder', from: {}, to: { circular: true } }],
  options: {
    ...options,
    // What tests import is the affair of nobody: they may look at a folder from any other.
    exclude: { path: `${options.exclude.path}|(^|/)(test|testing)/|\\.test\\.tsx?$` },
  },
}
