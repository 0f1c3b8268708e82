/**
 * Solver for the linear systems of Newton's method (`dual-solver.ts`). Their matrices are sparse: most tokens have
 * edges only to a few hubs.
 */
import { MIN_PIVOT, SQRT_MIN_PIVOT } from '../tolerances.ts'

/**
 * Solves matrix · x = rhs in place by Cholesky factorization, ignoring row and column 0. The matrix is symmetric and
 * positive definite; only its upper triangle is read, row by row. Zeros are skipped, so unknowns with few neighbors
 * should come first.
 *
 * @param indices - scratch space, one number per unknown
 * @returns number of multiplications
 */
export function solveSymmetric(matrix: Float64Array, rhs: Float64Array, size: number, indices: Int32Array): number {
  let work = size * size
  for (let j = 1; j < size; j++) {
    const row = j * size
    const pivot = matrix[row + j]! > MIN_PIVOT ? Math.sqrt(matrix[row + j]!) : SQRT_MIN_PIVOT
    matrix[row + j] = pivot
    const solution = rhs[j]! / pivot
    rhs[j] = solution
    let count = 0
    for (let i = j + 1; i < size; i++) {
      if (matrix[row + i] === 0) continue
      const entry = matrix[row + i]! / pivot
      matrix[row + i] = entry
      rhs[i]! -= entry * solution
      indices[count++] = i
    }
    work += (count * count) / 2
    for (let a = 0; a < count; a++) {
      const i = indices[a]!
      const factor = matrix[row + i]!
      const below = i * size
      for (let b = a; b < count; b++) matrix[below + indices[b]!]! -= factor * matrix[row + indices[b]!]!
    }
  }
  for (let j = size - 1; j >= 1; j--) {
    const row = j * size
    let entry = rhs[j]!
    for (let i = j + 1; i < size; i++) entry -= matrix[row + i]! * rhs[i]!
    rhs[j] = entry / matrix[row + j]!
  }
  return work
}
