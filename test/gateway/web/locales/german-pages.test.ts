// Tests the dashboard in German: word order, plural forms, numbers and dates differ from the English pages,
// and workers store refusals in English.
import { expect } from 'chai'
import { COOKIE_NAMES } from '../../../../gateway/web/sessions/cookies.ts'
import { type Message, message } from '../../../../shared/messages/message.ts'
import { writeEnglish } from '../../../../shared/messages/write-message.ts'
import { createAdminWithFastHash } from '../../../support/dashboard/administrators.ts'
import { Browser, createSignedIn, PASSWORD } from '../../../support/dashboard/dashboard.ts'
import { failJob } from '../../../support/dashboard/failed-jobs.ts'
import {
  type Case,
  hides,
  open,
  openUntil,
  submit,
  submitInvalid,
  testInGerman,
} from '../../../support/dashboard/german.ts'
import { createFloorPlanColumns, drawPng } from '../../../support/dashboard/pictures.ts'
import { createDelivery, createWebhook } from '../../../support/dashboard/webhook-examples.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { openQueueOf } from '../../../support/faults/pipeline.ts'
import type { World } from '../../../support/world.ts'

const createAdmin = async ({ database }: World, email: string): Promise<string> => {
  await createAdminWithFastHash(database, { email, password: PASSWORD, role: 'reader' })
  const { id } = await database('admins').where({ email }).first('id')
  return `/settings/administrators/${id}`
}

const createFailureColumns = (failed: Message) => ({ error: writeEnglish(failed), error_message: failed })
const FAILED_DELIVERY = { attempts: 9, next_at: null, took_ms: 12 }

