/**
 * Solver for the linear systems of Newton's method (`dual-solver.ts`). Each unknown belongs to a token, and each pool
 * between two tokens gives an entry. The matrices are sparse: most tokens have pools only with a few other tokens.
 */
/** Minimum pivot. Prevents division by zero for tokens without pools. */
const MIN_PIVOT = 1e-300

/**
 * Solves matrix · x = rhs in place by Cholesky factorization, ignoring row and column 0: they belong to the target
 * token, whose price is fixed. The matrix is symmetric and positive definite; only its upper triangle is read, row by
 * row. Zeros are skipped, so unknowns with few neighbors should come first.
 *
 * @param indices - scratch space, one number per unknown
 * @returns approximate number of multiplications
 */
export function solveSymmetric(matrix: Float64Array, rhs: Float64Array, size: number, indices: Int32Array): number {
  let work = size * size
  for (let j = 1; j < size; j++) {
    const rowJ = j * size
    const pivot = matrix[rowJ + j]! > MIN_PIVOT ? Math.sqrt(matrix[rowJ + j]!) : Math.sqrt(MIN_PIVOT)
    matrix[rowJ + j] = pivot
    const forwardValue = rhs[j]! / pivot
    rhs[j] = forwardValue
    let count = 0
    for (let i = j + 1; i < size; i++) {
      if (matrix[rowJ + i] === 0) continue
      const entry = matrix[rowJ + i]! / pivot
      matrix[rowJ + i] = entry
      rhs[i]! -= entry * forwardValue
      indices[count++] = i
    }
    work += (count * count) / 2
    for (let a = 0; a < count; a++) {
      const i = indices[a]!
      const factor = matrix[rowJ + i]!
      const rowI = i * size
      for (let b = a; b < count; b++) matrix[rowI + indices[b]!]! -= factor * matrix[rowJ + indices[b]!]!
    }
  }
  for (let j = size - 1; j >= 1; j--) {
    const rowJ = j * size
    let entry = rhs[j]!
    for (let i = j + 1; i < size; i++) entry -= matrix[rowJ + i]! * rhs[i]!
    rhs[j] = entry / matrix[rowJ + j]!
  }
  return work
}
