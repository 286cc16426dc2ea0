// Tests the time zones that a form offers, and the default time zone if no place is named.
import { expect } from 'chai'
import { chooseCommonZone, formatZone, listZoneOptions } from '../../../../../gateway/web/pages/time/zones.ts'

const createFormatter = (timeZone: string) => new Intl.DateTimeFormat('en', { timeZone })

describe('the list of time zones in forms', () => {
  it('begins with UTC, has no duplicates, and includes a selected zone with an outdated name', () => {
    const values = listZoneOptions('Europe/Berlin').flatMap(({ value, isAlias }) => (isAlias ? [] : [value]))
    expect(values[0]).to.equal('UTC')
    expect(new Set(values).size).to.equal(values.length)
    expect(
      listZoneOptions('US/Eastern').flatMap(({ value, isAlias }) => (isAlias ? [] : [value])),
    ).to.deep.equal(['US/Eastern', ...values])
    expect(listZoneOptions()).to.deep.include({ value: 'America/New_York', label: 'America/New York' })
  })

  it('has current names, and can be searched by outdated names', () => {
    const options = listZoneOptions()
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
    expect(listZoneOptions('Europe/Kiev'), 'what is saved stays').to.deep.include({
      value: 'Europe/Kiev',
      label: 'Europe/Kyiv',
    })
    for (const { value } of options) expect(() => createFormatter(value), value).to.not.throw()
  })
})

describe('the time zone for pages that concern no place', () => {
  it('is the time zone of most places, or of the oldest place in a tie, or UTC without places', () => {
    const inZones = (...zones: string[]) => zones.map((zone, index) => ({ id: zones.length - index, zone }))
    expect(chooseCommonZone(inZones('Asia/Tokyo', 'Europe/Berlin', 'Europe/Berlin'))).to.equal(
      'Europe/Berlin',
    )
    expect(chooseCommonZone(inZones('Europe/Berlin', 'Asia/Tokyo'))).to.equal('Asia/Tokyo')
    expect(chooseCommonZone([])).to.equal('UTC')
  })
})