const PLACE_CASES: Record<string, Case> = {
  'counts the desks of a location and of its copy': async ({ database }) => {
    const location_id = await createLocation(database, { name: 'Deck' })
    const location = `/places/locations/${location_id}`
    const addDesk = () => createBookable(database, { location_id })
    return [
      open(`${location}/delete`),
      addDesk,
      submit('Etage löschen', {}, 'Deck hat noch 1 Tisch oder Raum. Löschen oder verschieben Sie'),
      open('/places', '1 Tisch oder Raum'),
      addDesk,
      open('/places', '2 Tische und Räume'),
      open(`${location}/copy`),
      submit('Etage kopieren', { name: 'Oberdeck' }, 'Etage kopiert, mit 2 Tischen und Räumen.'),
    ]
  },
  'counts added desks by their type': async ({ database }) => {
    const page = `/places/locations/${await createLocation(database)}/add`
    const added: Array<[names: string, type: string, notice: string]> = [
      ['Tisch 1-1200', '0', '„Tisch 1-1200“ ergibt mehr als 1000 Namen.'],
      ['Tisch 1-3', '0', '3 Tische hinzugefügt: Tisch 1 bis Tisch 3.'],
      ['P1\nP2', '1', '2 Parkplätze hinzugefügt: P1 bis P2.'],
      ['Koje', '2', 'Koje hinzugefügt.'],
      ['Tisch 2\nKoje\nHeck', '0', 'Koje, Tisch 2 gibt es auf dieser Etage schon.'],
      ['Bug 1-20', '0', '20 Tische hinzugefügt: Bug 1 bis Bug 20.'],
      ['Bug 1-20', '0', 'und 15 weitere gibt es auf dieser Etage schon.'],
    ]
    return added.flatMap(([names, type, notice]) => [
      open(page),
      submit('Tische, Räume oder Parkplätze hinzufügen', { names, type }, notice),
    ])
  },
  'puts the person before the verb when desks are assigned': async ({ database }) => {
    const location_id = await createLocation(database)
    const [first, second] = [
      await createBookable(database, { location_id, name: 'Tisch 1' }),
      await createBookable(database, { location_id, name: 'Tisch 2' }),
    ]
    const user = await createUser(database, { name: 'Cora Lind' })
    const selected = `/places/locations/${location_id}/selected`
    return [
      open(`${selected}?ids=${first}&ids=${second}&user=${user}`, '2 Tische und Räume ändern'),
      submit('An Cora Lind zuweisen', {}, '2 Tische und Räume sind jetzt Cora Lind zugewiesen.'),
      open(`${selected}?ids=${first}`, 'Tisch 1 ändern'),
      submit('Zuweisungen beenden', {}, '1 Zuweisung beendet.'),
    ]
  },
  'asks what happens to bookings when their desks are blocked': async ({ database }) => {
    const location_id = await createLocation(database)
    const [desk, other] = [
      await createBookable(database, { location_id, name: 'Tisch 1' }),
      await createBookable(database, { location_id, name: 'Tisch 2' }),
    ]
    const user_id = await createUser(database, { name: 'Anna Berg' })
    await createBooking(database, {
      bookable_id: desk,
      user_id,
      from: hoursFromNow(1),
      to: hoursFromNow(2),
    })
    return [
      open(`/places/locations/${location_id}/selected?ids=${desk}&ids=${other}`),
      submitInvalid(
        409,
        'Sperren',
        {},
        '1 Buchung kollidiert',
        '1 Buchung kollidiert damit, auch Termine zählen: Tisch 1. Noch wurde nichts geändert.',
      ),
      submit(
        'Sperren',
        { in_the_way: 'release' },
        '2 Tische und Räume gesperrt. Die kollidierenden Buchungen wurden freigegeben.',
      ),
    ]
  },
  'reads and writes positions with a decimal comma': async ({ database }) => {
    const location_id = await createLocation(database, createFloorPlanColumns(drawPng(300, 200)))
    const id = await createBookable(database, { location_id })
    const save = 'Position speichern'
    return [
      open(`/places/bookables/${id}`),
      submit(save, { left: '33,3', top: '' }, 'Geben Sie beide Zahlen ein'),
      submit(save, { left: '33,3', top: '101' }, 'Von oben (%) muss eine Zahl von 0 bis 100 sein.'),
      submit(save, { left: '33,3', top: '50' }, 'Position gespeichert.'),
      async (browser) => {
        expect(browser.form(save).controls.find(({ name }) => name === 'left')?.value).to.equal('33,3')
        expect((await database('bookables').where({ id }).first()).position_x).to.equal(0.333)
      },
    ]
  },
  'shows the weekdays, hours and dates of rules in German': async ({ database }) => {
    const id = await createBuilding(database, { name: 'Hafenhaus', timezone: 'Europe/Berlin' })
    const rules = {
      'opening_hours.from6': '09:00',
      'opening_hours.to6': '12:00',
      minutes_max: '480',
      'closed.from': '2027-12-24',
      'closed.to': '2027-12-26',
      'closed.reason': 'Weihnachten',
    }
    return [
      open(`/places/buildings/${id}/rules`),
      submit(
        'Regeln speichern',
        rules,
        'Regeln gespeichert.',
        'Sa 09:00–12:00 festgelegt für Hafenhaus',
        '480 Minuten festgelegt für Hafenhaus',
        'Fr., 24. – So., 26. Dezember 2027: Weihnachten festgelegt für Hafenhaus',
      ),
      submit(
        'Regeln speichern',
        { 'opening_hours.to6': '08:00' },
        'Samstag braucht Uhrzeiten wie 08:00 bis 18:00, das Ende nach dem Anfang.',
      ),
    ]
  },
}

