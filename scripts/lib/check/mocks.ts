/** Finds tests whose module mocks can affect other test files of the same worker, or be affected by them. */

/**
 * Returns a fault for a test that mocks a module, but does not reset the loaded modules both before and after. The test
 * files of a worker share its loaded modules. So a mock has no effect on a module that an earlier file loaded, and a
 * module that was loaded with a mock keeps the mock in later files.
 */
export function leakingMocks(path: string, text: string): readonly string[] {
  if (!/\.test\.tsx?$/.test(path) || !/^\s*vi\.(mock|doMock)\(/m.test(text)) return []
  const isReset = /^vi\.resetModules\(\)$/m.test(text) && /afterAll\(.*vi\.resetModules\(\)/.test(text)
  return isReset ? [] : [`${path}: vi.mock without vi.resetModules() in the file's body and in afterAll`]
}
