// Tests messages, which become sentences in each language; input of users is never translated.
import { expect } from 'chai'
import { html } from '../../../../gateway/html/html.ts'
import { catalogs } from '../../../../gateway/web/locales/catalogs.ts'
import { formatMessage, plural, t, tHtml, withLanguage } from '../../../../gateway/web/locales/translate.ts'
import { findPreferredLanguage } from '../../../../shared/messages/languages.ts'
import {
  countedMessage,
  fieldName,
  listNames,
  literalMessage,
  type Message,
  message,
} from '../../../../shared/messages/message.ts'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
import { writeEnglish } from '../../../../shared/messages/write-message.ts'

const showInGerman = <Result>(show: () => Result) => withLanguage('de', catalogs.de, show)

describe('a translated message', () => {
  const [nine, tomorrow] = ['2026-11-20T09:00:00.000000Z', '2026-11-21T10:00:30.500000Z']
  const [zone, utc] = ['Europe/Berlin', 'UTC']
  const MESSAGES: Array<[told: Message, english: string, german: string]> = [
    [message`${'Today'} is blocked.`, 'Today is blocked.', 'Today ist gesperrt.'],
    [message`${'constructor'} is blocked.`, 'constructor is blocked.', 'constructor ist gesperrt.'],
    [message`${'{1}'} is blocked.`, '{1} is blocked.', '{1} ist gesperrt.'],
    [
      message`${'Desk 7'} is taken ${{ from: nine, to: '2026-11-20T17:00:00.000000Z', zone: utc }}.`,
      'Desk 7 is taken from 09:00 to 17:00 UTC on 2026-11-20.',
      'Desk 7 ist am 20. Nov. 2026 von 09:00 bis 17:00 belegt.',
    ],
    [
      message`${'Desk 7'} is taken ${{ from: nine, to: '2026-11-20T17:00:00.000000Z', zone }}.`,
      'Desk 7 is taken from 10:00 to 18:00 (Europe/Berlin) on 2026-11-20.',
      'Desk 7 ist am 20. Nov. 2026 von 10:00 bis 18:00 belegt.',
    ],
    [
      message`${'Desk 7'} is taken ${{ from: nine, to: tomorrow, zone }}.`,
      'Desk 7 is taken from 10:00 on 2026-11-20 to 11:00:30 (Europe/Berlin) on 2026-11-21.',
      'Desk 7 ist vom 20. Nov. 2026, 10:00, bis zum 21. Nov. 2026, 11:00:30 belegt.',
    ],
    [
      message`${'Desk 7'} is taken ${{ from: nine, to: null, zone: utc }}.`,
      'Desk 7 is taken from 09:00 UTC on 2026-11-20 with no end.',
      'Desk 7 ist ab dem 20. Nov. 2026, 09:00, ohne Ende belegt.',
    ],
    [
      message`Check-in opens at ${{ at: '2026-11-20T23:30:00.000000Z', zone }}.`,
      'Check-in opens at 00:30 (Europe/Berlin) on 2026-11-21.',
      'Einchecken ist möglich ab 00:30 am 21. Nov. 2026.',
    ],
    [
      countedMessage(
        1,
        '{0} still has # floor. Delete or move it first.',
        '{0} still has # floors. Delete or move them first.',
        'HQ',
      ),
      'HQ still has 1 location. Delete or move it first.',
      'HQ hat noch 1 Etage. Löschen oder verschieben Sie diese zuerst.',
    ],
    [
      message`${listNames(['Lab', 'desk', 'Hall'], 2)} would have more than ${100} tags. Nothing was changed.`,
      'Lab, desk and 1 more would have more than 100 tags. Nothing was changed.',
      'Lab, desk und 1 weitere hätte mehr als 100 Tags. Nichts wurde geändert.',
    ],
    [literalMessage('Desk 1 is blocked.'), 'Desk 1 is blocked.', 'Desk 1 is blocked.'],
  ]
  for (const [told, english, german] of MESSAGES) {
    it(`has a text in each language: ${english}`, () => {
      const received: Message = JSON.parse(JSON.stringify(told))
      expect(writeEnglish(received)).to.equal(english)
      expect(showInGerman(() => formatMessage(received))).to.equal(german)
    })
  }

  it('names fields by their labels on the page', () => {
    const told = message`${fieldName('to_time')} must be after ${fieldName('from_time')}.`
    const labels = new Map([
      ['to_time', 'Bis'],
      ['from_time', 'Von'],
    ])
    expect(writeEnglish(told)).to.equal('to_time must be after from_time.')
    expect(showInGerman(() => formatMessage(told, labels))).to.equal('Bis muss nach Von liegen.')
  })

  it('joins the sentences of several fields, or says how many more fields have errors', () => {
    const of = (...paths: string[]) =>
      invalidFields(
        Object.fromEntries(paths.map((path) => [path, [message`${fieldName(path)} is required.`]])),
      ).detail
    expect(writeEnglish(of('from', 'to'))).to.equal('from is required. to is required.')
    expect(showInGerman(() => formatMessage(of('from', 'to')))).to.equal('from fehlt. to fehlt.')
    const many = of('a', 'b', 'c', 'd', 'e')
    expect(writeEnglish(many)).to.match(/c is required\. There are 2 more errors\.$/)
    expect(showInGerman(() => formatMessage(many))).to.match(/c fehlt\. Es gibt 2 weitere Fehler\.$/)
  })
})

describe('a translated sentence', () => {
  it('distinguishes inserted values from its own words', () => {
    const name = '{0} <b>'
    expect(showInGerman(() => t`Page ${name}`)).to.equal('Seite {0} <b>')
    const link = html`<a href="/x">${name}</a>`
    expect(showInGerman(() => tHtml`Page ${link}`).text).to.equal('Seite <a href="/x">{0} &lt;b&gt;</a>')
    expect(showInGerman(() => tHtml`Page ${name}`).text).to.equal('Seite {0} &lt;b&gt;')
  })

  it('uses the plural forms and the number format of the language', () => {
    const more = (count: number) => plural(count, '{0} and # more', '{0} and # more', 'Ada')
    expect([more(1), more(1234)]).to.deep.equal(['Ada and 1 more', 'Ada and 1,234 more'])
    expect(showInGerman(() => [more(1), more(1234)])).to.deep.equal([
      'Ada und 1 weiteres',
      'Ada und 1.234 weitere',
    ])
  })

  it('is shown in the language of each of two simultaneous visitors', async () => {
    const later = async () => {
      await new Promise((resolve) => setImmediate(resolve))
      return t`Page ${1}`
    }
    expect(await Promise.all([showInGerman(later), later()])).to.deep.equal(['Seite 1', 'Page 1'])
  })
})

describe('the language chosen from an Accept-Language header', () => {
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
      expect(findPreferredLanguage(header)).to.equal(language)
    })
  }
})
