// The time zones that a field offers, and the default one if no place is named.
import { expect } from 'chai'
import { commonZone, formatZone, zoneOptions } from '../../../../../gateway/web/pages/time/zones.ts'

const formatterOf = (timeZone: string) => new Intl.DateTimeFormat('en', { timeZone })

describe('the time zones to choose from', () => {
  it('begin with UTC, are listed once each, and include a current zone with an old name', () => {
    const values = zoneOptions('Europe/Berlin').flatMap(({ value, isAlias }) => (isAlias ? [] : [value]))
    expect(values[0]).to.equal('UTC')
    expect(new Set(values).size).to.equal(values.length)
    expect(zoneOptions('US/Eastern').flatMap(({ value, isAlias }) => (isAlias ? [] : [value]))).to.deep.equal(
      ['US/Eastern', ...values],
    )
    expect(zoneOptions()).to.deep.include({ value: 'America/New_York', label: 'America/New York' })
  })

  it('have their current names, and are found by old ones', () => {
    const options = zoneOptions()
    for (const [old, now] of [
      ['Asia/Calcutta', 'Asia/Kolkata'],
      ['Europe/Kiev', 'Europe/Kyiv'],
      ['America/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ] as const) {
      expect(options).to.deep.include({ value: now, label: formatZone(now) })
      const label = `${old.replace('_', ' ')} (now ${formatZone(now)})`
      expect(options).to.deep.include({ value: now, label, isAlias: true })
      expect(options.map(({ value }) => value)).to.not.include(old)
    }
    expect(formatZone('Europe/Kiev')).to.equal('Europe/Kyiv')
    expect(zoneOptions('Europe/Kiev'), 'what is saved stays').to.deep.include({
      value: 'Europe/Kiev',
      label: 'Europe/Kyiv',
    })
    for (const { value } of options) expect(() => formatterOf(value), value).to.not.throw()
  })
})

describe('the time zone without a place', () => {
  it('is that of most places, in a tie that of the oldest place, and UTC without places', () => {
    const inZones = (...zones: string[]) => zones.map((zone, index) => ({ id: zones.length - index, zone }))
    expect(commonZone(inZones('Asia/Tokyo', 'Europe/Berlin', 'Europe/Berlin'))).to.equal('Europe/Berlin')
    expect(commonZone(inZones('Europe/Berlin', 'Asia/Tokyo'))).to.equal('Asia/Tokyo')
    expect(commonZone([])).to.equal('UTC')
  })
})
