// Formats of time zones: kept, but no more of them than there are zones.
import { expect } from 'chai'
import { createZoneFormat } from '../../../../gateway/dashboard/time/zones.ts'

describe('formats of time zones', () => {
  it('are one for each zone, however its name is written', () => {
    const formatOf = createZoneFormat({ hour: '2-digit' })
    expect(formatOf('eUROPE/bERLIN')).to.equal(formatOf('Europe/Berlin'))
    expect(formatOf('Asia/Tokyo')).to.not.equal(formatOf('Europe/Berlin'))
    expect(formatOf('Asia/Tokyo').resolvedOptions().timeZone).to.equal('Asia/Tokyo')
  })
})
