/**
 * Finds packages that a file imports but its package.json does not declare. Node may still resolve them by hoisting.
 */
import { builtinModules } from 'node:module'
import ts from 'typescript'

/** Packages that the root's package.json declares for all workspaces: the test runner and its property library. */
const ROOT_PACKAGES = ['vitest', 'fast-check']

/** Returns the packages that a file imports, including type imports and dynamic imports. */
function importedPackages(text: string): readonly string[] {
  const { importedFiles } = ts.preProcessFile(text, true, true)
  const names = importedFiles.map(({ fileName }) => fileName)
  const packages = names.filter((name) => !/^(\.|\/|node:|virtual:)/.test(name) && !builtinModules.includes(name))
  return [
    ...new Set(
      packages.map((name) =>
        name
          .split('/')
          .slice(0, name.startsWith('@') ? 2 : 1)
          .join('/'),
      ),
    ),
  ]
}

export type Manifest = {
  readonly name?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

export function undeclaredImports(path: string, text: string, manifest: Manifest): readonly string[] {
  const { name, dependencies, devDependencies, peerDependencies } = manifest
  const dependencyNames = { ...dependencies, ...devDependencies, ...peerDependencies }
  return importedPackages(text)
    .filter(
      (importedPackage) =>
        importedPackage !== name &&
        !ROOT_PACKAGES.includes(importedPackage) &&
        !(importedPackage in dependencyNames) &&
        !(`@types/${importedPackage}` in dependencyNames),
    )
    .map((importedPackage) => `${path}: imports ${importedPackage}, which its package.json does not declare`)
}
