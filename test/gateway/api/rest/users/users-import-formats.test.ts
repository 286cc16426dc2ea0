// Tests imports of the same list in every format and encoding, written by different programs: the result is always the
// same.
import { type BookType, utils, type WorkBook, write } from '@e965/xlsx'
import { expect } from 'chai'
import ExcelJS from 'exceljs'
import { createGroup, createUser, createVehicle } from '../../../../support/factories.ts'
import { readPeople, removeUsers } from '../../../../support/user-lists.ts'
import { useClient, useWorld } from '../../../../support/world.ts'
import { readSample } from '../../../../workers/sheets/support/read.ts'

// Sets every option of an import.
const IMPORT_OPTIONS = { update: 'true', restore: 'true', deactivate: 'true' }

const HEADER = ['Email', 'unknown', ' NAME ', 'id', 'Groups', 'license_plates', 'ExtensionAttribute2']
// Row 2 contains a new user, row 5 is invalid, and the last three rows contain existing users, with empty rows in
// between.
const IMPORTED_TABLE = [
  HEADER,
  ['new@example.com', 'x', "Zoë, “née” O'Hara; Ltd.", '', 'Sales; Café', 'B-XY 1;HH 2', 'line\nbreak'],
  [],
  [],
  ['joe@', '', 'Joe "the" Bad', '', '', '', ''],
  ['ADA@example.com', '', 'Ada Änders', '', 'Sales', '', '0042'],
  [],
  ['bob@example.com', '', 'Bob', '', '', 'B-OB 1', ''],
  ['eve@example.com', '', '', '', '', '', '1'],
]

const EXPECTED_RESULT = {
  dryRun: false,
  created: [2],
  updated: [6, 9],
  deleted: 1,
  skipped: [8],
  errors: [5],
  errorMessages: { 5: { email: ['Row 5: the email must be a valid e-mail address (it is “joe@”).'] } },
  rows: 5,
}

const createExpectedPerson = (email: string, name: string, rest: object = {}) => {
  return { email, name, upn: null, attributes: {}, active: true, groups: [], plates: [], ...rest }
}
const EXPECTED_PEOPLE = [
  createExpectedPerson('ADA@example.com', 'Ada Änders', {
    attributes: { extensionAttribute1: 'kept', extensionAttribute2: '0042' },
    groups: ['Sales'],
  }),
  createExpectedPerson('bob@example.com', 'Bob', { plates: ['B-OB 1'] }),
  createExpectedPerson('eve@example.com', 'Eve', { attributes: { extensionAttribute2: '1' } }),
  createExpectedPerson('gone@example.com', 'Gone', { active: false }),
  createExpectedPerson('new@example.com', "Zoë, “née” O'Hara; Ltd.", {
    attributes: { extensionAttribute2: 'line\nbreak' },
    groups: ['Café', 'Sales'],
    plates: ['B-XY 1', 'HH 2'],
  }),
]

describe('POST users/import with files from various programs', () => {
  const world = useWorld({ workers: ['imports'] })
  const client = useClient(world, 'user-write')

  for (const [title, list, rows] of [
    ['with Excel’s sep= line', 'sep=;\r\nemail;name\r\nann@x.example;"A, B"\r\n', [2]],
    ['with a sep= line in capitals', 'SEP=|\nemail|a,b,name,id\nann@x.example|', [2]],
    ['with empty rows above the header', '\n;;\n ; ;\nEmail;Name\nann@x.example;Ann\n', [5]],
    ['with headings of other programs', 'Full Name,E-Mail-Adresse\nAnn,ann@x.example\n', [2]],
    ['with an alias beside the column', 'Mail,email,Name\nnobody,ann@x.example,Ann\n', [2]],
  ] as Array<[string, string, number[]]>) {
    it(`reads a file ${title}`, async () => {
      const { status, json } = await client.import(list, { dry_run: 'true', update: 'true' })
      expect(status, json.detail).to.equal(200)
      const { created, errors } = json
      expect([...created, ...errors], JSON.stringify(json)).to.deep.equal(rows)
      expect(Object.keys(json.errorMessages[rows[0] ?? 0] ?? {})).to.not.include('email')
    })
  }

  for (const [title, list, sentence] of [
    [
      'no column for e-mail',
      'Name;Telefon\nAnn;1\n',
      'The file has no column “email”. The first row begins with “Name”, “Telefon”.',
    ],
    [
      'two columns for e-mail',
      'Mail,E-Mail\na@x.example,b@x.example\n',
      'The file has the column “email” twice.',
    ],
    [
      'only unknown columns',
      `${Array.from({ length: 12 }, (_, n) => `C${n}`).join()}\n`,
      'The first row of the file must contain the column names, including “email”. The first row begins with “C0”, “C1”, “C2”, “C3”, “C4”, “C5”, “C6”, “C7”, “C8”, “C9” and 2 more.',
    ],
  ] as const) {
    it(`refuses a file with ${title}, and names its columns`, async () => {
      const { status, json } = await client.import(list)
      expect([status, json.errors]).to.deep.equal([422, { file: [sentence] }])
    })
  }
})

