// Tests how names of many bookables are parsed: lines and ranges.
import { expect } from 'chai'
import fc from 'fast-check'
import { expandNames, NAMES_MAX } from '../../../shared/bookables/name-ranges.ts'
import { writeEnglish } from '../../../shared/messages/write-message.ts'

describe('the name ranges for creating many bookables', () => {
  const lists: Record<string, string[]> = {
    'Desk 1…3': ['Desk 1', 'Desk 2', 'Desk 3'],
    'Desk 1..3': ['Desk 1', 'Desk 2', 'Desk 3'],
    'Desk 9 ... Desk 11': ['Desk 9', 'Desk 10', 'Desk 11'],
    'P-098…P-101': ['P-098', 'P-099', 'P-100', 'P-101'],
    '08…011': ['008', '009', '010', '011'],
    '7…7': ['7'],
    ' Elbe \r\n\n Weser\tNord \n': ['Elbe', 'Weser\tNord'],
    'Elbe\nDesk 1…2\nAlster': ['Elbe', 'Desk 1', 'Desk 2', 'Alster'],
    'Wait… what': ['Wait… what'],
    'Room 1…Hall 3': ['Room 1…Hall 3'],
    'Desk 1-3': ['Desk 1', 'Desk 2', 'Desk 3'],
    'Desk 9 – 11': ['Desk 9', 'Desk 10', 'Desk 11'],
    '08-10': ['08', '09', '10'],
    'Desk 3.9-3.11': ['Desk 3.9', 'Desk 3.10', 'Desk 3.11'],
    'Desk 3.1…3.2': ['Desk 3.1', 'Desk 3.2'],
    'Desk 3.1-4.2': ['Desk 3.1-4.2'],
    'Desk 7-3': ['Desk 7-3'],
    'Desk 3-3': ['Desk 3-3'],
    'Room 4-012': ['Room 4-012'],
    'HH-3-01': ['HH-3-01'],
    'A1-12': ['A1-12'],
    '3. OG 4-12': ['3. OG 4-12'],
    '2026-11-20': ['2026-11-20'],
    'Floor 2, desk 1…2': ['Floor 2, desk 1', 'Floor 2, desk 2'],
    '': [],
  }
  for (const [text, names] of Object.entries(lists)) {
    it(`expand ${JSON.stringify(text)} to ${names.length} names`, () => {
      expect(expandNames(text)).to.deep.equal({ names, problems: [] })
    })
  }

  it('are expanded in order, with leading zeros if the first number has leading zeros', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('', 'Desk ', 'P-', 'Süd.'),
        fc.integer({ min: 0, max: 99_000 }),
        fc.integer({ min: 0, max: NAMES_MAX - 1 }),
        fc.boolean(),
        (prefix, from, steps, isPadded) => {
          const write = (number: number) => prefix + String(number).padStart(isPadded ? 6 : 0, '0')
          const { names } = expandNames(`${write(from)}…${write(from + steps)}`)
          expect(names).to.deep.equal(Array.from({ length: steps + 1 }, (_, step) => write(from + step)))
        },
      ),
    )
  })

  const bad: Record<string, RegExp> = {
    'Desk 4…1': /“Desk 4…1” ends before it begins\./,
    'Desk 1…999999999': /produces more than 1000 names\./,
    'Desk 1…600\nRoom 1…600': /The list has more than 1000 names\./,
    [`${'x'.repeat(254)}8…10`]: /is longer than 255 characters\./,
  }
  for (const [text, sentence] of Object.entries(bad)) {
    it(`refuse ${text.slice(0, 30)} with a sentence`, () => {
      const { names, problems } = expandNames(`Elbe\n${text}`)
      expect(names).to.deep.equal([])
      expect(problems).to.have.length(1)
      expect(problems.map(writeEnglish).join()).to.match(sentence)
    })
  }

  it('are refused quickly, even if the input is very long', () => {
    const started = process.cpuUsage()
    for (const text of [
      '1'.repeat(100_000),
      '1.'.repeat(50_000),
      `${'1..'.repeat(60_000)}x`,
      `${'…'.repeat(100_000)}1`,
    ])
      expandNames(text)
    expect(process.cpuUsage(started).user / 1_000).to.be.below(1_000)
  })
})
