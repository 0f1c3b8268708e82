/**
 * Creates the `npm-shrinkwrap.json` of a published package from the repository's lockfile, so that users install the
 * tested versions of dependencies.
 */

export type Lock = { readonly lockfileVersion: number; readonly packages: Readonly<Record<string, LockedPackage>> }
type LockedPackage = {
  readonly name?: string
  readonly version?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/**
 * Returns the shrinkwrap of a package.
 *
 * @param packageFolder - folder of the package in the repository
 */
export function shrinkwrapOf({ lockfileVersion, packages }: Lock, packageFolder: string): Lock & LockedPackage {
  const { name, version, dependencies } = packages[packageFolder]!
  const requiredPackages: Record<string, LockedPackage> = { '': { name, version, dependencies } as LockedPackage }
  const pendingPaths = [packageFolder]
  for (let requiringPath = pendingPaths.pop(); requiringPath !== undefined; requiringPath = pendingPaths.pop()) {
    const { dependencies: needed, optionalDependencies, peerDependencies } = packages[requiringPath]!
    for (const dependencyName of Object.keys({ ...needed, ...optionalDependencies, ...peerDependencies })) {
      const path = resolvePath(packages, requiringPath, dependencyName)
      if (path === undefined || path in requiredPackages) continue
      requiredPackages[path] = packages[path]!
      pendingPaths.push(path)
    }
  }
  const sorted = Object.fromEntries(Object.entries(requiredPackages).sort(([a], [b]) => (a < b ? -1 : 1)))
  return { name, version, lockfileVersion, packages: sorted } as Lock & LockedPackage
}

/**
 * Returns the path at which Node finds a package: in `node_modules` of the folder or of a parent folder. Undefined if
 * no folder has the package, which may be optional.
 */
function resolvePath(packages: Lock['packages'], from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const path = `${folder && `${folder}/`}node_modules/${name}`
    if (path in packages) return path
    if (folder === '') return undefined
  }
}
