// Tests the progress of long work across its phases.
import { expect } from 'chai'
import { computePercent, isFullyChecked, type Progress } from '../../../shared/schemas/progress.ts'

describe('the progress of long work', () => {
  const anImport: Progress[] = [
    { phase: 'reading' },
    { phase: 'reading', share: 0.5, rows: 100_000 },
    { phase: 'reading', share: 1, rows: 200_000 },
    { phase: 'read', rows: 200_000 },
    { phase: 'checked' },
    { phase: 'applying' },
  ]

  it('only ever increases, and never reaches 100 %', () => {
    const percents = anImport.map(computePercent)
    expect(percents).to.deep.equal([...percents].sort((a, b) => a - b))
    expect(percents).to.deep.equal([1, 25, 49, 50, 60, 80])
    expect(computePercent({ phase: 'writing', file: 'x' })).to.be.within(1, 99)
  })

  it('starts a response only when the request can no longer be refused', () => {
    expect(anImport.filter(isFullyChecked).map(({ phase }) => phase)).to.deep.equal(['checked', 'applying'])
    expect(isFullyChecked({ phase: 'writing', file: 'x' })).to.equal(true)
  })
})
