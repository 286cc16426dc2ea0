// Tests the iCalendar format: any text becomes lines of RFC 5545, which can be read back unchanged.
import { expect } from 'chai'
import fc from 'fast-check'
import {
  beginCalendar,
  END_CALENDAR,
  escapeText,
  formatComponent,
} from '../../../../../shared/tokens/calendar-file.ts'
import { parseCalendar } from './parse-icalendar.ts'
import { hasPython, readWithPython } from './python-icalendar.ts'

const INSTANT = '20261123T090000Z'

const createFile = (name: string, texts: string[]) =>
  beginCalendar(name) +
  texts
    .map((text, index) =>
      formatComponent('VEVENT', [
        ['UID', `event-${index}@test.berth`],
        ['DTSTAMP', INSTANT],
        ['DTSTART', INSTANT],
        ['SUMMARY', escapeText(text)],
      ]),
    )
    .join('') +
  END_CALENDAR

const LINE_BREAKS = /\r\n?/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test is about control characters
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001f\u007f]/g
const normalizeText = (text: string) => text.replace(LINE_BREAKS, '\n').replace(CONTROL_CHARACTERS, '')

const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('\\', ';', ',', '\n', '\r\n', '\t', '\\n', '😀', 'é', ' ', ':', 'END:VEVENT', '漢字'),
    ),
    { maxLength: 60 },
  )
  // Readers replace the remaining half of a character with U+FFFD.
  .map((parts) => parts.join('').replaceAll('\ufffd', '?'))

describe('iCalendar files', () => {
  it('contain the given texts, in lines of at most 75 bytes', () => {
    fc.assert(
      fc.property(anyText, fc.array(anyText, { maxLength: 4 }), (name, texts) => {
        const read = parseCalendar(createFile(name, texts))
        expect(read.properties.get('X-WR-CALNAME')).to.equal(normalizeText(name))
        expect(read.components.map(({ properties }) => properties.get('SUMMARY'))).to.deep.equal(
          texts.map(normalizeText),
        )
      }),
    )
  })

  it('fold lines at the 75th byte, but never within a character', () => {
    for (let length = 60; length < 80; length++) {
      for (const text of ['x'.repeat(length), `${'x'.repeat(length)}漢字`, `${'x'.repeat(length)}😀`]) {
        const file = createFile('Folded', [text])
        expect(parseCalendar(file).components[0]?.properties.get('SUMMARY')).to.equal(text)
      }
    }
    const [first] = createFile('Folded', ['x'.repeat(100)]).match(/SUMMARY.*/) ?? []
    expect(first).to.have.length(75)
  })

  it('have the same meaning for python3-icalendar as for Berth', function python() {
    if (!hasPython()) this.skip()
    const texts = ['a;b,c\\d\ne', `${'漢字'.repeat(40)}`, '😀'.repeat(30), 'BEGIN:VEVENT', 'tab\there']
    const read = readWithPython(createFile('Anna’s calendar', texts))
    expect(read.name).to.equal('Anna’s calendar')
    expect(read.events.map(({ summary }) => summary)).to.deep.equal(texts)
  })
})
