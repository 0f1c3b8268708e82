/** Finds tests whose module mocks depend on, or affect, the other test files of their worker. */

/**
 * Returns a fault for a test that mocks a module but does not reset the loaded modules before and after. Test files
 * share workers and the modules that those loaded, so a mock has no effect on a module that an earlier file loaded,
 * and a module that was loaded with a mock keeps it for later files.
 */
export function leakingMocks(path: string, text: string): readonly string[] {
  if (!/\.test\.tsx?$/.test(path) || !/^\s*vi\.(mock|doMock)\(/m.test(text)) return []
  const isReset = /^vi\.resetModules\(\)$/m.test(text) && /afterAll\(.*vi\.resetModules\(\)/.test(text)
  return isReset ? [] : [`${path}: vi.mock without vi.resetModules() in the file's body and in afterAll`]
}