const ADMINISTRATION_CASES: Record<string, Case> = {
  'names the role of an administrator when it changes': async (world) => {
    const page = await createAdmin(world, 'desk@example.com')
    return [
      open(page),
      submit('Rolle speichern', { role: 'front-desk' }, 'Die Rolle ist jetzt Empfang.'),
      open('/settings/administrators', 'desk@example.com Empfang'),
      (browser) => browser.press('desk@example.com ändern'),
      ({ words }) =>
        expect(words).to.include('Erstellt und ändert Buchungen und Termine; sieht Orte und Personen.'),
    ]
  },
  'says why the mail server refused a mail': async (world) => {
    const page = await createAdmin(world, 'mail@example.com')
    const admin_id = Number(page.split('/').at(-1))
    const error = JSON.stringify(message`The mail server refused the address${' (450)'}.`)
    const webhook_id = await createWebhook(world.database)
    await world.database('mails').insert({ kind: 'webhook-disabled', admin_id, webhook_id, error })
    return [
      open(
        page,
        'Die letzte E-Mail an mail@example.com wurde nicht gesendet. Der Mailserver hat die Adresse abgelehnt (450). Es wird noch einmal versucht.',
      ),
    ]
  },
  'says that the only owner keeps the role': async ({ database }) => {
    const { id } = await database('admins').where({ email: 'admin@example.com' }).first('id')
    return [
      open(`/settings/administrators/${id}`),
      submitInvalid(409, 'Rolle speichern', { role: 'reader' }, 'Das ist der einzige Inhaber.'),
    ]
  },
  'shows the result of a delivery, and counts those that are sent again': async ({ database }) => {
    const id = await createWebhook(database)
    const silence = createFailureColumns(message`no answer within ${10} s`)
    const delivery = await createDelivery(database, id, { ...FAILED_DELIVERY, ...silence })
    const page = `/integrations/webhooks/${id}`
    const failAnother = async () => {
      await database('webhook_deliveries').where({ webhook_id: id }).update(FAILED_DELIVERY)
      await createDelivery(database, id, { ...FAILED_DELIVERY, error: 'socket hang up' })
    }
    return [
      open(
        `${page}/deliveries/${delivery}`,
        'fehlgeschlagen an https://hooks.example.net/berth',
        'keine Antwort innerhalb von 10 s',
      ),
      open(page),
      submit('Noch einmal senden', { hours: '1' }, '1 Zustellung wird noch einmal gesendet.'),
      failAnother,
      open(page),
      submit('Noch einmal senden', { hours: '1' }, '2 Zustellungen werden noch einmal gesendet.'),
    ]
  },
  'says why a receiver did not answer, and shows texts of an older release unchanged': async ({
    database,
  }) => {
    const id = await createWebhook(database)
    const inside = createFailureColumns(message`${'10.0.0.7'} is in a private network`)
    const gone = createFailureColumns(message`the change is no longer stored`)
    await createDelivery(database, id, { attempts: 1, took_ms: 1, ...inside })
    // The previous release has retried the job since, and does not know the message.
    await createDelivery(database, id, { attempts: 2, took_ms: 1, ...gone, error: 'socket hang up' })
    await createDelivery(database, id, { attempts: 1, took_ms: 1, error: 'no answer within 10 s' })
    return [
      open(
        `/integrations/webhooks/${id}`,
        '10.0.0.7 liegt in einem privaten Netz',
        'socket hang up',
        'no answer within 10 s',
      ),
      hides('nicht mehr gespeichert'),
    ]
  },
  'says what is wrong in the form of a webhook': () => {
    const url = 'https://example.com'
    return [
      open('/integrations/webhooks/new'),
      submit(
        'Webhook erstellen',
        { url: 'ftp://example.com' },
        'URL muss eine http- oder https-Adresse ohne Benutzernamen sein.',
      ),
      submit('Webhook erstellen', { url, actions: 'room.lost' }, '„room.lost“ ist unbekannt.'),
      submit('Webhook erstellen', { url, actions: '' }, 'Wählen Sie mindestens eines.'),
    ]
  },
  'counts the jobs that failed, and refuses to retry writes': async (world) => {
    const { queue, close } = openQueueOf(world, 'writes')
    let failed: string
    return [
      async () => {
        failed = await failJob(queue)
      },
      openUntil(
        '/queue-health',
        '1 Auftrag in der Warteschlange „writes“ ist in der letzten Stunde fehlgeschlagen.',
      ),
      () => failJob(queue, {}, 'nothing.known'),
      openUntil(
        '/queue-health',
        '2 Aufträge in der Warteschlange „writes“ sind in der letzten Stunde fehlgeschlagen.',
      ),
      ({ words }) =>
        expect(words).to.include('unbekannter Auftrag').and.include('Diesen Auftrag gibt es nicht'),
      (browser) => open(`/queues/writes/jobs/${failed}`, 'Fehlgeschlagen')(browser),
      open('/queues/writes/retry-failed'),
      submit('Fehlgeschlagene Aufträge wiederholen', {}, 'Änderungen können Sie hier nicht wiederholen'),
      close,
    ]
  },
  'names the migrations that are pending': async ({ database }) => {
    const [last] = await database('migrations').orderBy('name', 'desc').limit(1)
    return [
      () => database('migrations').where({ name: last.name }).delete(),
      openUntil('/queue-health', `Ausstehende Migrationen: ${last.name}`),
      () => database('migrations').insert(last),
    ]
  },
}

