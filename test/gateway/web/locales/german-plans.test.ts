// Tests the pages of bookings, events, people and their import in German: word order, plural forms, numbers
// and dates differ from the English pages.
import { expect } from 'chai'
import exceljs from 'exceljs'
import papaparse from 'papaparse'
import { type Case, open, submit, submitInvalid, testInGerman } from '../../../support/dashboard/german.ts'
import { download, reviewImport } from '../../../support/dashboard/import-wizard.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { createClock } from '../../../support/time.ts'
import { removeUsers } from '../../../support/user-lists.ts'
import type { World } from '../../../support/world.ts'

const NOW = Date.parse('2026-11-20T09:30:00Z')
const MORNING = { from: '2026-11-24T08:00:00Z', to: '2026-11-24T09:00:00Z' }
const NOON = { from: '2026-11-24T11:00:00Z', to: '2026-11-24T12:00:00Z' }

/** Creates desks with the given names on a deck, and returns the form that books the first desk for Ada. */
async function createDeck({ database }: World, ...names: string[]) {
  const building_id = await createBuilding(database, { name: 'Hafen', timezone: 'Europe/Berlin' })
  const location_id = await createLocation(database, { name: 'Deck', building_id })
  const ada = await createUser(database, { name: 'Ada' })
  const { email } = await database('users').where({ id: ada }).first('email')
  const desks: number[] = []
  for (const name of names) desks.push(await createBookable(database, { location_id, name }))
  const formOf = (desk: number | undefined) =>
    `/bookings/new?user=${ada}&bookable=${desk}&from=2026-11-24T09:00&to=2026-11-24T17:00`
  return { ada, email, desks, formOf }
}

const BOOKING_CASES: Record<string, Case> = {
  'names the conflict after its time, as German word order requires': async (world) => {
    const { ada, email, desks, formOf } = await createDeck(world, 'Bug 1', 'Bug 2')
    const [bookable_id] = desks
    await createBooking(world.database, { bookable_id, user_id: ada, ...MORNING })
    const event_id = await createEvent(world.database, { name: 'Start', organizer_user_id: ada, ...NOON })
    await createBooking(world.database, { bookable_id, event_id, ...NOON })
    return [
      open(formOf(bookable_id)),
      submitInvalid(
        409,
        'Buchung erstellen',
        {},
        `Bug 1 ist am 24. Nov. 2026 von 09:00 bis 10:00 belegt: Ada (${email}). ` +
          'Bug 1 ist am 24. Nov. 2026 von 12:00 bis 13:00 belegt: Termin „Start“ (Ada).',
      ),
      ({ words }) => expect(words).to.match(/Zu dieser Zeit frei: .*Bug 2/),
    ]
  },
  'counts the created bookings, and names the omitted days': async (world) => {
    const { desks, formOf } = await createDeck(world, 'Heck 1', 'Heck 2')
    const [desk, other] = desks
    const taken = { from: '2026-11-25T08:00:00Z', to: '2026-11-25T09:00:00Z' }
    await createBooking(world.database, { bookable_id: desk, ...taken })
    const create = 'Buchung erstellen'
    return [
      open(formOf(desk)),
      submit(
        create,
        { more_days: '2026-11-25', skips: 'true' },
        '1 Buchung von Heck 1 für Ada erstellt. Ausgelassen: Mi., 25. Nov.',
      ),
      ({ words }) => expect(words).to.not.include('Nov..'),
      open(formOf(other)),
      submitInvalid(422, create, { more_days: 'Dienstag' }, '„Dienstag“ ist kein Datum wie 2026-11-25.'),
      submit(create, { more_days: '2026-11-26' }, '2 Buchungen von Heck 2 für Ada erstellt.'),
    ]
  },
  'asks before a booking is cancelled, and confirms it': async (world) => {
    const { desks } = await createDeck(world, 'Mast 1')
    const id = await createBooking(world.database, {
      bookable_id: desks[0],
      user_id: await createUser(world.database, { name: 'Bob' }),
      from: MORNING.from,
      to: null,
    })
    return [
      open(`/bookings/${id}`, 'Mast 1 für Bob', 'Bis unbefristet'),
      (browser) => browser.follow('Buchung stornieren'),
      ({ words }) =>
        expect(words)
          .to.include('Buchung von Mast 1 stornieren?')
          .and.include('Gebucht für Bob ab 24. Nov. 2026, 09:00, unbefristet (Deck).'),
      submit('Buchung stornieren', {}, 'Buchung von Mast 1 für Bob storniert.'),
    ]
  },
}

