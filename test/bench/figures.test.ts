// The end of a run: which goals are met, and what failed.
import { expect } from 'chai'
import { isMet, noFindings, noteFailures, noteFigure } from '../../bench/figures.ts'

describe('the findings of a bench', () => {
  it('say whether each figure meets its goal, without rounding', () => {
    const findings = noFindings()
    noteFigure(findings, 'rate', 0.7999, { least: 0.8 })
    noteFigure(findings, 'rate', 0.8, { least: 0.8 })
    noteFigure(findings, 'time', 1.5, { most: 1.5 })
    noteFigure(findings, 'time', 1.5001, { most: 1.5 })
    noteFigure(findings, 'not measured', Number.NaN, { most: 1 })
    expect(findings.figures.map(isMet)).to.deep.equal([false, true, true, false, false])
  })

  it('add up failures of several loads', () => {
    const findings = noFindings()
    noteFailures(findings, 'Berth, reads', { 404: 2 })
    noteFailures(findings, 'Berth, reads', { 404: 1, 503: 1 })
    expect(Object.fromEntries(findings.failures)).to.deep.equal({
      'Berth, reads: 404': 3,
      'Berth, reads: 503': 1,
    })
  })
})
