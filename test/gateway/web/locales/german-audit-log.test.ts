// Tests the audit log in German: sentences have German word order, instead of English sentences with German
// words.
import { expect } from 'chai'
import { findFieldLabel } from '../../../../gateway/web/admin/audit-log/differences.ts'
import { catalogs } from '../../../../gateway/web/locales/catalogs.ts'
import { AUDIT_ACTIONS, type AuditAction } from '../../../../shared/audit/audit-actions.ts'
import { extractWords, useSignedIn } from '../../../support/dashboard/dashboard.ts'
import { createBookable, createBuilding, createLocation, createUser } from '../../../support/factories.ts'
import { useWorld } from '../../../support/world.ts'

type ChangedRows = { before?: object; after?: object }

describe('the audit log in German', () => {
  const world = useWorld()
  const browser = useSignedIn(world)
  let desk: number
  let anna: number
  beforeEach(async () => {
    await world.database('audit_log').delete()
    const building_id = await createBuilding(world.database, { timezone: 'Europe/Berlin' })
    const location_id = await createLocation(world.database, { building_id })
    desk = await createBookable(world.database, { location_id, name: 'Tisch 7' })
    anna = await createUser(world.database, { name: 'Anna Bauer' })
  })

  /** Returns the sentence of an audit entry in the browser's language. */
  const said = async (
    action: AuditAction,
    resource_id: number | null,
    { before, after }: ChangedRows = {},
  ) => {
    await world.database('audit_log').insert({
      actor_type: 'token',
      actor_name: 'Kiosk',
      action,
      resource: action.split('.')[0],
      resource_id,
      before: before && JSON.stringify(before),
      after: after && JSON.stringify(after),
      request_id: 'r-1',
    })
    const { text } = await browser.open('/dashboard/audit-log', { headers: { 'Accept-Language': 'de' } })
    const [, sentence = ''] = /<td class="wide">(.*?)<td/s.exec(text) ?? []
    return extractWords(sentence).replace(/ ([,.;:)])/g, '$1')
  }
  const booking = (from: string, to: string, more: object = {}) => ({
    bookable_id: desk,
    user_id: anna,
    during: `["2031-03-03 ${from}:00+00","2031-03-03 ${to}:00+00")`,
    ...more,
  })

  it('has a sentence for every action, with its verb at the end', async () => {
    for (const action of AUDIT_ACTIONS) {
      await world.database('audit_log').delete()
      expect(await said(action, 987_654), action).to.match(/^hat .*\p{L}+t$|^hat .*en$|^hat .*, weil /u)
    }
  })

  it('says what happened to bookings and when', async () => {
    const day = 'Mo., 3. März 2031'
    const before = booking('08:00', '11:00')
    const booked = booking('08:00', '11:00', { guest_name: 'Grace', overridden_rules: ['too_long'] })
    expect(await said('bookings.create', 9, { after: booked })).to.equal(
      `hat Tisch 7 für Grace (Gast von Anna Bauer) gebucht, ${day}, 09:00 bis 12:00, entgegen einer Regel (zu lang)`,
    )
    expect(await said('bookings.update', 9, { before, after: booking('09:00', '11:00') })).to.equal(
      `hat die Buchung von Tisch 7 für Anna Bauer von ${day}, 09:00 bis 12:00 auf ${day}, 10:00 bis 12:00 verlegt`,
    )
    expect(await said('bookings.clear', 9, { before })).to.equal(
      `hat die Buchung von Tisch 7 für Anna Bauer, ${day}, 09:00 bis 12:00, wegen eines Konflikts storniert`,
    )
  })

  it('has words for counts, roles and types, and keeps nouns capitalized', async () => {
    const imported = { filename: 'people.csv', created: 3, deleted: 1, errors: 2 }
    const repeat = { every: 'week', interval: 2, on: [1, 3], until: '2031-03-31', count: null }
    const eve = { email: 'eve@example.com' }
    const cases: Array<[AuditAction, number | null, ChangedRows, string]> = [
      [
        'users.import',
        null,
        { after: imported },
        'hat Personen aus people.csv importiert: 3 Personen hinzugefügt, 1 Person deaktiviert, 2 Zeilen abgelehnt',
      ],
      [
        'users.erase',
        987_654,
        { after: { cancelledBookings: 1 } },
        'hat Person 987654 endgültig gelöscht und 1 Buchung storniert',
      ],
      [
        'admins.set-role',
        987_654,
        { before: { ...eve, role: 'reader' }, after: { ...eve, role: 'front-desk' } },
        'hat die Rolle von eve@example.com von Leser zu Empfang geändert',
      ],
      [
        'bookables.edit',
        desk,
        { before: { type: 0, name: 'Tisch 7' }, after: { type: 2, name: 'Tisch 7' } },
        'hat Tisch 7 geändert: Art Tisch → Besprechungsraum',
      ],
      ['bookables.assign', desk, { after: { assignees: [anna] } }, 'hat Tisch 7 an Anna Bauer zugewiesen'],
      [
        'series.create',
        1,
        { after: { repeat } },
        'hat eine Serie erstellt, alle 2 Wochen am Mo und Mi bis 31. März 2031',
      ],
      [
        'tokens.rotate',
        987_654,
        { after: { overlapSeconds: 3_600 } },
        'hat ein neues Geheimnis für das Token 987654 erstellt; das alte gilt noch 1 Stunde',
      ],
      [
        'webhooks.disable',
        987_654,
        { after: { reason: 'No delivery succeeded for five days.' } },
        'hat den Webhook 987654 abgeschaltet: Fünf Tage lang ist keine Zustellung gelungen',
      ],
    ]
    const wait = booking('08:00', '11:00', { location_id: null, offered_bookable_id: desk })
    cases.push(
      [
        'waits.offer',
        9,
        { after: wait },
        'hat Tisch 7 Anna Bauer, Mo., 3. März 2031, 09:00 bis 12:00, angeboten',
      ],
      [
        'waits.create',
        9,
        { after: wait },
        'hat Anna Bauer auf die Warteliste für Tisch 7, Mo., 3. März 2031, 09:00 bis 12:00, gesetzt',
      ],
    )
    for (const [action, id, rows, sentence] of cases)
      expect(await said(action, id, rows), action).to.equal(sentence)
  })

  // Fields whose values the audit log does not show.
  const UNSAID = [
    'id',
    'created_at',
    'updated_at',
    'revision',
    'is_anonymous',
    'secret',
    'previous_secret',
    'occurs_at',
  ]
  const PICTURE = ['floor_plan', 'floor_plan_sha256', 'floor_plan_orientation']
  const TABLES = ['users', 'buildings', 'locations', 'bookables', 'bookings', 'events', 'webhooks']

  it('has a word for every changed field', async () => {
    const { rows } = await world.database.raw<{ rows: Array<{ name: string }> }>(
      `SELECT DISTINCT column_name AS name FROM information_schema.columns
       WHERE table_schema = current_schema() AND table_name = ANY(?)`,
      [TABLES],
    )
    expect(rows).to.not.have.length(0)
    const unknown = rows.filter(
      ({ name }) => ![...UNSAID, ...PICTURE].includes(name) && !(findFieldLabel(name) in catalogs.de),
    )
    expect(unknown).to.deep.equal([])
  })
})
