import { describe, expect, test } from 'vitest'
import { WorkBudget } from './budget.ts'

describe('a budget', () => {
  test('falls back only if its units run out, and keeps other errors', () => {
    const budget = new WorkBudget(100)
    expect(
      budget.attempt(
        0.5,
        () => budget.spend(51),
        () => 'fallback',
      ),
    ).toBe('fallback')
    expect(budget.hasRunOut).toBe(true)
    const fails = () => {
      throw new RangeError('a defect')
    }
    expect(() => budget.attempt(0.5, fails, () => 'fallback')).toThrow(RangeError)
  })

  test('gets the unused units of a part back, but not those that it overspent', () => {
    const budget = new WorkBudget(100)
    budget.within(0.5, () => budget.spend(10))
    expect(budget.remaining).toBe(90)
    budget.attempt(
      0.5,
      () => budget.spend(1_000),
      () => undefined,
    )
    expect(budget.remaining).toBe(45)
  })
})
