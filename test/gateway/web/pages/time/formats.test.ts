// Tests how pages format dates, times and durations.
import { expect } from 'chai'
import { withLanguage } from '../../../../../gateway/web/locales/translate.ts'
import {
  findNextFullHour,
  formatDate,
  formatDuration,
  formatEnd,
  formatInstant,
  formatTimeBeside,
  showRelativeInstant,
} from '../../../../../gateway/web/pages/time/instants.ts'
import { nameMarkedZones, noteZone } from '../../../../../gateway/web/pages/time/zones.ts'
import { addHours } from '../../../../../shared/utilities/date-times.ts'

const NOW = '2026-11-20T09:30:00.123456Z'

describe('times on pages', () => {
  it('are in the requested time zone, which is named only on a page with several time zones', () => {
    const [here, there] = ['UTC', 'America/New_York'].map((zone) => formatInstant(NOW, zone))
    expect(nameMarkedZones(`${here} ${here}`)).to.equal('20 Nov 2026, 09:30 20 Nov 2026, 09:30')
    expect(nameMarkedZones(`${here}, ${there}`)).to.equal(
      '20 Nov 2026, 09:30 (UTC), 20 Nov 2026, 04:30 (America/New York)',
    )
    expect(nameMarkedZones(`${there}${noteZone('UTC')}`)).to.equal('20 Nov 2026, 04:30 (America/New York)')
    expect(nameMarkedZones((here ?? '').slice(0, -2))).to.equal('20 Nov 2026, 09:30')
  })

  it('omit the day if both times are on the same day in the time zone', () => {
    const beside = (instant: string, zone: string) => formatTimeBeside(instant, NOW, zone)
    expect(beside('2026-11-20T20:00:00Z', 'UTC')).to.equal('20:00')
    expect(beside('2026-11-20T20:00:00Z', 'Asia/Tokyo')).to.equal('Sat, 21 Nov 2026, 05:00')
    const end = (to: string) => nameMarkedZones(formatEnd(NOW, to, 'UTC'))
    expect(end('2026-11-20T20:00:00Z')).to.equal('20:00')
    expect(end('2026-11-21T09:30:00Z')).to.equal('21 Nov 2026, 09:30')
  })

  it('name the time zone of a span only once if it ends on the same day', () => {
    const span = (zone: string) =>
      `${formatInstant(NOW, zone)} to ${formatEnd(NOW, '2026-11-20T12:00:00Z', zone)}`
    expect(nameMarkedZones(`${span('UTC')}, ${span('America/New_York')}`)).to.equal(
      '20 Nov 2026, 09:30 (UTC) to 12:00, 20 Nov 2026, 04:30 (America/New York) to 07:00',
    )
  })

  it('say how long ago something was, or how far in the future it is', () => {
    const distance = (instant: string) => showRelativeInstant(instant, NOW).text.replace(/<[^>]*>/g, '')
    expect(distance('2026-11-20T09:29:30Z')).to.equal('just now')
    expect(distance('2026-11-20T07:30:00Z')).to.equal('2 hours ago')
    expect(distance('2026-11-21T10:00:00Z')).to.equal('tomorrow')
    expect(formatDuration(59_999)).to.equal('59 s')
    expect(formatDuration(1_250)).to.equal('1.2 s')
    expect(withLanguage('de', {}, () => formatDuration(1_250))).to.equal('1,2 s')
    expect(formatDuration(3_900_000)).to.equal('1 h 5 min')
  })

  it('show dates in three formats of different length', () => {
    expect(formatDate('2026-11-20', 'long')).to.equal('20 November 2026')
    expect(formatDate('2026-11-20', 'weekday')).to.equal('Fri 20 Nov')
    expect(formatDate('2026-11-20', 'short')).to.equal('20 Nov')
  })

  it('default to the next full hour, or to the current hour if it has just begun', () => {
    expect(findNextFullHour(NOW)).to.equal('2026-11-20T10:00:00.000000Z')
    expect(findNextFullHour('2026-11-20T23:59:59.999999Z')).to.equal('2026-11-21T00:00:00.000000Z')
    expect(findNextFullHour('2026-11-20T09:00:00.000000Z')).to.equal('2026-11-20T09:00:00.000000Z')
    expect(addHours(NOW, 15)).to.equal('2026-11-21T00:30:00.123456Z')
  })
})
