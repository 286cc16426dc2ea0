// Shows every page in a test language that puts each sentence in brackets: text outside of brackets was not marked for
// translation. Ignores texts from the database, code, and times.
import { expect } from 'chai'
import type { Knex } from 'knex'
import { findHolidays } from '../../../../gateway/web/admin/holidays/holidays.ts'
import type { MessageCatalog } from '../../../../shared/messages/write-message.ts'
import { QUEUES } from '../../../../shared/schemas/job.ts'
import { ABILITIES } from '../../../../shared/tokens/token-store.ts'
import { useSignedIn } from '../../../support/dashboard/dashboard.ts'
import { listEveryPage } from '../../../support/dashboard/every-page.ts'
import { useWorld } from '../../../support/world.ts'
import { findUnmarkedTexts } from './unmarked-texts.ts'

const TIMEOUT_MS = 120_000

/** Texts that are the same in every language, such as names. */
const UNTRANSLATED_TEXTS = new Set([
  'Berth',
  'English',
  'Deutsch',
  'UTC',
  'curl',
  'OpenAPI',
  'Postgres',
  'Redis',
  ...QUEUES,
  ...ABILITIES,
])

/** Matches endpoints, files, URLs, milliseconds, initials, and fields whose name is a number. */
const CODE_PATTERN =
  /^(GET|POST|PUT|PATCH|DELETE)( \/|$)|^[\w-]+\.csv|^https:|^\d+ ms$|^[A-Z]{2}$|^extensionAttribute\d+$|^writes-\d+$/

/** Returns all values inside a JSON document as strings. */
function listStrings(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(listStrings)
  return [String(value)]
}

/** Returns every text in the database, in lower case: names, e-mails, words of enums. */
async function readTexts(database: Knex): Promise<Set<string>> {
  const { rows: columns } = await database.raw<{ rows: Array<{ table_name: string; column_name: string }> }>(
    `SELECT table_name, column_name FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND data_type IN ('text', 'character varying', 'citext', 'ARRAY', 'jsonb')`,
  )
  const texts = new Set<string>()
  for (const { table_name, column_name } of columns) {
    const rows = await database(table_name).distinct(column_name).limit(1_000)
    for (const row of rows) for (const text of listStrings(row[column_name])) texts.add(text.toLowerCase())
  }
  return texts
}

/** Returns the names of countries, of a country's regions, and of its holidays, which come from packages. */
async function listHolidayNames(): Promise<string[]> {
  const years = [new Date().getUTCFullYear() + 1]
  const search = { country: 'DE', region: undefined, years, language: 'de', zone: 'UTC' } as const
  const { countries, regions, holidays } = await findHolidays(search)
  const names = new Intl.DisplayNames('de', { type: 'region' })
  return [
    ...countries.map((code) => names.of(code) ?? code),
    ...[...regions, ...holidays].map(({ name }) => name),
  ].map((name) => name.toLowerCase())
}

// Matches names of time zones, and German names of days and months.
const UNTRANSLATED_DATA_PATTERN =
  /\b[a-z]+(?:\/[a-z_ -]+)+|\d{1,2}\. \p{L}+\.?(?: \d{4})?|\b(?:mo|di|mi|do|fr|sa|so)\b|\b\p{L}+(?:tag|woch)\b|\b(?:januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember)\b(?: \d{4})?|· berth$/gu

/** Returns what somebody has typed into a form whose values the address holds. */
const listTyped = (path: string): string[] =>
  [...new URL(path, 'http://localhost').searchParams.values()]
    .map((text) => text.toLowerCase())
    .filter(hasWords)

const hasWords = (text: string) => /\p{L}{2}/u.test(text)

function removeTexts(text: string, data: readonly string[]): string {
  let rest = text.replace(UNTRANSLATED_DATA_PATTERN, '')
  for (const each of data) {
    if (!hasWords(rest)) break
    rest = rest.replaceAll(each, '')
  }
  return rest
}

describe('every text of the dashboard', () => {
  const world = useWorld()
  const signedIn = useSignedIn(world)
  let restore = () => {}

  before(async () => {
    // Imports the module by the same path as the gateway, because otherwise it would be loaded twice.
    const { catalogs } = await import('../../../../gateway/web/locales/catalogs.ts')
    const german = catalogs.de
    restore = () => {
      catalogs.de = german
    }
    catalogs.de = new Proxy<MessageCatalog>(
      {},
      { get: (_target, key) => `⟦${String(key)}⟧`, has: () => true },
    )
  })
  after(() => restore())

  it('is marked for translation in its source file', async function () {
    this.timeout(TIMEOUT_MS)
    const examples = await listEveryPage(world)
    const known = [...(await readTexts(world.database)), ...(await listHolidayNames())]
    const data = known.filter(hasWords).sort((a, b) => b.length - a.length)
    const isKnown = (typed: string[]) => (text: string) =>
      UNTRANSLATED_TEXTS.has(text) ||
      CODE_PATTERN.test(text) ||
      !hasWords(removeTexts(text.toLowerCase(), [...data, ...typed]))
    const unmarked: string[] = []
    for (const { path } of examples) {
      const { text } = await signedIn.open(path, { headers: { 'Accept-Language': 'de' } })
      expect(text, path).to.contain('<html lang="de">').and.contain('⟦')
      unmarked.push(
        ...findUnmarkedTexts(text, isKnown(listTyped(path))).map(
          (each) => `${path.replace(/\d+/g, '…')}: ${each}`,
        ),
      )
    }
    const found = [...new Set(unmarked)].sort()
    if (found.length > 0) expect.fail(`These are not marked:\n${found.join('\n')}`)
  })
})