describe('the pages of places in German', () => {
  testInGerman({ workers: ['writes'] }, PLACE_CASES)
})

describe('the pages for integrations and settings in German', () => {
  const world = testInGerman({ workers: ['writes'] }, ADMINISTRATION_CASES)

  it('appear in each administrator’s language when two administrators open them at the same time', async () => {
    const disabled_reason = 'No delivery succeeded for five days.'
    await createWebhook(world.database, { enabled: false, disabled_reason })
    const [german, english] = [
      await createSignedIn(world),
      await createSignedIn(world, 'english@example.com'),
    ]
    german.cookies.set(COOKIE_NAMES.language, 'de')
    const path = '/dashboard/queue-health'
    await Promise.all([german.open(path), english.open(path), german.open(path)])
    expect(german.words).to.include('Für die Warteschlange „imports“ läuft kein Worker.')
    expect(german.words).to.not.include('No worker')
    expect(english.words).to.include('No worker is running for the “imports” queue.')
    expect(english.words).to.not.include('kein Worker')
    await Promise.all([german.open('/dashboard'), english.open('/dashboard')])
    expect(german.words).to.include(
      'Berth hat den Webhook Lobby display abgeschaltet. Fünf Tage lang ist keine Zustellung gelungen.',
    )
    expect(english.words)
      .to.include('Berth has switched off the webhook Lobby display')
      .and.include(disabled_reason)
  })

  it('show “wrong password” in the language that the browser asks for', async () => {
    const browser = new Browser(world.url)
    const headers = { 'Accept-Language': 'de-AT,en;q=0.5' }
    await browser.open('/dashboard/sign-in', { headers })
    const fields = { email: 'nobody@example.com', password: 'wrong' }
    await browser.submit('Anmelden', fields, { headers })
    expect(browser.words).to.include('E-Mail oder Passwort ist falsch.').and.not.include('Wrong')
  })

  it('show how many sessions end when a password changes', async () => {
    const browser = await createSignedIn(world, 'anna@example.com')
    await createSignedIn(world, 'anna@example.com')
    const fields = { current: PASSWORD, password: `${PASSWORD} 2`, repeated: `${PASSWORD} 2` }
    const change = 'Passwort ändern'
    for (const step of [
      open('/language/de'),
      open('/settings', 'Sie sind als anna@example.com angemeldet, mit der Rolle Inhaber.'),
      submit(
        change,
        { current: PASSWORD, password: 'kurz', repeated: 'kurz' },
        'Neues Passwort muss mindestens 12 Zeichen lang sein.',
      ),
      submit(change, { ...fields, repeated: PASSWORD }, 'Die Passwörter stimmen nicht überein.'),
      submit(change, fields, 'Passwort geändert. 1 andere Sitzung wurde abgemeldet.'),
    ])
      await step(browser)
  })
})
