// Tests the summary of a benchmark run: which goals it meets and which requests failed.
import { expect } from 'chai'
import { createFindings, isGoalMet, recordFailures, recordFigure } from '../../bench/figures.ts'

describe('the summary of a benchmark', () => {
  it('compares unrounded figures with their goals', () => {
    const findings = createFindings()
    recordFigure(findings, 'rate', 0.7999, { least: 0.8 })
    recordFigure(findings, 'rate', 0.8, { least: 0.8 })
    recordFigure(findings, 'time', 1.5, { most: 1.5 })
    recordFigure(findings, 'time', 1.5001, { most: 1.5 })
    recordFigure(findings, 'not measured', Number.NaN, { most: 1 })
    expect(findings.figures.map(isGoalMet)).to.deep.equal([false, true, true, false, false])
  })

  it('adds up the failures of all loads', () => {
    const findings = createFindings()
    recordFailures(findings, 'Berth, reads', { 404: 2 })
    recordFailures(findings, 'Berth, reads', { 404: 1, 503: 1 })
    expect(Object.fromEntries(findings.failures)).to.deep.equal({
      'Berth, reads: 404': 3,
      'Berth, reads: 503': 1,
    })
  })
})
