// Tests names of time zones: accepted in any letter case, and stored in the spelling of IANA.
import { expect } from 'chai'
import { timezone } from '../../../shared/schemas/times.ts'
import { createZoneFormat, localTimeMs } from '../../../shared/utilities/time-zones.ts'
import { read } from '../../support/fields.ts'

// Outdated names, and names that do not follow the usual spelling rule.
const UNUSUAL_NAMES = `Asia/Kolkata Asia/Calcutta America/Argentina/ComodRivadavia US/East-Indiana US/Pacific GMT UTC UCT GMT+0 GMT0
  Etc/GMT+5 Etc/GMT-14 Etc/UTC Etc/Greenwich Etc/Zulu GB GB-Eire NZ-CHAT W-SU PRC EST5EDT CET Zulu Universal Iran Hongkong
  Antarctica/DumontDUrville Antarctica/McMurdo America/Port-au-Prince Europe/Isle_of_Man Africa/Dar_es_Salaam Mexico/BajaNorte
  Australia/NSW America/Knox_IN Navajo Jamaica Europe/Kiev Pacific/Kanton`

describe('a time zone', () => {
  it('is stored in the IANA spelling, regardless of letter case', () => {
    for (const name of [...Intl.supportedValuesOf('timeZone'), ...UNUSUAL_NAMES.split(/\s+/)]) {
      expect(read(timezone(), name.toLowerCase()), name).to.deep.equal({ value: name })
      expect(read(timezone(), ` ${name.toUpperCase()} `), name).to.deep.equal({ value: name })
    }
  })

  it('is refused if IANA does not list it', () => {
    for (const name of ['Europe/Atlantis', '+01:00', 'Berlin', 'europe', '5'])
      expect(read(timezone(), name), name).to.deep.equal({
        refused: ['field must be an IANA time zone name such as Europe/Berlin.'],
      })
  })
})

describe('the cached formats of time zones', () => {
  it('include one format per time zone, for all spellings of its name', () => {
    const formatOf = createZoneFormat({ hour: '2-digit' })
    expect(formatOf('eUROPE/bERLIN')).to.equal(formatOf('Europe/Berlin'))
    expect(formatOf('Asia/Tokyo')).to.not.equal(formatOf('Europe/Berlin'))
    expect(formatOf('Asia/Tokyo').resolvedOptions().timeZone).to.equal('Asia/Tokyo')
  })
})

describe('conversion to local time', () => {
  const shown = (instant: string, zone: string) =>
    new Date(localTimeMs(Date.parse(instant), zone)).toISOString()

  it('is correct around clock changes, and keeps fractions of a second', () => {
    for (const [instant, zone, expected] of [
      ['2026-03-29T00:59:59.999Z', 'Europe/Berlin', '2026-03-29T01:59:59.999Z'],
      ['2026-03-29T01:00:00.000Z', 'Europe/Berlin', '2026-03-29T03:00:00.000Z'],
      // Newfoundland changed its clocks one minute after midnight.
      ['2008-03-09T03:30:59.000Z', 'America/St_Johns', '2008-03-09T00:00:59.000Z'],
      ['2008-03-09T03:31:00.000Z', 'America/St_Johns', '2008-03-09T01:01:00.000Z'],
      ['1969-12-31T23:59:59.500Z', 'Asia/Kolkata', '1970-01-01T05:29:59.500Z'],
    ] as const)
      for (const time of ['first', 'again'])
        expect(shown(instant, zone), `${instant} ${zone}, ${time}`).to.equal(expected)
  })
})
