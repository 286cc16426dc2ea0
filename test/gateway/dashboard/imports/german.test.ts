// The import of people in German: its sentences, and what workers write in English of a file and its rows.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { catalogs } from '../../../../gateway/dashboard/catalogs.ts'
import { translateMessage } from '../../../../gateway/dashboard/language/messages.ts'
import { speakLanguage } from '../../../../gateway/dashboard/language/translate.ts'
import { projectDirectory } from '../../../../local/folders.ts'
import { useSignedIn } from '../../../support/dashboard/dashboard.ts'
import { reviewImport } from '../../../support/dashboard/import-wizard.ts'
import { createUser } from '../../../support/factories.ts'
import { removeUsers } from '../../../support/user-lists.ts'
import { useWorld } from '../../../support/world.ts'

const REFUSED = /(?:refuseFile|tooLarge)\(\s*(['`])([^'`]*)\1/g
const inGerman = (sentence: string) => speakLanguage('de', catalogs.de, () => translateMessage(sentence))

/** What the readers of files say, with an example for each value. */
function sentencesOfReaders(): string[] {
  const folder = join(projectDirectory, 'workers/sheets')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  const sources = files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')
  return [...sources.matchAll(REFUSED)].map(([, , sentence = '']) =>
    sentence
      .replace(/\$\{FORMATS\}/, 'Send csv, txt, ods, xls or xlsx.')
      .replace(/\$\{found\}/, ' It begins with “Mail”.')
      .replace(/\$\{[^}]*\}/g, '7'),
  )
}

describe('the import wizard in German', () => {
  const world = useWorld({ workers: ['imports'] })
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
      .and.include('Zeile 5: extensionAttribute1 darf höchstens 1024 Zeichen lang sein.')
      .and.include('Zeile 6: Diese Person steht schon in Zeile 2.')
    await browser.open(unknown)
    expect(browser.words, 'what somebody typed is not translated').to.include(
      'Zeile 7: „Errors“ ist keine gültige E-Mail-Adresse.',
    )
    expect(browser.words).to.include('1 Zeile mit Fehlern passt zu keiner bekannten Person')
  })

  it('knows everything that is refused of a file', () => {
    const sentences = sentencesOfReaders()
    expect(sentences).to.have.length.greaterThan(25)
    expect(sentences.filter((sentence) => inGerman(sentence) === sentence)).to.deep.equal([])
    expect(inGerman('The file has more than 200,000 rows, which is the limit.')).to.equal(
      'Die Datei hat mehr als die erlaubten 200.000 Zeilen.',
    )
  })
})
