// Tests each constraint of the database.

import { expect } from 'chai'
import { hourColumns } from '../../shared/reports/figures.ts'
import { createFloorPlanColumns, drawPng } from '../support/dashboard/pictures.ts'
import { useConnection, useDatabase } from '../support/databases.ts'
import {
  createBookable,
  createEvent,
  createGroup,
  createHold,
  createUser,
  createVehicle,
} from '../support/factories.ts'

type Row = Record<string, unknown>

const DAY_BOUNDS = ['2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z'] as const
const UUID = '00000000-0000-4000-8000-000000000001'
const SESSION_HASH = Buffer.from('session')
const PLAN_UUID = '00000000-0000-4000-8000-000000000002'
const createLongText = (length: number) => 'x'.repeat(length)

const FIGURES = { period: 0, first_day: '2026-11-20', bookings: 1, no_shows: 0 }
const HOURS = Object.fromEntries(
  (['booked', 'available'] as const).flatMap(hourColumns).map((column) => [column, 60]),
)
const FLOOR_PLAN = createFloorPlanColumns(drawPng(3, 2))

describe('the database', () => {
  const database = useConnection(useDatabase())
  let ids: Record<
    'user' | 'group' | 'bookable' | 'linked' | 'event' | 'vehicle' | 'admin' | 'webhook' | 'visitor' | 'hold',
    number
  >

  before(async () => {
    // Empties tables that may contain only one row.
    for (const table of ['mail_position', 'push_position', 'calendar_position'])
      await database(table).delete()
    const user = await createUser(database, {
      email: 'Taken@example.com',
      upn: 'Taken',
      deactivated_at: new Date(),
    })
    await database('person_sessions').insert({ hash: SESSION_HASH, user_id: user, expires_at: new Date() })
    await database('import_plans').insert({
      id: PLAN_UUID,
      digest: 'x',
      header: [],
      counts: '{}',
      expires_at: new Date(),
    })
    const event = await createEvent(database, { from: DAY_BOUNDS[0], to: DAY_BOUNDS[1] })
    const insert = async (table: 'admins' | 'event_attendees' | 'webhooks', row: Row): Promise<number> =>
      (await database(table).insert(row, 'id'))[0].id
    ids = {
      user,
      group: await createGroup(database),
      admin: await insert('admins', { email: 'owner@example.com', password_hash: 'x' }),
      webhook: await insert('webhooks', {
        url: 'https://y.example',
        types: ['*'],
        secret: 'x',
        base_url: 'x',
      }),
      bookable: await createBookable(database, { integration_email: 'Room@example.com' }),
      linked: 0,
      event,
      visitor: await insert('event_attendees', { event_id: event, email: 'visitor@example.com' }),
      vehicle: await createVehicle(database, { user_id: user, license_plate: 'B-ER 1' }),
      hold: await createHold(database, { from: DAY_BOUNDS[0], to: DAY_BOUNDS[1] }),
    }
    await database('bookable_assignees').insert({ bookable_id: ids.bookable, user_id: ids.user })
    await database('calendar_providers').insert({ provider: 'google' })
    const linked = await createBookable(database)
    await database('room_calendars').insert({ bookable_id: linked, provider: 'google', calendar: 'linked' })
    ids.linked = linked
  })
  const range = (bounds: string, from: string | null = DAY_BOUNDS[0], to: string | null = DAY_BOUNDS[1]) =>
    database.raw('tstzrange(?, ?, ?)', [from, to, bounds])

  /** A valid row for each table. */
  const valid = (): Record<string, Row> => ({
    users: { name: 'Ada', email: 'ada@example.com' },
    groups: { name: 'Sales' },
    vehicles: { user_id: ids.user, license_plate: 'B-ER 2' },
    buildings: { name: 'House' },
    locations: { building_id: 1, name: 'Floor' },
    bookables: { location_id: 1, name: 'Desk', type: 0 },
    events: { name: 'Talk', organizer_user_id: ids.user, during: range('[)') },
    event_attendees: { event_id: ids.event, user_id: ids.user },
    invitations: { event_id: ids.event, user_id: ids.user },
    provisioned_users: { user_id: ids.user },
    provisioned_groups: { group_id: ids.group },
    bookings: { bookable_id: ids.bookable, user_id: ids.user, during: range('[)'), exclusive: true },
    holds: {
      kind: 'request',
      bookable_id: ids.bookable,
      user_id: ids.user,
      during: range('[)'),
      expires_at: DAY_BOUNDS[0],
    },
    hold_attendees: { hold_id: ids.hold, user_id: ids.user },
    absences: { user_id: ids.user, days: '[2030-03-01,2030-03-15)' },
    team_days: { group_id: ids.group, date: '2030-03-01' },
    loans: { bookable_id: ids.bookable, user_id: ids.user, days: '[2030-03-01,2030-03-15)' },
    waits: { user_id: ids.user, bookable_id: ids.bookable, during: range('[)') },
    decision_links: {
      hash: Buffer.from('x'),
      hold_id: ids.hold,
      user_id: ids.user,
      expires_at: DAY_BOUNDS[0],
    },
    series: { repeat: '{}', timezone: 'UTC' },
    admins: { email: 'admin@example.com', password_hash: 'x' },
    tokens: { name: 'Token', hash: Buffer.from('x'), abilities: ['read'], created_by: 'test' },
    device_authorizations: {
      device_code_hash: Buffer.from('x'),
      user_code_hash: Buffer.from('x'),
      client_id: 'x',
      abilities: ['read'],
      expires_at: new Date(),
    },
    receipts: { attempt: UUID },
    idempotency_keys: { scope: 'x', key: 'k', fingerprint: Buffer.from('x'), outcome: '{}' },
    jobs: { id: UUID, name: 'users.import', ability: 'read', envelope: '{}', actor_name: 'x' },
    import_plans: { id: UUID, digest: 'x', header: [], counts: '{}', expires_at: new Date() },
    import_layouts: { headings: 'x', columns: ['email'] },
    import_plan_rows: { plan_id: PLAN_UUID, section: 'skip', ordinal: 1 },
    webhooks: { url: 'https://x.example', types: ['*'], secret: 'x', base_url: 'x' },
    calendars: { hash: Buffer.from('x'), user_id: ids.user },
    screens: {
      kind: 'door',
      name: 'Door',
      hash: Buffer.from('x'),
      bookable_id: ids.bookable,
      names: 'full',
      appearance: 'light',
      language: 'en',
    },
    arrivals: { arrived_at: DAY_BOUNDS[0], attendee_id: ids.visitor },
    mails: { kind: 'webhook-disabled', admin_id: ids.admin, webhook_id: ids.webhook },
    monthly_report_mails: { admin_id: ids.admin, language: 'en', last_month: '2026-10-01' },
    person_settings: { user_id: ids.user },
    user_pictures: { user_id: ids.user, source: 'person' },
    person_languages: { user_id: ids.user, language: 'de' },
    mail_position: { horizon: 1, sequence: 1, at: new Date() },
    told_bookings: { user_id: ids.user, booking_id: 1 },
    push_position: { horizon: 1, sequence: 1, at: new Date() },
    pushed_bookings: { user_id: ids.user, booking_id: 1 },
    pushes: { kind: 'reminder', user_id: ids.user },
    push_subscriptions: {
      user_id: ids.user,
      session_hash: SESSION_HASH,
      endpoint: 'x',
      p256dh: 'x',
      auth: 'x',
    },
    webhook_position: { horizon: 1, sequence: 1, at: new Date() },
    calendar_providers: { provider: 'caldav' },
    provider_rooms: { provider: 'google', calendar: 'room', name: 'Room' },
    room_calendars: { bookable_id: ids.bookable, provider: 'google', calendar: 'room' },
    calendar_entries: { bookable_id: ids.linked, entry_id: 'x' },
    organizer_entries: { key: 'x', event_id: 1, provider: 'google', mailbox: 'x', ends_at: '2100-01-01' },
    calendar_position: { horizon: 1, sequence: 1, at: new Date() },
    unknown_organizer: { user_id: ids.user },
    location_figures: { ...FIGURES, ...HOURS, location_id: 1, type: 0, weekday: 1 },
    bookable_figures: { ...FIGURES, bookable_id: 1, minutes: 1 },
    audit_log: { actor_type: 'token', actor_name: 'x', action: 'x', resource: 'x', request_id: 'x' },
  })

  /** Returns the constraint that refuses these rows, or undefined if they pass. Rolls back every row. */
  async function refusing(table: string, ...rows: Row[]): Promise<string | undefined> {
    let constraint: string | undefined
    await database
      .transaction(async (trx) => {
        for (const row of rows) await trx(table).insert({ ...valid()[table], ...row })
        throw new Error('undo')
      })
      .catch((error: { constraint?: string; message: string }) => {
        constraint = error.constraint
        if (!constraint && error.message !== 'undo') throw error
      })
    return constraint
  }

  it('accepts a valid row in each table', async () => {
    for (const table of Object.keys(valid())) expect(await refusing(table, {}), table).to.equal(undefined)
  })

  /** For each check constraint, rows that violate only that constraint. */
  const broken: Record<string, Row[]> = {
    users__name_length: [{ name: '' }, { name: createLongText(256) }],
    users__email_length: [{ email: 'a@' }, { email: createLongText(256) }],
    users__upn_length: [{ upn: '' }, { upn: createLongText(256) }],
    users__extension_attributes_object: [{ extension_attributes: '[]' }, { extension_attributes: 'null' }],
    monthly_report_mails__language_length: [{ language: 'x' }, { language: createLongText(36) }],
    person_settings__visibility_known: [{ visibility: 'some' }],
    user_pictures__source_known: [{ source: 'guess' }],
    user_pictures__picture_size: [
      { picture: Buffer.alloc(0), sha256: Buffer.alloc(32) },
      { picture: Buffer.alloc(65_537), sha256: Buffer.alloc(32) },
    ],
    user_pictures__picture_whole: [{ picture: Buffer.alloc(1) }],
    user_pictures__provider_url_length: [{ provider_url: '' }, { provider_url: createLongText(2_001) }],
    user_pictures__fetch_from: [{ fetch_at: new Date() }],
    groups__name_length: [{ name: '' }, { name: createLongText(256) }],
    vehicles__license_plate_length: [{ license_plate: '' }, { license_plate: createLongText(256) }],
    provisioned_users__external_id_length: [{ external_id: '' }, { external_id: createLongText(256) }],
    provisioned_users__given_name_length: [{ given_name: '' }, { given_name: createLongText(256) }],
    provisioned_users__family_name_length: [{ family_name: '' }, { family_name: createLongText(256) }],
    provisioned_groups__external_id_length: [{ external_id: '' }, { external_id: createLongText(256) }],
    buildings__name_length: [{ name: '' }, { name: createLongText(256) }],
    buildings__address_length: [{ address: createLongText(1001) }],
    locations__name_length: [{ name: '' }, { name: createLongText(256) }],
    locations__code_length: [{ code: createLongText(256) }],
    locations__cell_width_range: [{ cell_width: 0 }, { cell_width: 1.1 }],
    locations__plan_shapes_number: [
      { plan_shapes: '{}' },
      { plan_shapes: JSON.stringify(Array(201).fill({})) },
    ],
    locations__floor_plan_whole: [
      { floor_plan: Buffer.from('x') },
      { floor_plan_type: 'image/png' },
      { ...FLOOR_PLAN, floor_plan_sha256: null },
    ],
    locations__floor_plan_width_positive: [{ ...FLOOR_PLAN, floor_plan_width: 0 }],
    locations__floor_plan_height_positive: [{ ...FLOOR_PLAN, floor_plan_height: -1 }],
    locations__floor_plan_orientation_known: [
      { ...FLOOR_PLAN, floor_plan_orientation: 0 },
      { ...FLOOR_PLAN, floor_plan_orientation: 9 },
    ],
    bookables__name_length: [{ name: '' }, { name: createLongText(256) }],
    bookables__description_length: [{ description: createLongText(256) }],
    bookables__type_known: [{ type: -1 }, { type: 4 }],
    bookables__status_known: [{ status: -1 }, { status: 3 }],
    bookables__tags_number: [{ tags: Array.from({ length: 101 }, String) }],
    bookables__capacity_range: [{ capacity: -1 }],
    bookables__integration_email_length: [
      { integration_email: 'a@' },
      { integration_email: createLongText(256) },
    ],
    bookables__position_x_range: [
      { position_x: -0.1, position_y: 0 },
      { position_x: 1.1, position_y: 0 },
    ],
    bookables__position_y_range: [
      { position_x: 0, position_y: -0.1 },
      { position_x: 0, position_y: Number.NaN },
    ],
    bookables__position_width_range: [{ position_width: 0 }, { position_width: 1.1 }],
    bookables__position_height_range: [{ position_height: 0 }, { position_height: 1.1 }],
    bookables__position_rotation_range: [{ position_rotation: -1 }, { position_rotation: 360 }],
    bookables__position_whole: [{ position_x: 0.5 }, { position_y: 0.5 }],
    events__name_length: [{ name: '' }, { name: createLongText(256) }],
    events__description_length: [{ description: createLongText(65_536) }],
    events__classification_known: [{ classification: -1 }, { classification: 4 }],
    events__status_known: [{ status: 0 }, { status: 3 }],
    event_attendees__email_length: [
      { user_id: null, email: 'a@' },
      { user_id: null, email: createLongText(256) },
    ],
    event_attendees__name_length: [{ name: '' }, { name: createLongText(256) }],
    event_attendees__role_known: [{ role: -1 }, { role: 2 }],
    event_attendees__status_known: [{ status: -1 }, { status: 4 }],
    event_attendees__user_or_visitor: [{ user_id: null }, { email: 'a@b.de' }],
    invitations__email_length: [
      { user_id: null, email: 'a@' },
      { user_id: null, email: createLongText(256) },
    ],
    invitations__user_or_guest: [{ user_id: null }, { email: 'a@b.de' }],
    bookings__guest_name_length: [{ guest_name: '' }, { guest_name: createLongText(256) }],
    bookings__guest_email_length: [{ guest_email: 'a@' }, { guest_email: createLongText(256) }],
    bookings__booking_info_length: [{ booking_info: '' }, { booking_info: createLongText(1001) }],
    bookings__of_one: [{ user_id: null }, { event_id: 1 }, { hold_id: 1 }],
    holds__kind_known: [{ kind: 'wish' }],
    holds__state_known: [{ state: 'lost', decided_at: DAY_BOUNDS[0] }],
    holds__decided: [{ state: 'lapsed' }, { decided_at: DAY_BOUNDS[0] }],
    holds__booked_if_approved: [{ booking_id: 1 }],
    holds__guest_name_length: [{ guest_name: '' }, { guest_name: createLongText(256) }],
    holds__guest_email_length: [{ guest_email: 'a@' }, { guest_email: createLongText(256) }],
    holds__booking_info_length: [{ booking_info: '' }, { booking_info: createLongText(1001) }],
    holds__title_length: [{ title: '' }, { title: createLongText(256) }],
    hold_attendees__email_length: [
      { user_id: null, email: 'a@' },
      { user_id: null, email: createLongText(256) },
    ],
    hold_attendees__name_length: [{ name: '' }, { name: createLongText(256) }],
    hold_attendees__user_or_guest: [{ user_id: null }, { email: 'a@b.de' }],
    holds__reason_length: [{ reason: '' }, { reason: createLongText(1001) }],
    team_days__date_finite: [{ date: 'infinity' }],
    team_days__weekday_known: [
      { date: null, weekday: 0 },
      { date: null, weekday: 8 },
    ],
    team_days__date_or_weekday: [{ weekday: 2 }, { date: null }],
    team_days__note_length: [{ note: '' }, { note: createLongText(256) }],
    absences__kind_known: [{ kind: 'lost' }],
    absences__days_finite: [
      { days: 'empty' },
      { days: '[2030-03-01,)' },
      { days: '(,2030-03-01)' },
      { days: '[-infinity,2030-03-01)' },
      { days: '[2030-03-01,infinity)' },
    ],
    loans__days_finite: [
      { days: 'empty' },
      { days: '[2030-03-01,)' },
      { days: '(,2030-03-01)' },
      { days: '[-infinity,2030-03-01)' },
      { days: '[2030-03-01,infinity)' },
    ],
    loans__days_limit: [{ days: '[2030-03-01,2031-03-03)' }],
    absences__days_limit: [{ days: '[2030-03-01,2033-03-06)' }],
    waits__state_known: [{ state: 'lost', ended_at: DAY_BOUNDS[0] }],
    waits__for_one: [{ location_id: 1 }, { bookable_id: null }, { type: 0 }],
    waits__ended: [{ state: 'taken' }, { ended_at: DAY_BOUNDS[0] }],
    admins__email_length: [{ email: 'a@' }, { email: createLongText(256) }],
    tokens__name_length: [{ name: '' }, { name: createLongText(256) }],
    tokens__abilities_known: [{ abilities: ['read', 'all'] }],
    tokens__building_ids_number: [{ building_ids: [] }],
    tokens__rate_limit_positive: [{ rate_limit_per_minute: 0 }],
    tokens__personal_expires: [{ user_id: 1 }],
    device_authorizations__client_length: [{ client_id: '' }, { client_id: createLongText(101) }],
    device_authorizations__name_length: [{ device_name: '' }, { device_name: createLongText(101) }],
    device_authorizations__abilities_known: [{ abilities: ['user-write'] }, { abilities: [] }],
    device_authorizations__approved: [{ user_id: 1 }],
    receipts__abandoned_without_outcome: [{ abandoned_at: new Date(), outcome: '{}' }],
    idempotency_keys__key_length: [{ key: '' }, { key: createLongText(256) }],
    jobs__state_known: [{ state: 'lost' }],
    jobs__name_accepted: [{ name: 'tokens.create' }],
    jobs__phase_known: [{ phase: 'lost' }],
    jobs__one_owner: [{ token_id: 1, admin_id: 1 }],
    jobs__progress_range: [{ progress: -1 }, { progress: 101 }],
    audit_log__actor_type_known: [{ actor_type: 'nobody' }],
    admins__role_known: [{ role: 'root' }],
    webhooks__url_length: [{ url: '' }, { url: createLongText(2_049) }],
    webhooks__description_length: [{ description: createLongText(256) }],
    calendars__of_one: [{ user_id: null }, { bookable_id: 1 }],
    calendars__names_known: [{ names: 'some' }, { names: 'full' }],
    screens__kind_known: [{ kind: 'roof' }],
    screens__name_length: [{ name: '' }, { name: createLongText(256) }],
    screens__names_known: [{ names: 'some' }],
    screens__appearance_known: [{ appearance: 'loud' }],
    screens__language_length: [{ language: 'x' }, { language: createLongText(36) }],
    screens__of_one: [{ bookable_id: null }, { building_id: 1 }, { kind: 'lobby' }],
    arrivals__of_one: [{ attendee_id: null }, { booking_id: 1 }],
    arrivals__walk_in: [{ attendee_id: null, host_id: 1 }, { visitor_name: 'Ada' }],
    arrivals__visitor_name_length: [{ visitor_name: '' }, { visitor_name: createLongText(256) }],
    mails__kind_known: [{ kind: 'greeting' }],
    mails__about_one: [{ webhook_id: null }, { link_hash: Buffer.from('x') }],
    mails__to_one: [{ admin_id: null }],
    person_languages__language_length: [{ language: 'x' }, { language: createLongText(36) }],
    person_settings__language_length: [{ language: 'x' }, { language: createLongText(36) }],
    mail_position__only: [{ is_only: false }],
    told_bookings__whole: [{ bookable_id: 1 }],
    push_position__only: [{ is_only: false }],
    pushed_bookings__whole: [{ bookable_id: 1 }],
    pushes__kind_known: [{ kind: 'confirmation' }],
    push_subscriptions__endpoint_length: [{ endpoint: '' }, { endpoint: createLongText(1_025) }],
    push_subscriptions__p256dh_length: [{ p256dh: '' }, { p256dh: createLongText(129) }],
    push_subscriptions__auth_length: [{ auth: '' }, { auth: createLongText(65) }],
    webhook_position__only: [{ is_only: false }],
    calendar_providers__known: [{ provider: 'exchange' }],
    room_calendars__provider_known: [{ provider: 'exchange' }],
    room_calendars__calendar_length: [{ calendar: '' }, { calendar: createLongText(1_001) }],
    room_calendars__names_known: [{ names: 'some' }],
    calendar_entries__decline_known: [{ decline: 'maybe' }],
    organizer_entries__provider_known: [{ provider: 'caldav' }],
    calendar_entries__id_or_key: [{ entry_id: null }],
    calendar_entries__event_or_booking: [{ event_id: 1, booking_id: 1 }],
    calendar_position__only: [{ is_only: false }],
    unknown_organizer__only: [{ is_only: false }],
    import_plan_rows__section_known: [{ section: 'lost' }],
    location_figures__period_known: [{ period: -1 }, { period: 3 }],
    bookable_figures__period_known: [{ period: -1 }, { period: 3 }],
  }
  const tableOf = (constraint: string) => constraint.split('__')[0] ?? ''

  for (const [constraint, rows] of Object.entries(broken)) {
    it(`refuses a row that violates ${constraint}`, async () => {
      for (const row of rows) expect(await refusing(tableOf(constraint), row)).to.equal(constraint)
    })
  }

  for (const table of ['bookings', 'events', 'holds', 'waits']) {
    const constraint = `${table}__during_half_open`
    it(`accepts a time range without an end: ${constraint}`, async () => {
      const [from, to] = DAY_BOUNDS
      for (const during of [
        range('[)', from, from),
        range('[]'),
        range('(]'),
        range('()'),
        range('[)', null, to),
        range('[)', '-infinity', to),
        range('[)', from, 'infinity'),
        range('[]', from, from),
        database.raw("'empty'::tstzrange"),
      ]) {
        expect(await refusing(table, { during }), during.toString()).to.equal(constraint)
      }
      const isOpenEndRefused = table === 'holds' || table === 'waits'
      expect(await refusing(table, { during: range('[)', from, null) })).to.equal(
        isOpenEndRefused ? constraint : undefined,
      )
      expect(await refusing(table, { during: range('[)', from, '2026-11-20T00:00:00.000001Z') })).to.equal(
        undefined,
      )
    })
  }

  it('is tested with a bad row for each check constraint', async () => {
    const { rows } = await database.raw(
      "SELECT conname FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype = 'c'",
    )
    const names = rows.map(({ conname }: { conname: string }) => conname)
    expect(names).to.have.members([
      ...Object.keys(broken),
      'bookings__during_half_open',
      'events__during_half_open',
      'holds__during_half_open',
      'waits__during_half_open',
    ])
  })

  it('measures text lengths in characters rather than bytes', async () => {
    const rows: Record<string, Row> = {
      users: { name: '🚀'.repeat(255) },
      bookables: {
        name: 'ß'.repeat(255),
        tags: Array.from({ length: 100 }, String),
        position_x: 0,
        position_y: 1,
      },
      events: { description: '字'.repeat(65_535) },
      bookings: { booking_info: 'ü'.repeat(1_000) },
    }
    for (const [table, row] of Object.entries(rows))
      expect(await refusing(table, row), table).to.equal(undefined)
  })

  describe('the claims of a single bookable', () => {
    const at = (from: string, to: string | null) => ({ during: range('[)', from, to) })
    const morning = () => at('2026-11-20T09:00:00Z', '2026-11-20T12:00:00Z')

    it('may touch, but must not overlap by even a microsecond', async () => {
      const next = (from: string) => at(from, '2026-11-20T13:00:00Z')
      expect(await refusing('bookings', morning(), next('2026-11-20T12:00:00Z'))).to.equal(undefined)
      const early = next('2026-11-20T11:59:59.999999Z')
      expect(await refusing('bookings', morning(), early)).to.equal('bookings__no_overlap')
    })

    it('must not contain each other, be equal, or overlap a range with an open end', async () => {
      for (const other of [
        morning(),
        at('2026-11-20T10:00:00Z', '2026-11-20T10:30:00Z'),
        at('2026-11-19T00:00:00Z', '2026-11-22T00:00:00Z'),
        at('2026-11-01T00:00:00Z', null),
      ]) {
        expect(await refusing('bookings', morning(), other)).to.equal('bookings__no_overlap')
        expect(await refusing('bookings', other, morning())).to.equal('bookings__no_overlap')
      }
    })

    it("conflict in the same way, whether they belong to a booking or to an event's room", async () => {
      const room = { ...morning(), user_id: null, event_id: ids.event }
      expect(await refusing('bookings', morning(), room)).to.equal('bookings__no_overlap')
    })

    it('may overlap if they are not exclusive, or are on different bookables', async () => {
      const shared = { ...morning(), exclusive: false }
      expect(await refusing('bookings', shared, shared, morning())).to.equal(undefined)
      const other = await createBookable(database)
      expect(await refusing('bookings', morning(), { ...morning(), bookable_id: other })).to.equal(undefined)
    })
  })

  it('refuses two users whose e-mails differ only in letter case, even if one is deactivated', async () => {
    expect(await refusing('users', { email: 'tAKEN@EXAMPLE.COM' })).to.equal('users__email_unique')
    expect(await refusing('users', { upn: 'tAKEN' })).to.equal('users__upn_unique')
    expect(await refusing('bookables', { integration_email: 'rOOM@example.com' })).to.equal(
      'bookables__integration_email_unique',
    )
    expect(await refusing('admins', {}, { email: 'ADMIN@example.com' })).to.equal('admins__email_unique')
  })

  it('accepts each person only once in an event', async () => {
    const visitor = { user_id: null, email: 'v@example.com' }
    expect(await refusing('event_attendees', {}, {})).to.equal('event_attendees__user_once')
    expect(await refusing('event_attendees', visitor, { ...visitor, email: 'V@example.com' })).to.equal(
      'event_attendees__visitor_once',
    )
  })

  it('refuses rows with an explicit id', async () => {
    const failure = await refusing('users', { id: 999 }).catch((error: Error) => error.message)
    expect(failure).to.match(/cannot insert a non-DEFAULT value into column "id"/)
  })
})
