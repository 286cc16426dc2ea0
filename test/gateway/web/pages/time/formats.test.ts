// Dates, instants and durations as pages write them.
import { expect } from 'chai'
import { withLanguage } from '../../../../../gateway/web/locales/translate.ts'
import {
  formatDate,
  formatDuration,
  formatEnd,
  formatInstant,
  formatTimeBeside,
  nextFullHour,
  showRelativeInstant,
} from '../../../../../gateway/web/pages/time/instants.ts'
import { addHours } from '../../../../../shared/utilities/date-times.ts'

const NOW = '2026-11-20T09:30:00.123456Z'

describe('times on pages', () => {
  it('are in the requested time zone, and name it', () => {
    expect(formatInstant(NOW, 'UTC')).to.equal('20 Nov 2026, 09:30 UTC')
    expect(formatInstant(NOW, 'Europe/Berlin')).to.equal('20 Nov 2026, 10:30 CET')
  })

  it('omit the day if it is the same as that of the other time, in the time zone', () => {
    const beside = (instant: string, zone: string) => formatTimeBeside(instant, NOW, zone)
    expect(beside('2026-11-20T20:00:00Z', 'UTC')).to.equal('20:00')
    expect(beside('2026-11-20T20:00:00Z', 'Asia/Tokyo')).to.equal('Sat, 21 Nov 2026, 05:00')
    const end = (to: string) => formatEnd(NOW, to, 'UTC')
    expect(end('2026-11-20T20:00:00Z')).to.equal('20:00 UTC')
    expect(end('2026-11-21T09:30:00Z')).to.equal('21 Nov 2026, 09:30 UTC')
  })

  it('say how long ago something was, or how far ahead', () => {
    const distance = (instant: string) => showRelativeInstant(instant, NOW).text.replace(/<[^>]*>/g, '')
    expect(distance('2026-11-20T09:29:30Z')).to.equal('just now')
    expect(distance('2026-11-20T07:30:00Z')).to.equal('2 hours ago')
    expect(distance('2026-11-21T10:00:00Z')).to.equal('tomorrow')
    expect(formatDuration(59_999)).to.equal('59 s')
    expect(formatDuration(1_250)).to.equal('1.2 s')
    expect(withLanguage('de', {}, () => formatDuration(1_250))).to.equal('1,2 s')
    expect(formatDuration(3_900_000)).to.equal('1 h 5 min')
  })

  it('write days in three lengths', () => {
    expect(formatDate('2026-11-20', 'long')).to.equal('20 November 2026')
    expect(formatDate('2026-11-20', 'weekday')).to.equal('Fri 20 Nov')
    expect(formatDate('2026-11-20', 'short')).to.equal('20 Nov')
  })

  it('propose the next full hour, or the current one if it has just begun', () => {
    expect(nextFullHour(NOW)).to.equal('2026-11-20T10:00:00.000000Z')
    expect(nextFullHour('2026-11-20T23:59:59.999999Z')).to.equal('2026-11-21T00:00:00.000000Z')
    expect(nextFullHour('2026-11-20T09:00:00.000000Z')).to.equal('2026-11-20T09:00:00.000000Z')
    expect(addHours(NOW, 15)).to.equal('2026-11-21T00:30:00.123456Z')
  })
})
