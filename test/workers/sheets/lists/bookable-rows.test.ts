// Tests how lists of desks, rooms and parking spots are read, and converted to lines for COPY.
import { Readable } from 'node:stream'
import { expect } from 'chai'
import exceljs from 'exceljs'
import {
  findBookableColumns,
  parseBookableStatus,
  parseBookableType,
  parseFlag,
} from '../../../../shared/bookables/bookable-columns.ts'
import { writeEnglish } from '../../../../shared/messages/write-message.ts'
import { type ChildMessage, linesOf, refusedMessage } from '../../../../workers/sheets/list-lines.ts'

import { writeRowErrors } from '../support/read.ts'

type ReadRow = Record<string, unknown> & { row: number; name: string | null; errors?: string }

/** Reads a file in the test process. Returns the rows, with null for values that COPY treats as NULL. */
async function read(file: Buffer | string, rowsMax = 1_000): Promise<ReadRow[]> {
  const pieces: Buffer[] = []
  const tell = async (_message: ChildMessage) => undefined
  for await (const piece of linesOf(Readable.from([Buffer.from(file)]), { list: 'bookables', rowsMax }, tell))
    pieces.push(piece)
  const lines = Buffer.concat(pieces).toString().split('\n').slice(0, -1)
  return lines.map((line) => {
    const [row, name = null, given = '', errors = null, ...others] = line
      .split('\t')
      .map((value) => (value === '\\N' ? null : value.replaceAll('\\\\', '\\')))
    expect(others).to.deep.equal([])
    return { row: Number(row), name, ...JSON.parse(given ?? '{}'), ...(errors !== null && { errors }) }
  })
}

