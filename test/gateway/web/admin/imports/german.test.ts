// The import of people in German: its sentences, and the workers' English errors of a file and its rows.
import { expect } from 'chai'
import exceljs from 'exceljs'
import papaparse from 'papaparse'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { download, reviewImport } from '../../../../support/dashboard/import-wizard.ts'
import { createUser } from '../../../../support/factories.ts'
import { removeUsers } from '../../../../support/user-lists.ts'
import { useWorld } from '../../../../support/world.ts'

describe('the import wizard in German', () => {
  const world = useWorld({ workers: ['imports', 'exports'] })
  const browser = useSignedIn(world)
  beforeEach(() => removeUsers(world.database))

  it('says what an import would do, and what is wrong with which row', async () => {
    for (const name of ['Ada', 'Left Out', 'Kept'])
      await createUser(world.database, { name, email: `${name.replace(' ', '')}@example.com` })
    const list = [
      'email,name,extensionAttribute1',
      'ada@example.com,Ada Lovelace,',
      'new@example.com,New,',
      'other@example.com,Other,',
      `kept@example.com,Kept,${'x'.repeat(1025)}`,
      'ada@example.com,Ada,',
    ]
    const path = await reviewImport(browser, list.join('\n'), { update: 'true', deactivate: 'true' })
    const unknown = await reviewImport(browser, `${list.join('\n')}\nErrors,Nobody,\n`, {
      deactivate: 'true',
    })
    await browser.open('/dashboard/language/de')
    await browser.open(path)
    expect(browser.words)
      .to.include('Dieser Import fügt neue Personen hinzu, aktualisiert vorhandene und deaktiviert Personen,')
      .and.include('2 Personen werden hinzugefügt, 1 geändert und 1 deaktiviert. 2 Zeilen mit Fehlern.')
      .and.include('1 Person steht nur in einer Zeile mit Fehlern und wird nicht deaktiviert.')
      .and.include('Übernehmen: 2 hinzufügen, 1 ändern, 1 deaktivieren')
      .and.include('ExtensionAttribute1 darf höchstens 1024 Zeichen lang sein.')
      .and.include('Diese Person steht schon in Zeile 2.')
    await browser.open(unknown)
    expect(browser.words, 'what somebody typed is not translated').to.include(
      'Die E-Mail-Adresse muss gültig sein (angegeben: „Errors“).',
    )
    expect(browser.words).to.include('1 Zeile mit Fehlern passt zu keiner bekannten Person')
  })

  it('returns the refused rows with errors in German, and recognizes them when they are imported again', async () => {
    await browser.open('/dashboard/language/en')
    const path = await reviewImport(
      browser,
      'email,name\njane@,Jane\nbob@example.com,\nbob@example.com,Bob\n',
    )
    await browser.open('/dashboard/language/de')
    await browser.open(path)
    const csv = String((await download(browser, 'csv')).bytes)
    expect(papaparse.parse(csv.trim()).data).to.deep.equal([
      ['email', 'name', 'Was falsch ist'],
      ['jane@', 'Jane', 'Die E-Mail-Adresse muss gültig sein (angegeben: „jane@“).'],
      ['bob@example.com', '', 'Für eine neue Person fehlt der Name.'],
      ['bob@example.com', 'Bob', 'Diese Person steht schon in Zeile 3.'],
    ])
    const book = new exceljs.Workbook()
    await book.xlsx.load((await download(browser, 'xlsx')).bytes as unknown as ArrayBuffer)
    expect(book.worksheets[0]?.getCell('C1').value).to.equal('Was falsch ist')
    expect(book.worksheets[0]?.getCell('C2').value).to.include('muss gültig sein')
    await browser.open('/dashboard/language/en')
    const again = await reviewImport(browser, csv, { deactivate: 'true' })
    await browser.open('/dashboard/language/de')
    await browser.open(again)
    expect(browser.words)
      .to.include('Die Datei hat die Spalte „Was falsch ist“')
      .and.not.include('unbekannte Spalte')
    expect(String((await download(browser, 'csv')).bytes).split('\r\n')[0]).to.equal(
      'email,name,Was falsch ist',
    )
  })
})