describe('POST users/import with files of any format', () => {
  const world = useWorld({ workers: ['imports'] })
  const client = useClient(world, 'user-write')
  beforeEach(() => removeUsers(world.database))

  async function createPeople() {
    const { database } = world
    const attributes = { extensionAttribute1: 'kept', extensionAttribute2: 'old' }
    const ada = await createUser(database, {
      email: 'ada@example.com',
      name: 'Ada',
      extension_attributes: attributes,
    })
    const group_id = await createGroup(database, { name: 'Old' })
    await database('group_members').insert({ group_id, user_id: ada })
    await createVehicle(database, { user_id: ada })
    const bob = await createUser(database, { email: 'bob@example.com', name: 'Bob' })
    await createVehicle(database, { user_id: bob, license_plate: 'B-OB 1' })
    await createUser(database, { email: 'eve@example.com', name: 'Eve', deactivated_at: new Date() })
    await createUser(database, { email: 'gone@example.com', name: 'Gone' })
  }

  for (const [title, file] of Object.entries(createFiles(IMPORTED_TABLE))) {
    it(`accepts the same list as ${title}`, async () => {
      await createPeople()
      const { status, json } = await client.import(await file(), {
        ...IMPORT_OPTIONS,
        filename: 'people.dat',
      })
      expect(status, JSON.stringify(json)).to.equal(200)
      expect(json).to.deep.equal({ ...EXPECTED_RESULT, filename: 'people.dat' })
      expect(await readPeople(world.database)).to.deep.equal({
        people: EXPECTED_PEOPLE,
        groups: ['Café', 'Old', 'Sales'],
      })
    })
  }

  // Files of LibreOffice with dates, numbers and formulas, a hidden first sheet and empty rows.
  for (const format of ['ods', 'xls', 'xlsx']) {
    it(`imports the ${format} of LibreOffice with the values that LibreOffice displays`, async () => {
      const { status, json } = await client.import(readSample(`people.${format}`))
      expect([status, json.created, json.errors, json.rows]).to.deep.equal([200, [2], [5], 2])
      const { people, groups } = await readPeople(world.database)
      const attributes = {
        extensionAttribute1: '2026-11-20',
        extensionAttribute2: '2026-11-20T09:30:00',
        extensionAttribute3: '09:30:15',
        extensionAttribute4: 'TRUE',
        extensionAttribute5: '00042',
        extensionAttribute6: '12.50',
        extensionAttribute7: '50%',
        extensionAttribute8: '3',
        extensionAttribute9: 'ab',
        extensionAttribute10: '123456789012345000000',
        extensionAttribute11: 'one\ntwo',
      }
      const jane = { attributes, groups: ['Sales', 'Team  & Co'], plates: ['B-XY 1'] }
      expect(people).to.deep.equal([createExpectedPerson('Jane@Example.com', 'Jane Müller 😀', jane)])
      expect(groups).to.deep.equal(['Sales', 'Team  & Co'])
    })
  }

  it('refuses the flat XML of LibreOffice, because it is not one of the five formats', async () => {
    const { status, json } = await client.import(readSample('people.fods'), { filename: 'people.ods' })
    expect([status, json.errors.file.join()]).to.deep.equal([
      422,
      'The file is an XML document. Send csv, txt, ods, xls or xlsx.',
    ])
    expect(await world.database('users')).to.have.length(0)
  })

  it('recognizes the format by the content of the file, not by its name', async () => {
    for (const filename of ['people.xlsx', 'people.pdf', 'people']) {
      const { json } = await client.import('email,name\nann@example.com,Ann\n', { filename })
      expect([json.rows, json.filename]).to.deep.equal([1, filename])
    }
  })
})

