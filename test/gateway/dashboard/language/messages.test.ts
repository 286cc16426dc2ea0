// What is refused in English is told in German: known by its shape, with its values in it.
import { expect } from 'chai'
import { catalogs } from '../../../../gateway/dashboard/catalogs.ts'
import { preferredLanguage } from '../../../../gateway/dashboard/language/languages.ts'
import { translateMessage } from '../../../../gateway/dashboard/language/messages.ts'
import { plural, speakLanguage, t, tHtml } from '../../../../gateway/dashboard/language/translate.ts'
import { html } from '../../../../gateway/http/html.ts'
import { invalid } from '../../../../shared/refusal.ts'

const inGerman = <Result>(show: () => Result) => speakLanguage('de', catalogs.de, show)

describe('a message of the API', () => {
  const MESSAGES: Array<[english: string, german: string]> = [
    ['Until is required.', 'Bis fehlt.'],
    [
      'Desk 7 is taken from 09:00 to 10:30 UTC on 2026-11-20.',
      'Desk 7 ist am 2026-11-20 von 09:00 bis 10:30 UTC belegt.',
    ],
    [
      'Desk 7 is taken from 09:00 UTC on 2026-11-20 to 10:00 UTC on 2026-11-21.',
      'Desk 7 ist vom 2026-11-20, 09:00 UTC, bis zum 2026-11-21, 10:00 UTC belegt.',
    ],
    [
      'Floor 1 still has 3 bookables. Delete or move them first.',
      'Floor 1 hat noch 3 Tische und Räume. Löschen oder verschieben Sie diese zuerst.',
    ],
    [
      'Lab is open from 08:00 to 18:00 on Mondays (Europe/Berlin).',
      'Lab ist montags geöffnet: 08:00 bis 18:00 (Europe/Berlin).',
    ],
    [
      'A user can have at most 2 current and upcoming desk bookings in Floor 1.',
      'In Floor 1 sind höchstens 2 aktuelle und kommende Buchungen je Person möglich (Tisch).',
    ],
    [
      'A rule forbids moving 1 booking of Desk 1: Lab is open from 08:00 to 18:00 on Mondays (Europe/Berlin). Nothing was changed.',
      'Eine Regel verbietet es, 1 Buchung umzubuchen (Desk 1): Lab ist montags geöffnet: 08:00 bis 18:00 (Europe/Berlin). Nichts wurde geändert.',
    ],
    ['Nobody has ever said this.', 'Nobody has ever said this.'],
  ]
  for (const [english, german] of MESSAGES) {
    it(`is told in German: ${english}`, () => {
      expect(inGerman(() => translateMessage(english))).to.equal(german)
      expect(translateMessage(english)).to.equal(english)
    })
  }

  it('has no words for what every object has', () => {
    expect(translateMessage('constructor')).to.equal('constructor')
    expect(inGerman(() => translateMessage('constructor is blocked.'))).to.equal('constructor ist gesperrt.')
  })

  it('says how many more there are', () => {
    const { message } = invalid({ a: ['Until is required.'], b: ['b'], c: ['c'] })
    expect(inGerman(() => translateMessage(message))).to.equal('Bis fehlt. (und 2 weitere)')
  })
})

describe('a sentence', () => {
  it('keeps what is put into it apart from its own words', () => {
    const name = '{0} <b>'
    expect(inGerman(() => t`Page ${name}`)).to.equal('Seite {0} <b>')
    const link = html`<a href="/x">${name}</a>`
    expect(inGerman(() => tHtml`Page ${link}`).text).to.equal('Seite <a href="/x">{0} &lt;b&gt;</a>')
    expect(inGerman(() => tHtml`Page ${name}`).text).to.equal('Seite {0} &lt;b&gt;')
  })

  it('counts as the language does, and writes numbers as it does', () => {
    const more = (count: number) => plural(count, '{0} and # more', '{0} and # more', 'Ada')
    expect([more(1), more(1234)]).to.deep.equal(['Ada and 1 more', 'Ada and 1,234 more'])
    expect(inGerman(() => [more(1), more(1234)])).to.deep.equal([
      'Ada und 1 weiteres',
      'Ada und 1.234 weitere',
    ])
  })

  it('of two visitors at once is in the language of each', async () => {
    const later = async () => {
      await new Promise((resolve) => setImmediate(resolve))
      return t`Page ${1}`
    }
    expect(await Promise.all([inGerman(later), later()])).to.deep.equal(['Seite 1', 'Page 1'])
  })
})

describe('the language that a browser asks for', () => {
  const HEADERS: Array<[header: string, language: string]> = [
    ['', 'en'],
    ['de', 'de'],
    ['de-CH,de;q=0.9,en;q=0.8', 'de'],
    ['fr, en;q=0.5, de;q=0.4', 'en'],
    ['fr, de;q=0.5, en;q=0.4', 'de'],
    ['en;q=0, DE-at;q=0.1', 'de'],
    ['fr', 'en'],
    ['*;q=x, ;;, constructor', 'en'],
  ]
  for (const [header, language] of HEADERS) {
    it(`is ${language} for “${header}”`, () => {
      expect(preferredLanguage(header)).to.equal(language)
    })
  }
})
