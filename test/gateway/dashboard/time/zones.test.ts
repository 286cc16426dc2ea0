// Formats of time zones: kept, but no more of them than there are zones.
import { expect } from 'chai'
import { createZoneFormat, zoneOptions } from '../../../../gateway/dashboard/time/zones.ts'

describe('formats of time zones', () => {
  it('are one for each zone, however its name is written', () => {
    const formatOf = createZoneFormat({ hour: '2-digit' })
    expect(formatOf('eUROPE/bERLIN')).to.equal(formatOf('Europe/Berlin'))
    expect(formatOf('Asia/Tokyo')).to.not.equal(formatOf('Europe/Berlin'))
    expect(formatOf('Asia/Tokyo').resolvedOptions().timeZone).to.equal('Asia/Tokyo')
  })
})

describe('the time zones to choose from', () => {
  it('begin with UTC, each once, and with the present one where its name is an older one', () => {
    const values = zoneOptions('Europe/Berlin').map(({ value }) => value)
    expect(values[0]).to.equal('UTC')
    expect(new Set(values).size).to.equal(values.length)
    expect(zoneOptions('US/Eastern').map(({ value }) => value)).to.deep.equal(['US/Eastern', ...values])
    expect(zoneOptions()).to.deep.include({ value: 'America/New_York', label: 'America/New York' })
  })
})
