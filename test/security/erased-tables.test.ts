// Checks erasure table by table: for each column with the id of a person, the test fills the column or gives a reason
// why not. The test fails for a new column until it is listed.
import { expect } from 'chai'
import { eraseUser } from '../../shared/erasures/erase-user.ts'
import {
  createAbsence,
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createGroup,
  createHold,
  createLoan,
  createUser,
  createVehicle,
  hoursFromNow,
} from '../support/factories.ts'
import { useWorld } from '../support/world.ts'

type PlantValue = (user: number, other: number) => Promise<unknown>

/** Columns without a foreign key that the erasing transaction leaves unchanged, with the reason. */
const UNCHANGED_COLUMNS = {
  'changed_user_texts.user_ids': 'for some minutes, until the text of the person is gone',
  'erasures.user_id': 'for about 20 minutes: who is being erased',
  'unknown_organizer.user_id': 'a user who stands for nobody, and whom nobody can erase',
  'import_plan_rows.user_id': 'a plan of then expires at once (test/security/erasure.test.ts)',
}

describe('erasing a person', () => {
  const world = useWorld({ workers: [] })
  const insert = (table: string, row: object) => world.database(table).insert(row)
  const soon = { from: hoursFromNow(30), to: hoursFromNow(31) }
  const past = { from: hoursFromNow(-31), to: hoursFromNow(-30) }
  const during = (span = soon) => world.database.raw('tstzrange(?, ?)', [span.from, span.to])
  const hash = Buffer.from('secret')
  const secret = { hash, expires_at: hoursFromNow(1) }

  const PLANTS: Record<string, PlantValue> = {
    'arrivals.host_id': async (host_id) => {
      const visit = { visitor_name: 'Vi', building_id: await createBuilding(world.database) }
      await insert('arrivals', { ...visit, host_id, arrived_at: past.from })
    },
    'bookable_assignees.user_id': async (user_id) =>
      insert('bookable_assignees', { user_id, bookable_id: await createBookable(world.database) }),
    'bookings.user_id': async (user_id) => {
      await createBooking(world.database, { user_id, ...soon })
      await createBooking(world.database, { user_id, ...past })
    },
    'bookings.booked_by_user_id': async (user_id, other) => {
      await createBooking(world.database, { user_id: other, ...soon, booked_by_user_id: user_id })
    },
    'calendars.user_id': (user_id) => insert('calendars', { user_id, hash }),
    'cancelled_bookings.user_id': async (user_id) => {
      const id = await createBooking(world.database, { user_id, ...soon })
      await world.database('bookings').where({ id }).delete()
    },
    'decision_links.user_id': async (user_id, other) => {
      const hold_id = await createHold(world.database, { ...soon, user_id: other })
      await insert('decision_links', { hash: Buffer.from('link'), user_id, hold_id, expires_at: soon.to })
    },
    'hold_attendees.user_id': async (user_id, other) => {
      const hold_id = await createHold(world.database, { ...soon, user_id: other, title: 'Kick-off' })
      await insert('hold_attendees', { hold_id, user_id })
    },
    'device_authorizations.user_id': (user_id) =>
      insert('device_authorizations', {
        device_code_hash: hash,
        user_code_hash: hash,
        client_id: 'cli',
        abilities: ['read'],
        user_id,
        decided_at: past.from,
        expires_at: soon.from,
      }),
    'event_attendees.user_id': async (user_id) =>
      insert('event_attendees', { user_id, event_id: await createEvent(world.database, soon) }),
    'events.organizer_user_id': async (organizer_user_id) => {
      await createEvent(world.database, { organizer_user_id, ...soon })
      await createEvent(world.database, { organizer_user_id, ...past })
    },
    'favourite_colleagues.colleague_id': (colleague_id, user_id) =>
      insert('favourite_colleagues', { user_id, colleague_id }),
    'favourite_colleagues.user_id': (user_id, colleague_id) =>
      insert('favourite_colleagues', { user_id, colleague_id }),
    'group_leads.user_id': async (user_id) => {
      const group_id = await createGroup(world.database)
      await insert('group_members', { user_id, group_id })
      await insert('group_leads', { user_id, group_id })
    },
    'group_members.user_id': async (user_id) =>
      insert('group_members', { user_id, group_id: await createGroup(world.database) }),
    'holds.decided_by_user_id': (decided_by_user_id) =>
      createHold(world.database, { ...past, ...decided, decided_by_user_id }),
    'holds.user_id': async (user_id) => {
      await createHold(world.database, { ...soon, user_id })
      await createHold(world.database, { ...past, ...decided, user_id })
    },
    'invitations.user_id': async (user_id) =>
      insert('invitations', { user_id, event_id: await createEvent(world.database, soon) }),
    'mails.user_id': (user_id) => insert('mails', { kind: 'confirmation', user_id, booking_ids: [1] }),
    'person_sessions.user_id': (user_id) => insert('person_sessions', { user_id, ...secret }),
    'person_languages.user_id': (user_id) => insert('person_languages', { user_id, language: 'de' }),
    'person_settings.user_id': (user_id) => insert('person_settings', { user_id, visibility: 'nobody' }),
    'push_subscriptions.user_id': async (user_id) => {
      const session_hash = Buffer.from('browser')
      await insert('person_sessions', { user_id, ...secret, hash: session_hash })
      await insert('push_subscriptions', {
        user_id,
        session_hash,
        endpoint: 'https://push.example/1',
        p256dh: 'x',
        auth: 'x',
      })
    },
    'pushed_bookings.user_id': (user_id) => insert('pushed_bookings', { user_id, booking_id: 1 }),
    'pushes.user_id': (user_id) => insert('pushes', { kind: 'reminder', user_id }),
    'provisioned_users.user_id': (user_id) => insert('provisioned_users', { user_id, family_name: 'B' }),
    'refused_bookings.user_id': async (user_id) =>
      insert('refused_bookings', {
        at: past.from,
        user_id,
        bookable_id: await createBookable(world.database),
        during: during(),
        code: 'booking_conflict',
        detail: '{"text":"Taken."}',
        actor_type: 'user',
        actor_id: user_id,
      }),
    'screens.booking_user_id': async (booking_user_id) =>
      insert('screens', {
        kind: 'door',
        name: 'Door',
        hash,
        names: 'none',
        appearance: 'light',
        language: 'en',
        booking_user_id,
        bookable_id: await createBookable(world.database),
      }),
    'sign_in_links.user_id': (user_id) => insert('sign_in_links', { user_id, ...secret }),
    'told_bookings.user_id': (user_id) => insert('told_bookings', { user_id, booking_id: 1 }),
    'tokens.user_id': (user_id) =>
      insert('tokens', { user_id, name: 'Own', hash, abilities: [], created_by: 'x', expires_at: soon.from }),
    'user_pictures.user_id': (user_id) =>
      insert('user_pictures', { user_id, source: 'provider', provider_url: 'https://pictures.example/b' }),
    'user_texts.user_id': (user_id) =>
      world.database('user_texts').insert({ user_id, text: 'b' }).onConflict('user_id').merge(),
    'vehicles.user_id': (user_id) => createVehicle(world.database, { user_id }),
    'loans.user_id': async (user_id) =>
      createLoan(world.database, {
        user_id,
        bookable_id: await createBookable(world.database),
        days: '[2030-03-01,2030-03-15)',
      }),
    'absences.user_id': (user_id) =>
      createAbsence(world.database, { user_id, days: '[2030-03-01,2030-03-15)' }),
    'waits.user_id': async (user_id) => {
      const [bookable_id, hold_id] = [
        await createBookable(world.database),
        await createHold(world.database, { ...soon, kind: 'offer', user_id }),
      ]
      await insert('waits', { user_id, bookable_id, during: during() })
      await insert('waits', { user_id, bookable_id, during: during(past), state: 'offered', hold_id })
    },
  }
  const decided = { state: 'declined', decided_at: past.from }

  async function findColumns(): Promise<string[]> {
    const { rows } = await world.database.raw<{ rows: Array<{ name: string }> }>(
      `SELECT pg_class.relname || '.' || attname AS name
       FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
       WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND (
         attname ~ '(user_id|user_ids|colleague_id)$' OR EXISTS (
           SELECT FROM pg_constraint
           WHERE conrelid = pg_class.oid AND confrelid = 'users'::regclass AND conkey = ARRAY[attnum]))
       ORDER BY 1`,
    )
    return rows.map(({ name }) => name)
  }
  async function findLeft(id: number): Promise<string[]> {
    const left: string[] = []
    for (const name of Object.keys(PLANTS)) {
      const [table = '', column = ''] = name.split('.')
      if (await world.database(table).where(column, id).first()) left.push(name)
    }
    return left
  }

  it('leaves the person’s id in no column of any table', async () => {
    const columns = await findColumns()
    expect([...Object.keys(PLANTS), ...Object.keys(UNCHANGED_COLUMNS)].sort()).to.deep.equal(columns.sort())
    const [id, other] = [await createUser(world.database), await createUser(world.database)]
    for (const plant of Object.values(PLANTS)) await plant(id, other)
    expect(await findLeft(id)).to.deep.equal(Object.keys(PLANTS))
    const author = {
      actor: { type: 'system' as const, id: null, name: 'test' },
      requestId: 'erase',
      attempt: null,
    }
    await world.database.transaction((trx) => eraseUser(trx, { id, now: hoursFromNow(0) }, author))
    expect(await findLeft(id)).to.deep.equal([])
  })
})