const EVENT_CASES: Record<string, Case> = {
  'counts the people and rooms that a cancelled event affects': async ({ database }) => {
    const times = { from: '2026-11-26T09:00:00Z', to: '2026-11-26T10:00:00Z' }
    const event_id = await createEvent(database, {
      name: 'Party',
      from_timezone: 'Europe/Berlin',
      ...times,
    })
    const addRoom = () => createBooking(database, { event_id, ...times })
    const invite = (email: string) => database('event_attendees').insert({ event_id, email })
    return [
      addRoom,
      () => invite('one@example.com'),
      open(
        `/events/${event_id}/cancel`,
        '„Party“ absagen?',
        'Beginn: 26. Nov. 2026, 10:00. 1 Person ist eingeladen; Berth benachrichtigt sie nicht.',
        '1 Raum wird wieder frei.',
      ),
      () => invite('two@example.com'),
      addRoom,
      open(`/events/${event_id}/cancel`, '2 Personen sind eingeladen', '2 Räume werden wieder frei.'),
      submit('Termin absagen', {}, 'Termin abgesagt. Seine Räume sind wieder frei.', 'Details abgesagt'),
    ]
  },
  'suggests other searches for events in one sentence with links': () => [
    open(
      '/events?name=nothing',
      'Versuchen Sie andere Tage oder weniger Wörter, sehen Sie sich die kommende Woche an oder erstellen Sie einen Termin',
    ),
    (browser) => browser.follow('erstellen Sie einen Termin'),
    ({ words }) => expect(words).to.include('Jeder Termin braucht einen Organisator.'),
  ],
  'refuses changes of a past event, by the worker, the page and the form': async ({ database }) => {
    const times = { from: '2026-11-19T09:00:00Z', to: '2026-11-19T10:00:00Z' }
    const id = await createEvent(database, times)
    const save = 'Änderungen speichern'
    return [
      open(`/events/${id}/cancel`),
      submitInvalid(409, 'Termin absagen', {}, 'Der Termin ist beendet (10:00 am 19. Nov. 2026).'),
      open(`/events/${id}/change`),
      submitInvalid(409, save, {}, 'Der Termin ist vorbei und kann nicht mehr geändert werden.'),
      submit(save, { name: '', to_time: '' }, 'Name fehlt.', 'Bis fehlt.'),
    ]
  },
}

const PEOPLE_CASES: Record<string, Case> = {
  'counts what deactivated people still have': async ({ database }) => {
    await removeUsers(database)
    const user_id = await createUser(database, { name: 'Ada', deactivated_at: new Date() })
    const bookable_id = await createBookable(database, { status: 2 })
    await database('bookable_assignees').insert({ bookable_id, user_id })
    for (const hours of [1, 3])
      await createBooking(database, { user_id, from: hoursFromNow(hours), to: hoursFromNow(hours + 1) })
    return [
      open(
        '/people',
        '1 deaktivierte Person hat noch 2 Buchungen und 1 zugewiesenen Tisch oder Raum. Prüfen',
      ),
      open(`/people/${user_id}/release`, '2 Buchungen von Ada freigeben?'),
      open('/language/en'),
      open('/people', '1 deactivated person still has 2 bookings and 1 assigned desk or room. Review'),
      open('/language/de'),
    ]
  },
  'suggests other searches for people in one sentence with links': () => [
    open(
      '/people?q=nobody',
      'Suchen Sie auch unter deaktivierten Personen oder lassen Sie sich alle aktiven Personen anzeigen .',
    ),
  ],
  'says what an import would do, and names the error of each refused row': async ({ database }) => {
    await removeUsers(database)
    for (const name of ['Ada', 'Left Out', 'Kept'])
      await createUser(database, { name, email: `${name.replace(' ', '')}@example.com` })
    const list = [
      'email,name,extensionAttribute1',
      'ada@example.com,Ada Lovelace,',
      'new@example.com,New,',
      'other@example.com,Other,',
      `kept@example.com,Kept,${'x'.repeat(1025)}`,
      'ada@example.com,Ada,',
    ].join('\n')
    return [
      open('/language/en'),
      async (browser) => {
        const path = await reviewImport(browser, list, { update: 'true', deactivate: 'true' })
        const unknown = await reviewImport(browser, `${list}\nErrors,Nobody,\n`, { deactivate: 'true' })
        await browser.open('/dashboard/language/de')
        await browser.open(path)
        expect(browser.words)
          .to.include(
            'Dieser Import fügt neue Personen hinzu, aktualisiert vorhandene und deaktiviert Personen,',
          )
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
      },
    ]
  },
  'returns refused rows with German errors, and recognizes them when they are imported again': async ({
    database,
  }) => {
    await removeUsers(database)
    const list = 'email,name\njane@,Jane\nbob@example.com,\nbob@example.com,Bob\n'
    return [
      open('/language/en'),
      async (browser) => {
        const path = await reviewImport(browser, list)
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
      },
    ]
  },
}

describe('the pages of bookings and events in German', () => {
  testInGerman({ workers: ['writes'], now: createClock(NOW) }, { ...BOOKING_CASES, ...EVENT_CASES })
})

describe('the pages of people in German', () => {
  testInGerman({ workers: ['imports', 'exports'] }, PEOPLE_CASES)
})
