/** Finds faults of exported names: types that several files export, and public names without a docstring. */
import { dirname, join } from 'node:path'
import ts from 'typescript'

/** A declaration that a module exports. */
type ExportedName = {
  readonly name: string
  readonly line: number
  readonly isType: boolean
  readonly hasDocstring: boolean
}

type Module = {
  readonly declarations: readonly ExportedName[]
  /** Modules from which this module re-exports `names`; all names if undefined. */
  readonly reExports: readonly { readonly from: string; readonly names: readonly string[] | undefined }[]
}

type NamedDeclaration = ts.FunctionDeclaration | ts.ClassDeclaration | ts.TypeAliasDeclaration | ts.InterfaceDeclaration

const isNamed = (node: ts.Node): node is NamedDeclaration =>
  ts.isFunctionDeclaration(node) ||
  ts.isClassDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isInterfaceDeclaration(node)

export function moduleOf(path: string, text: string): Module {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const declarations: ExportedName[] = []
  const reExports: { from: string; names: readonly string[] | undefined }[] = []
  for (const node of source.statements) {
    if (ts.isExportDeclaration(node) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
      const { exportClause } = node
      const names =
        exportClause && ts.isNamedExports(exportClause)
          ? exportClause.elements.map((element) => (element.propertyName ?? element.name).text)
          : undefined
      reExports.push({ from: join(dirname(path), node.moduleSpecifier.text), names })
      continue
    }
    const isExported =
      ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
    if (!isExported) continue
    const hasDocstring = ts.getJSDocCommentsAndTags(node).length > 0
    const add = (name: ts.Node, isType: boolean) => {
      const line = source.getLineAndCharacterOfPosition(name.getStart(source)).line + 1
      declarations.push({ name: name.getText(source), line, isType, hasDocstring })
    }
    if (isNamed(node) && node.name) add(node.name, !ts.isFunctionDeclaration(node))
    if (ts.isVariableStatement(node)) for (const { name } of node.declarationList.declarations) add(name, false)
  }
  return { declarations, reExports }
}

/** @returns names of types that several files of packages export, each with its files */
export function findDuplicateTypes(modules: ReadonlyMap<string, Module>): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, string[]>()
  for (const [path, { declarations }] of modules) {
    for (const { name, isType } of declarations) if (isType) files.set(name, [...(files.get(name) ?? []), path])
  }
  return new Map([...files].filter(([, paths]) => paths.length > 1))
}

/** @returns declarations that a package's entry exports without a docstring, as `path:line: name` */
export function undocumentedExports(entry: string, modules: ReadonlyMap<string, Module>): readonly string[] {
  const faults: string[] = []
  const visitedFiles = new Set<string>()
  const visit = (path: string, names: readonly string[] | undefined): void => {
    const key = `${path} ${names ?? ''}`
    const module = modules.get(path)
    if (!module || visitedFiles.has(key)) return
    visitedFiles.add(key)
    for (const { name, line, hasDocstring } of module.declarations) {
      if (!hasDocstring && (names?.includes(name) ?? true)) faults.push(`${path}:${line}: "${name}": a docstring`)
    }
    for (const { from, names: reExportedNames } of module.reExports) {
      const requestedNames =
        reExportedNames && names ? reExportedNames.filter((name) => names.includes(name)) : (reExportedNames ?? names)
      if (requestedNames?.length !== 0) visit(from, requestedNames)
    }
  }
  visit(entry, undefined)
  return faults
}