describe('an imported list of desks, rooms and parking spots', () => {
  it('may be a csv file of a German LibreOffice, with semicolons and decimal commas', async () => {
    const csv = [
      '\ufeff"Bezeichnung";"Art";"Ausstattung";"Plätze";"Status";"x";"y"',
      '"Tisch 1";"Schreibtisch";"Fenster, ""leise""; höhenverstellbar";;"frei";12,5;"30 %"',
      '"Raum Hafen";"Besprechungsraum";;8;"gesperrt";;',
      ';;;;;;',
      '"P-001";"PARKPLATZ";;;;0;100',
    ].join('\r\n')
    const [desk, room, spot, ...rest] = await read(csv)
    expect(rest).to.deep.equal([])
    expect(desk).to.deep.equal({
      row: 2,
      name: 'Tisch 1',
      type: 'desk',
      tags: ['Fenster', '"leise"', 'höhenverstellbar'],
      status: 'flexible',
      x: 0.125,
      y: 0.3,
    })
    expect(room).to.deep.equal({
      row: 3,
      name: 'Raum Hafen',
      type: 'meetingRoom',
      capacity: 8,
      status: 'blocked',
    })
    expect(spot).to.deep.equal({ row: 5, name: 'P-001', type: 'parkingSpot', x: 0, y: 1 })
  })

  it('may be an xlsx file', async () => {
    const book = new exceljs.Workbook()
    const sheet = book.addWorksheet('Desks')
    sheet.addRows([
      ['Name', 'Type', 'Seats', 'requires_vehicle', 'x', 'y'],
      ['Desk 1', '', null, false, 33.3, 66.6],
      [12, 'Home-Office', 4, true, null, null],
    ])
    const rows = await read(Buffer.from(await book.xlsx.writeBuffer()))
    expect(rows).to.deep.equal([
      { row: 2, name: 'Desk 1', requires_vehicle: 'no', x: 0.333, y: 0.666 },
      { row: 3, name: '12', type: 'homeOffice', capacity: 4, requires_vehicle: 'yes' },
    ])
  })

  const wrong: Record<string, [row: string, column: string, sentence: string]> = {
    'no name': [',desk,,,,,,,', 'name', 'the name is required.'],
    'an invisible name': ['\u200b,desk,,,,,,,', 'name', 'the name is required.'],
    'a long name': [`${'n'.repeat(256)},,,,,,,,`, 'name', 'the name must be at most 255 characters long.'],
    'an unknown type': [
      'a,sofa,,,,,,,',
      'type',
      'the type must be desk, parking spot, meeting room or home office (it is “sofa”).',
    ],
    'the name of an inherited property as a type': [
      'a,constructor,,,,,,,',
      'type',
      'the type must be desk, parking spot, meeting room or home office (it is “constructor”).',
    ],
    'an unknown status': [
      'a,,,,assigned,,,,',
      'status',
      'the status must be free or blocked (it is “assigned”).',
    ],
    'a long tag': [`a,,,${'t'.repeat(256)},,,,,`, 'tags', 'the tag must be at most 255 characters long.'],
    'too many tags': [
      `a,,,${Array.from({ length: 101 }, (_, index) => `t${index}`).join(';')},,,,,`,
      'tags',
      'there must be at most 100 tags.',
    ],
    'a missing number': [
      'a,,,,,4 seats,,,',
      'capacity',
      'the capacity must be a whole number (it is “4 seats”).',
    ],
    'a number that is too large': [
      'a,,,,,2147483648,,,',
      'capacity',
      'the capacity must be a whole number (it is “2147483648”).',
    ],
    'an answer other than yes or no': [
      'a,,,,,,maybe,,',
      'requires_vehicle',
      'whether a vehicle is required must be yes or no (it is “maybe”).',
    ],
    'a position beyond the floor plan': [
      'a,,,,,,,100.1,5',
      'x',
      'x must be a percentage from 0 to 100 (it is “100.1”).',
    ],
    'only one coordinate of a position': ['a,,,,,,,,5', 'x', 'x and y must be given together.'],
  }
  for (const [what, [row, column, sentence]] of Object.entries(wrong)) {
    it(`is refused with an error for a row with ${what}`, async () => {
      const [line] = await read(`name,type,description,tags,status,capacity,requires_vehicle,x,y\n${row}\n`)
      expect(writeRowErrors(2, line?.errors ?? '{}')).to.deep.equal({ [column]: [`Row 2: ${sentence}`] })
    })
  }

  it('is refused if it has no names or is too long', async () => {
    const refusal = async (file: string) =>
      read(file, 2).then(
        () => undefined,
        (error: unknown) => {
          const told = refusedMessage(error)
          return told.kind === 'refused' ? { code: told.code, sentence: writeEnglish(told.problem) } : told
        },
      )
    expect(await refusal('type,tags\ndesk,window\n')).to.include({
      sentence: 'The file has no column “name”. The first row begins with “type”, “tags”.',
    })
    expect(await refusal('name\na\nb\nc\n')).to.include({
      code: 'too_large',
      sentence: 'The file has more than 2 rows, the maximum allowed.',
    })
  })

  it('may have headings and words in English or German, in any letter case', () => {
    expect(
      findBookableColumns(['NAME', 'Art', 'Notizen', 'X (%)', 'What is wrong', 'constructor']),
    ).to.deep.equal(['name', 'type', 'description', 'x', undefined, undefined])
    expect(findBookableColumns(['Desk', 'name']), 'its own name comes first').to.deep.equal([
      undefined,
      'name',
    ])
    expect(
      ['Desk', 'parking_spot', 'Meeting-Room', 'HOMEOFFICE', 'Stellplatz'].map(parseBookableType),
    ).to.deep.equal(['desk', 'parkingSpot', 'meetingRoom', 'homeOffice', 'parkingSpot'])
    expect([
      parseBookableStatus('Free'),
      parseBookableStatus('GESPERRT'),
      parseFlag('Ja'),
      parseFlag('0'),
    ]).to.deep.equal(['flexible', 'blocked', 'yes', 'no'])
  })
})
