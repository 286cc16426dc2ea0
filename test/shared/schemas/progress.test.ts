// The progress of long work, by its phase.
import { expect } from 'chai'
import { isChecked, type Progress, percentOf } from '../../../shared/schemas/progress.ts'

describe('the progress of long work', () => {
  const anImport: Progress[] = [
    { phase: 'reading' },
    { phase: 'reading', share: 0.5, rows: 100_000 },
    { phase: 'reading', share: 1, rows: 200_000 },
    { phase: 'read', rows: 200_000 },
    { phase: 'checked' },
    { phase: 'applying' },
  ]

  it('only grows, and never reaches 100 %', () => {
    const percents = anImport.map(percentOf)
    expect(percents).to.deep.equal([...percents].sort((a, b) => a - b))
    expect(percents).to.deep.equal([1, 25, 49, 50, 60, 80])
    expect(percentOf({ phase: 'writing', file: 'x' })).to.be.within(1, 99)
  })

  it('lets an answer begin only when the request can no longer be refused', () => {
    expect(anImport.filter(isChecked).map(({ phase }) => phase)).to.deep.equal(['checked', 'applying'])
    expect(isChecked({ phase: 'writing', file: 'x' })).to.equal(true)
  })
})