type MakeFile = () => Uint8Array | Promise<Uint8Array>

function createFiles(table: string[][]): Record<string, MakeFile> {
  return {
    'a csv': () => Buffer.from(csv(table, ',')),
    'a csv with semicolons and a byte order mark': () => Buffer.from(`\ufeff${csv(table, ';')}`),
    'a csv with the line ends of old Macintosh systems': () => Buffer.from(csv(table, ',', '\r')),
    'a txt with tabs': () => Buffer.from(csv(table, '\t', '\r\n')),
    'a txt with bars': () => Buffer.from(csv(table, '|')),
    'a txt in UTF-16, as Excel’s “Unicode text”': () => Buffer.from(`\ufeff${csv(table, '\t')}`, 'utf16le'),
    'a txt in big-endian UTF-16': () => Buffer.from(`\ufeff${csv(table, '\t')}`, 'utf16le').swap16(),
    'a csv in Windows-1252, as Excel’s “CSV”': () => encodeWindows1252(csv(table, ';', '\r\n')),
    'SheetJS’s xlsx': () => writeWithSheetJs(table, 'xlsx'),
    'SheetJS’s xls': () => writeWithSheetJs(table, 'biff8'),
    'SheetJS’s ods': () => writeWithSheetJs(table, 'ods'),
    'exceljs’s xlsx': () => writeWithExcelJs(table),
  }
}

function csv(table: string[][], delimiter: string, lineEnd = '\n'): string {
  const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`
  const lines = table.map((row) => row.map(quote).join(delimiter))
  return lines.map((line) => line + lineEnd).join('')
}

function encodeWindows1252(text: string): Buffer {
  const QUOTES: Record<string, number> = { '“': 0x93, '”': 0x94 }
  return Buffer.from([...text].map((sign) => QUOTES[sign] ?? sign.charCodeAt(0)))
}

/**
 * Writes the list into the second sheet, after a hidden sheet with other people. SheetJS cannot hide sheets in ods
 * files.
 */
function writeWithSheetJs(table: string[][], bookType: BookType): Buffer {
  const book: WorkBook = utils.book_new()
  const isHiding = bookType !== 'ods'
  if (isHiding)
    utils.book_append_sheet(book, utils.aoa_to_sheet([['email'], ['secret@example.com']]), 'Hidden')
  utils.book_append_sheet(book, utils.aoa_to_sheet(table), 'List')
  utils.book_append_sheet(book, utils.aoa_to_sheet([['email'], ['third@example.com']]), 'Third')
  if (isHiding) book.Workbook = { Sheets: [{ Hidden: 1 }, { Hidden: 0 }, { Hidden: 0 }] }
  return write(book, { type: 'buffer', bookType }) as Buffer
}

/** Writes an xlsx file with shared texts, a formula with its result, and a number whose format adds leading zeros. */
async function writeWithExcelJs(table: string[][]): Promise<Uint8Array> {
  const book = new ExcelJS.Workbook()
  book.addWorksheet('Hidden', { state: 'veryHidden' }).addRow(['email'])
  const sheet = book.addWorksheet('List')
  sheet.addRows(table)
  sheet.getCell('C6').value = { formula: 'CONCATENATE("Ada ", B1)', result: 'Ada Änders' }
  sheet.getCell('G6').value = 42
  sheet.getCell('G6').numFmt = '0000'
  sheet.getCell('G9').value = 1
  return Buffer.from(await book.xlsx.writeBuffer())
}
