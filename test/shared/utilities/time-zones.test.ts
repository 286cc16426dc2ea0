// Names of time zones: accepted in any letter case, and stored in IANA’s spelling.
import { expect } from 'chai'
import { timezone } from '../../../shared/schemas/times.ts'
import { createZoneFormat } from '../../../shared/utilities/time-zones.ts'
import { read } from '../../support/fields.ts'

// Older names, and those that break the rule by which the others are spelled.
const OLDER = `Asia/Kolkata Asia/Calcutta America/Argentina/ComodRivadavia US/East-Indiana US/Pacific GMT UTC UCT GMT+0 GMT0
  Etc/GMT+5 Etc/GMT-14 Etc/UTC Etc/Greenwich Etc/Zulu GB GB-Eire NZ-CHAT W-SU PRC EST5EDT CET Zulu Universal Iran Hongkong
  Antarctica/DumontDUrville Antarctica/McMurdo America/Port-au-Prince Europe/Isle_of_Man Africa/Dar_es_Salaam Mexico/BajaNorte
  Australia/NSW America/Knox_IN Navajo Jamaica Europe/Kiev Pacific/Kanton`

describe('a time zone', () => {
  it('is stored in IANA’s spelling, in any letter case', () => {
    for (const name of [...Intl.supportedValuesOf('timeZone'), ...OLDER.split(/\s+/)]) {
      expect(read(timezone(), name.toLowerCase()), name).to.deep.equal({ value: name })
      expect(read(timezone(), ` ${name.toUpperCase()} `), name).to.deep.equal({ value: name })
    }
  })

  it('must be one that IANA knows', () => {
    for (const name of ['Europe/Atlantis', '+01:00', 'Berlin', 'europe', '5'])
      expect(read(timezone(), name), name).to.deep.equal({
        refused: ['field must be an IANA time zone name such as Europe/Berlin.'],
      })
  })
})

describe('the formats of time zones', () => {
  it('exist once for each zone, however its name is written', () => {
    const formatOf = createZoneFormat({ hour: '2-digit' })
    expect(formatOf('eUROPE/bERLIN')).to.equal(formatOf('Europe/Berlin'))
    expect(formatOf('Asia/Tokyo')).to.not.equal(formatOf('Europe/Berlin'))
    expect(formatOf('Asia/Tokyo').resolvedOptions().timeZone).to.equal('Asia/Tokyo')
  })
})
