// Stores the name, e-mail and plate of a user wherever possible, and erases the user. Then searches every
// database row and every Redis key for these values.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { BOOKABLE_STATUSES } from '../../shared/bookables/bookables.ts'
import { lockImports } from '../../shared/imports/import-lock.ts'
import { openQueue } from '../../shared/runtime/queues.ts'
import { QUEUES, type QueueName } from '../../shared/schemas/job.ts'
import { createLog } from '../../shared/utilities/log.ts'
import { anonymizeOldBookings, warnAboutAuditLog } from '../../workers/pollers/erasures/old-bookings.ts'
import {
  containsPersonalDataSql,
  containsTermSql,
  createPayloadPattern,
  createTermValues,
} from '../../workers/pollers/erasures/patterns.ts'
import { searchErasures } from '../../workers/pollers/erasures/search.ts'
import { runUpkeep } from '../../workers/pollers/upkeep.ts'
import { ADMIN_ACTOR, readAudit, useAdmin } from '../support/dashboard/admin.ts'
import { createFastHash } from '../support/dashboard/administrators.ts'
import { createDelivery, createWebhook } from '../support/dashboard/webhook-examples.ts'
import { KEYS } from '../support/databases.ts'
import {
  createBookable,
  createBooking,
  createDesk,
  createEvent,
  createHold,
  createUser,
  hoursFromNow,
} from '../support/factories.ts'
import { countLockWaits, ownIdentity } from '../support/faults/pipeline.ts'
import { openRedis } from '../support/redis.ts'
import { eventually } from '../support/time.ts'
import { useWith } from '../support/use.ts'
import { useClient, useWorld } from '../support/world.ts'
import { findPlanted, PLANTED_VALUES, STEM } from './support/marks.ts'
import { readRedisContents } from './support/redis-contents.ts'

const silent = createLog('test', 'silent')

describe('erasing a user', function suite() {
  this.timeout(300_000)
  // Starts no upkeep worker, because the tests run upkeep themselves. The rate limit allows polling.
  const world = useWorld({
    workers: ['writes', 'imports', 'exports'],
    environment: { RATE_LIMIT_PER_MINUTE: '100000' },
  })
  const client = useClient(world)
  const admin = useAdmin(world)
  const redis = useWith(
    world,
    () => openRedis(world.config),
    (connection) => connection.disconnect(),
  )
  const queues = useWith(
    world,
    () => QUEUES.map((name) => openQueue(name, redis, KEYS)),
    (all) => Promise.all(all.map((queue) => queue.close())),
  )
  const queueOf = (name: QueueName) => queues[QUEUES.indexOf(name)] ?? expect.fail(name)
  const upkeep = (task: string) =>
    runUpkeep(task, { database: world.database, identity: ownIdentity, log: silent }, queueOf, world.config)

  /** Returns every row that contains a planted value, by table. */
  async function searchDatabase(): Promise<Record<string, string[]>> {
    const { database } = world
    const found: Record<string, string[]> = {}
    const { rows: tables } = await database.raw(
      "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1",
    )
    for (const { name } of tables) {
      const { rows } = await database.raw(`SELECT row::text AS text FROM "${name}" AS row`)
      const planted = rows.flatMap(({ text }: { text: string }) => findPlanted(text))
      if (planted.length > 0) found[name] = planted
    }
    return found
  }

  /** Makes all data expire that would expire within an hour. */
  async function settle() {
    for (const table of ['erasures', 'receipts', 'files', 'import_plans', 'jobs'])
      await world
        .database(table)
        .update({ created_at: world.database.raw("created_at - interval '20 minutes'") })
    await world
      .database('erasures')
      .update({ searched_at: world.database.raw("searched_at - interval '20 minutes'") })
  }

  // Stores responses of a webhook receiver that echoes the request body.
  async function plantAnswer(webhook: number) {
    const answer = JSON.stringify({
      received: { user: { name: PLANTED_VALUES.name, email: PLANTED_VALUES.email } },
    })
    for (const each of [answer, 'thank you'])
      await createDelivery(world.database, webhook, { answer: each, status: 200, took_ms: 1 })
  }

  async function plant() {
    const { database } = world
    const person = {
      email: PLANTED_VALUES.email,
      upn: PLANTED_VALUES.upn,
      license_plates: [PLANTED_VALUES.plate, `${STEM} 2`],
    }
    const made = await admin.ask('users.create', { ...person, name: `${STEM} Byron`, groups: ['Sales'] })
    const user_id: number = made.json.data.id
    await admin.ask('users.edit', { id: user_id, name: PLANTED_VALUES.name })
    const vehicle_id = (await database('vehicles').where({ user_id }).first('id')).id
    const other = await createDesk(database)
    const desk = await createBookable(database, { location_id: other.location_id })
    const spot = await createBookable(database, { location_id: other.location_id, type: 1 })
    const room = await createBookable(database, { location_id: other.location_id, type: 2 })
    const [assigned, shared] = [await createBookable(database), await createBookable(database)]
    for (const [id, user] of [
      [assigned, user_id],
      [shared, user_id],
      [shared, other.user_id],
    ])
      expect((await admin.ask('bookables.assign', { id, user_id: user })).status).to.equal(200)
    const guest = {
      guest_name: PLANTED_VALUES.guest,
      guest_email: PLANTED_VALUES.guestEmail,
      booking_info: PLANTED_VALUES.note,
    }
    const book = async (bookable_id: number, from: number, more: object) => {
      const times = { from_time: hoursFromNow(from), to_time: hoursFromNow(from + 1) }
      const body = { bookable_id, location_id: other.location_id, ...times, ...more }
      const answer = await client.post('bookings', body, {
        'Idempotency-Key': `${randomUUID()}/${PLANTED_VALUES.email}`,
      })
      expect(answer.status, answer.text).to.equal(200)
      return answer.json.data[0].id as number
    }
    const upcoming = await book(desk, 3, { user_id, ...guest })
    await book(spot, 3, { user_id, user_vehicle_id: vehicle_id })
    await client.delete(`bookings/${await book(desk, 9, { user_id, ...guest })}`)
    const past = await createBooking(database, {
      bookable_id: desk,
      user_id,
      vehicle_id,
      ...guest,
      license_plate: PLANTED_VALUES.plate,
      from: hoursFromNow(-50),
      to: hoursFromNow(-49),
    })
    const current = await createBooking(database, {
      bookable_id: spot,
      user_id,
      from: hoursFromNow(-3),
      to: null,
      exclusive: false,
    })
    const theirs = await book(other.bookable_id, 3, {
      user_id: other.user_id,
      guest_email: PLANTED_VALUES.email.toUpperCase(),
    })
    await book(other.bookable_id, 5, {
      user_id: other.user_id,
      booking_info: `with\n${PLANTED_VALUES.name} of Sales`,
    })
    const times = { from_time: hoursFromNow(6), to_time: hoursFromNow(7) }
    const meet = async (name: string, organizer_user_id: number, attendees: object[]) => {
      const answer = await client.post('events', { name, organizer_user_id, attendees, ...times })
      expect(answer.status, answer.text).to.equal(200)
      return answer.json.data.id as number
    }
    const organized = await meet(`${STEM} meeting`, user_id, [
      { type: 'bookable', id: room },
      { type: 'visitor', email: PLANTED_VALUES.visitor },
    ])
    const attended = await meet('Planning', other.user_id, [{ type: 'user', id: user_id }])
    await meet(`About ${PLANTED_VALUES.name}`, other.user_id, [
      { type: 'visitor', email: `${STEM}.ADA@example.com` },
    ])
    const held = await createEvent(database, {
      name: `${STEM} review`,
      description: PLANTED_VALUES.note,
      organizer_user_id: user_id,
      from: hoursFromNow(-30),
      to: hoursFromNow(-29),
    })
    await database('event_attendees').insert({ event_id: held, user_id, role: 0, status: 1 })
    await plantAnswer(await createWebhook(database, { description: `Calendar of ${PLANTED_VALUES.name}` }))
    await database('users')
      .where({ id: other.user_id })
      .update({
        extension_attributes: {
          extensionAttribute1: `with ${PLANTED_VALUES.name}`,
          extensionAttribute2: 'Sales',
        },
      })
    await plantOwnPages(user_id, other.user_id)
    await plantInvitations({ organized, attended }, other.user_id)
    return { user_id, other, assigned, shared, upcoming, past, current, theirs, organized, attended, held }
  }

  async function plantInvitations(events: { organized: number; attended: number }, colleague_id: number) {
    const { organized, attended } = events
    const { database } = world
    const told = { name: `${STEM} meeting`, description: PLANTED_VALUES.note, organizer: PLANTED_VALUES.name }
    const of = {
      name: `About ${PLANTED_VALUES.name}`,
      description: PLANTED_VALUES.name,
      organizer: PLANTED_VALUES.name,
      organizerEmail: PLANTED_VALUES.email,
    }
    await database('invitations').insert([
      { event_id: organized, email: PLANTED_VALUES.visitor, told: JSON.stringify(told) },
      { event_id: organized, user_id: colleague_id, told: JSON.stringify(told) },
      { event_id: attended, user_id: colleague_id, told: JSON.stringify(of) },
    ])
    // The user was invited as a guest: with a link that answers, and with a mail that is still waiting.
    const [{ id: invitation_id }] = await database('invitations')
      .insert({ event_id: attended, email: `${STEM}.ADA@example.com` })
      .returning('id')
    await database('answer_links').insert({
      hash: Buffer.from('answer'),
      invitation_id,
      expires_at: new Date(Date.now() + 3_600_000),
    })
    await database('mails').insert({
      kind: 'meeting',
      invitation_id,
      next_at: new Date(Date.now() + 3_600_000),
    })
    await database('event_attendees').insert({
      event_id: attended,
      email: 'guest@visitor.example',
      name: PLANTED_VALUES.name,
    })
    await database('event_attendees')
      .where({ event_id: attended, user_id: colleague_id })
      .update({ name: PLANTED_VALUES.name })
    const requested = {
      user_id: colleague_id,
      title: 'Planning',
      from: hoursFromNow(40),
      to: hoursFromNow(41),
    }
    const hold_id = await createHold(database, requested)
    await database('hold_attendees').insert({ hold_id, user_id: colleague_id, name: PLANTED_VALUES.name })
  }

  async function plantOwnPages(user_id: number, colleague_id: number) {
    const { database } = world
    const secret = { user_id, hash: Buffer.from('own'), expires_at: new Date(Date.now() + 3_600_000) }
    await database('person_sessions').insert({ ...secret, user_agent: PLANTED_VALUES.name })
    await database('sign_in_links').insert(secret)
    await database('person_settings').insert({ user_id, visibility: 'nobody' })
    await database('person_languages').insert({ user_id, language: 'de' })
    await database('favourite_colleagues').insert([
      { user_id, colleague_id },
      { user_id: colleague_id, colleague_id: user_id },
    ])
  }

  async function plantElsewhere(user_id: number) {
    const { database } = world
    const list = `email,name,license_plates\n${PLANTED_VALUES.email},${PLANTED_VALUES.name},${PLANTED_VALUES.plate}\n${PLANTED_VALUES.name} is none,x,\n`
    const later = { Prefer: 'respond-async', 'Idempotency-Key': `later/${PLANTED_VALUES.email}` }
    const accepted = [
      await client.import(list, { filename: `${PLANTED_VALUES.name}.csv`, dry_run: 'true' }, later),
      await client.get('users/export?format=csv', {
        ...later,
        'Idempotency-Key': `csv/${PLANTED_VALUES.email}`,
      }),
      // The search cannot look into an xlsx file, whose content is compressed.
      await client.get('users/export?format=xlsx', {
        ...later,
        'Idempotency-Key': `xlsx/${PLANTED_VALUES.email}`,
      }),
    ]
    await client.import(list, { filename: `${PLANTED_VALUES.name}.csv`, dry_run: 'true' })
    for (const { status, headers } of accepted) {
      expect(status).to.equal(202)
      const { pathname } = new URL(headers.get('Location') ?? '')
      await eventually(
        async () => expect((await client.get(pathname)).json.data.state).to.equal('done'),
        60_000,
      )
    }
    const id = randomUUID()
    const expires_at = new Date(Date.now() + 3_600_000)
    await database('import_plans').insert({ id, digest: 'x', header: ['email'], counts: '{}', expires_at })
    const cells = [PLANTED_VALUES.email, PLANTED_VALUES.name]
    await database('import_plan_rows').insert({ plan_id: id, section: 'change', ordinal: 1, user_id, cells })
    const account = {
      email: PLANTED_VALUES.email,
      password_hash: createFastHash('x'),
      disabled_at: new Date(),
    }
    const [{ id: admin_id }] = await database('admins').insert(account).returning('id')
    await database('sessions').insert({ hash: Buffer.from('x'), admin_id, expires_at, user_agent: STEM })
    const token = {
      name: `of ${PLANTED_VALUES.name}`,
      hash: Buffer.from('x'),
      abilities: [],
      created_by: PLANTED_VALUES.email,
    }
    await database('tokens').insert(token)
    await queueOf('writes').add(
      'users.edit',
      { input: { id: user_id, name: PLANTED_VALUES.name } },
      { jobId: randomUUID() },
    )
    await eventually(async () => expect(await queueOf('writes').getJobCountByTypes('failed')).to.equal(1))
    const [failed] = await queueOf('writes').getFailed()
    await redis.hset(
      queueOf('writes').toKey(failed?.id ?? ''),
      'failedReason',
      `${PLANTED_VALUES.name} is none`,
    )
  }

  it('leaves no trace of the user in any database row or Redis key', async () => {
    const { database } = world
    const planted = await plant()
    await plantElsewhere(planted.user_id)
    const before = await searchDatabase()
    expect(Object.keys(before)).to.include.members([
      'admins',
      'audit_log',
      'bookings',
      'event_attendees',
      'events',
      'file_chunks',
      'idempotency_keys',
      'import_plan_rows',
      'invitations',
      'jobs',
      'person_sessions',
      'receipts',
      'sessions',
      'tokens',
      'users',
      'vehicles',
      'webhooks',
      'webhook_deliveries',
    ])
    expect(findPlanted(await readRedisContents(redis))).to.not.deep.equal([])

    const { status, json } = await admin.ask('users.erase', { id: planted.user_id }, { requestId: 'erase' })
    const counts = {
      cancelledBookings: 2,
      endedBookings: 1,
      anonymousBookings: 2,
      vehicles: 2,
      cancelledEvents: 1,
      anonymousEvents: 2,
      attendances: 1,
      assignments: 2,
    }
    expect({ status, json }).to.deep.equal({ status: 200, json: { data: counts } })
    await upkeep('upkeep.erase')
    // Invitations to meetings of the user stay until everybody has got the mail about the cancellation.
    await upkeep('upkeep.sweep')
    expect(await database('invitations').where({ event_id: planted.organized })).to.have.length(2)
    await database('invitations').update({ told: null })
    const passing = [
      'erasures',
      'file_chunks',
      'idempotency_keys',
      'import_plan_rows',
      'invitations',
      'jobs',
      'receipts',
    ]
    expect(Object.keys(await searchDatabase()).filter((table) => !passing.includes(table))).to.deep.equal([])
    await settle()
    await upkeep('upkeep.erase')
    await upkeep('upkeep.sweep')
    expect(await searchDatabase()).to.deep.equal({})
    expect(findPlanted(await readRedisContents(redis))).to.deep.equal([])
    expect(await database('answer_links')).to.deep.equal([])
    expect(await database('mails').whereNotNull('invitation_id')).to.deep.equal([])
    const ownPages = [
      'favourite_colleagues',
      'person_languages',
      'person_sessions',
      'person_settings',
      'sign_in_links',
    ]
    for (const table of ['erasures', 'files', ...ownPages]) expect(await database(table)).to.deep.equal([])

    const entries = await readAudit(world, 'erase')
    expect(entries.map(({ action, resource_id }) => [action, Number(resource_id)])).to.deep.equal([
      ['bookables.unassign', planted.assigned],
      ['bookables.unassign', planted.shared],
      ['users.erase', planted.user_id],
    ])
    expect(entries.at(-1)).to.deep.include({ actor_name: ADMIN_ACTOR.name, before: null, after: counts })
    const kept = await database('audit_log').where({ action: 'users.edit' }).first('before', 'after')
    expect(kept).to.deep.equal({ before: { erased: true }, after: { erased: true } })
    await staysAsFigures(planted)
  })

  async function staysAsFigures(planted: Awaited<ReturnType<typeof plant>>) {
    const { database } = world
    const { id: anonymous } = await database('users').where({ is_anonymous: true }).first('id')
    const bookings = await database('bookings').where({ user_id: anonymous }).orderBy('id').pluck('id')
    expect(bookings).to.have.members([planted.past, planted.current])
    expect(await database('bookings').where({ id: planted.upcoming })).to.deep.equal([])
    expect(
      await database('bookings').where({ event_id: planted.organized }),
      'its room is free',
    ).to.deep.equal([])
    const statusOf = async (id: number) => (await database('bookables').where({ id }).first('status')).status
    expect(await statusOf(planted.assigned)).to.equal(BOOKABLE_STATUSES.flexible)
    expect(await statusOf(planted.shared)).to.equal(BOOKABLE_STATUSES.assigned)
    const week = `from=${hoursFromNow(-60)}&to=${hoursFromNow(24)}`
    const listed = (await client.get(`bookings?${week}`)).json.data
    const past = listed.find(({ id }: { id: number }) => id === planted.past)
    expect(past.user).to.include({ id: anonymous, name: 'Anonymous' })
    expect(past.guest).to.equal(null)
    const current = await database('bookings').where({ id: planted.current }).first()
    expect(current.during, 'it ended').to.not.match(/,\)$/)
    expect((await client.get(`events/${planted.organized}`)).json.data).to.deep.include({
      status: 2,
      name: 'Event',
    })
    const { attendees, name } = (await client.get(`events/${planted.attended}`)).json.data
    expect([name, attendees.length]).to.deep.equal(['Planning', 1])
    const { extension_attributes } = await database('users').where({ id: planted.other.user_id }).first()
    expect(extension_attributes, 'of others: what names nobody').to.deep.equal({
      extensionAttribute2: 'Sales',
    })
    expect((await client.get(`users/${planted.other.user_id}`)).status).to.equal(200)
    const theirs = listed.find(({ id }: { id: number }) => id === planted.theirs)
    expect([theirs.user.id, theirs.guest]).to.deep.equal([planted.other.user_id, null])
  }

  it('keeps invitations until the mails about cancellations are sent, or for a week', async () => {
    const { database } = world
    const attendee = await createUser(database)
    const eraseOrganizer = async () => {
      const organizer_user_id = await createUser(database)
      const span = { from: hoursFromNow(48), to: hoursFromNow(49) }
      const event_id = await createEvent(database, { organizer_user_id, ...span })
      await database('event_attendees').insert({ event_id, user_id: attendee })
      const told = JSON.stringify({ to: span.to })
      await database('invitations').insert({ event_id, user_id: attendee, told })
      await admin.ask('users.erase', { id: organizer_user_id })
      await upkeep('upkeep.erase')
      return event_id
    }
    const first = await eraseOrganizer()
    await settle()
    const second = await eraseOrganizer()
    const clean = async () => {
      await upkeep('upkeep.erase')
      await upkeep('upkeep.sweep')
      return database('invitations').whereIn('event_id', [first, second]).orderBy('id').pluck('event_id')
    }
    expect(await clean()).to.deep.equal([first, second])
    // The mail has been sent.
    await database('invitations').where({ event_id: first }).update({ told: null })
    expect(await clean()).to.deep.equal([second])
    const eightDaysAgo = hoursFromNow(-8 * 24)
    await database('events').where({ id: second }).update({ updated_at: eightDaysAgo })
    expect(await clean()).to.deep.equal([])
  })

  it('leaves one anonymous user, which nobody can edit, restore, erase, find or import', async () => {
    const { database } = world
    for (let number = 0; number < 2; number++)
      expect((await admin.ask('users.erase', { id: await createUser(database) })).status).to.equal(200)
    const [{ id, email }, ...others] = await database('users').where({ is_anonymous: true })
    expect(others).to.deep.equal([])
    expect((await admin.ask('users.edit', { id, name: 'Somebody' })).status).to.equal(404)
    for (const name of ['users.restore', 'users.deactivate'] as const)
      expect((await admin.ask(name, { ids: [id] })).status, name).to.equal(422)
    expect((await admin.ask('users.erase', { id })).status).to.equal(404)
    expect((await client.get(`users/${id}`)).status).to.equal(404)
    const list = `email,name\n${email},Somebody\n`
    const { json } = await client.import(list, { update: 'true', restore: 'true' })
    expect([json.updated, json.skipped]).to.deep.equal([[], [2]])
    expect(await database('users').where({ id }).first()).to.include({ name: 'Anonymous' })
  })

  it('is refused for administrators and unknown users, and for everyone during an import', async () => {
    const { database } = world
    const id = await createUser(database, { email: 'Boss@example.com' })
    await database('admins').insert({ email: 'boss@example.com', password_hash: createFastHash('x') })
    const refused = await admin.ask('users.erase', { id })
    expect([refused.status, refused.json.code]).to.deep.equal([409, 'in_use'])
    expect(refused.json.detail).to.include('This user is an administrator. Disable the administrator first')
    await database.transaction(async (trx) => {
      await lockImports(trx)
      expect((await admin.ask('users.erase', { id })).json.code).to.equal('import_running')
    })
    expect(await database('users').where({ id })).to.have.length(1)
    expect((await admin.ask('users.erase', { id: 999_999 })).status).to.equal(404)
    expect(await database('erasures').where({ user_id: id })).to.deep.equal([])
  })

  it('waits for a booking that is just being made for the user, so that no booking is left', async () => {
    const { database } = world
    const id = await createUser(database)
    const bookable_id = await createBookable(database)
    let erased: ReturnType<typeof admin.ask> | undefined
    await database.transaction(async (trx) => {
      await createBooking(trx, { user_id: id, bookable_id, from: hoursFromNow(1), to: hoursFromNow(2) })
      erased = admin.ask('users.erase', { id })
      await eventually(async () => {
        const { rows } = await database.raw(
          "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
        )
        expect(rows).to.have.length(1)
      })
    })
    const answer = await erased
    expect(answer?.json.data).to.include({ cancelledBookings: 1 })
    expect(await database('bookings').where({ bookable_id })).to.deep.equal([])
  })

  it('cancels a booking even if another write moves it from now to a later time first', async () => {
    const { database } = world
    const user_id = await createUser(database)
    const bookable_id = await createBookable(database)
    const running = { from: hoursFromNow(-1), to: hoursFromNow(1) }
    const id = await createBooking(database, { user_id, bookable_id, ...running })
    const trx = await database.transaction()
    await trx('bookings')
      .where({ id })
      .update({ during: `[${hoursFromNow(24)},${hoursFromNow(26)})` })
    const erased = admin.ask('users.erase', { id: user_id })
    await eventually(async () => expect(await countLockWaits(world)).to.equal(1))
    await trx.commit()
    expect((await erased).json.data).to.include({ cancelledBookings: 1, anonymousBookings: 0 })
    expect(await database('bookings').where({ bookable_id })).to.deep.equal([])
  })

  it('does not remove names that other people share, or parts of other words', async () => {
    const { database } = world
    const user = { name: 'Jo', email: 'jo+x@example.com' }
    const id = await createUser(database, user)
    await createUser(database, { name: 'JO' })
    await admin.ask('users.erase', { id })
    const { terms } = await database('erasures').where({ user_id: id }).first()
    expect(terms).to.deep.equal(['jo+x@example.com'])
    const words = { names: ['Jo B', 'O"Neil C', 'jo+x@example.com', 'B-ER (7)\\*'], userId: 7 }
    const pattern = createPayloadPattern({ terms: words.names, userId: 7 })
    const texts: Array<[string, boolean]> = [
      ...(['jo b', 'Hello JO B!', 'a jo+x@EXAMPLE.com', 'B-ER (7)\\*'] as const).map(
        (text): [string, boolean] => [text, true],
      ),
      [JSON.stringify({ info: 'with\nJo B' }), true],
      [JSON.stringify({ body: JSON.stringify({ name: 'o"neil c' }) }), true],
      ['Jo Barnes', false],
      ['banjo b', false],
      ['bjo+x@example.com.br', false],
      ['ajo+x@example.comx', false],
      ['B-ER 7', false],
    ]
    for (const [text, isFound] of texts) {
      expect(pattern.test(text), text).to.equal(isFound)
      const { rows } = await database.raw(`SELECT ${containsTermSql('CAST(:text AS text)')} AS found`, {
        ...createTermValues(words.names),
        text,
      })
      expect(rows[0].found, `${text} in Postgres`).to.equal(isFound)
    }
    expect(pattern.test('{"user_id":7,"x":1}') && !pattern.test('{"user_id":77}')).to.equal(true)
    const { rows } = await database.raw(
      `SELECT ${containsTermSql("'anything'")} OR ${containsTermSql("''")} AS found`,
      createTermValues([]),
    )
    expect(rows[0].found, 'nothing is looked for').to.equal(false)
  })

  it('does not search for empty names, and continues its search after later writes', async () => {
    const { database } = world
    const id = await createUser(database, { name: 'Ada King', email: 'ada.king@example.com' })
    for (const license_plate of ['1', '4711', 'B-ER 9'])
      await database('vehicles').insert({ user_id: id, license_plate })
    const other = await createDesk(database)
    const times = { from_time: hoursFromNow(6), to_time: hoursFromNow(7) }
    const key = { 'Idempotency-Key': 'order-1' }
    const body = { ...other, ...times, booking_info: 'room 1', guest_email: 'guest@example.com' }
    const first = await client.post('bookings', body, key)
    const meeting = { name: 'With Ada King', organizer_user_id: other.user_id, attendees: [], ...times }
    const createMeeting = () => client.post('events', meeting, { 'Idempotency-Key': 'order-2' })
    expect((await createMeeting()).status).to.equal(200)
    const later = { from_time: hoursFromNow(8), to_time: hoursFromNow(9) }
    const byTheirKey = () =>
      client.post('bookings', { ...body, ...later }, { 'Idempotency-Key': 'desk/ada.king@example.com' })
    const byKey = await byTheirKey()
    expect(byKey.status).to.equal(200)
    expect((await admin.ask('users.erase', { id })).status).to.equal(200)
    const { terms } = await database('erasures').where({ user_id: id }).first()
    expect(terms).to.have.members(['B-ER 9', 'Ada King', 'ada.king@example.com'])
    const made = { created_at: database.raw("created_at + interval '1 minute'") }
    const file = { id: randomUUID(), name: 'x', expires_at: new Date(Date.now() + 86_400_000) }
    await database('files').insert(file)
    await database('files').where({ id: file.id }).update(made)
    await upkeep('upkeep.erase')
    await settle()
    const hour = 3_600_000
    const ofThen = { jobId: 'then', timestamp: Date.now() - hour, delay: 2 * hour }
    const waiting = await queueOf('imports').add('users.import', { input: { file_id: file.id } }, ofThen)
    await upkeep('upkeep.erase')
    await upkeep('upkeep.sweep')
    expect(await database('files').where({ id: file.id }), 'of an import that waits').to.have.length(1)
    await waiting.remove()
    await settle()
    await queueOf('upkeep').add('later', { info: 'Ada King' }, { jobId: 'later', delay: 60_000 })
    await upkeep('upkeep.erase')
    await upkeep('upkeep.sweep')
    expect(await database('erasures').where({ user_id: id }), 'it is over').to.deep.equal([])
    expect(await database('files').where({ id: file.id }), 'of while it was erased').to.deep.equal([])
    const { id: bookingId } = first.json.data[0]
    expect((await database('bookings').where({ id: bookingId }).first()).booking_info).to.equal('room 1')
    expect(await database('idempotency_keys').where({ key: 'order-1' })).to.have.length(1)
    expect((await createMeeting()).status, 'as documented').to.equal(404)
    const repeated = await byTheirKey()
    expect([repeated.text, repeated.headers.get('Idempotency-Replayed')]).to.deep.equal([byKey.text, 'true'])
    expect(await database('idempotency_keys').whereLike('key', '%king%')).to.deep.equal([])
  })

  it('removes a one-word name only from name fields, and never from JSON keys', async () => {
    const { database } = world
    const other = await createDesk(database)
    const names = ['Guest', 'Token', 'Event']
    const ids: number[] = []
    for (const name of names)
      ids.push(await createUser(database, { name, email: `${name}.x7@example.com`, upn: `${name}2_id` }))
    await database('vehicles').insert({ user_id: ids[0], license_plate: 'xx9' })
    const named = { user: { xx9: 1 }, name: 'Event', guest: 'a guest', note: 'their guest', token: ['Token'] }
    const entry = { action: 'desks.x', resource: 'bookables', actor_type: 'admin', actor_name: 'Token' }
    const guest = { guest_name: 'our Guest', guest_email: 'anna@example.com', booking_info: 'x' }
    await database('audit_log').insert([
      { ...entry, request_id: 'keys', before: named, after: null },
      { ...entry, request_id: 'guest', before: guest, after: null },
    ])
    const times = { from: hoursFromNow(40), to: hoursFromNow(41) }
    const book = (row: object) => createBooking(database, { ...times, user_id: other.user_id, ...row })
    const strangers = { guest_name: 'Guests', guest_email: 'guest@example.com', booking_info: 'a guest' }
    const [kept, emptied] = [await book(strangers), await book(guest)]
    const event = await createEvent(database, { ...times, organizer_user_id: other.user_id, name: 'Event' })
    for (const id of ids) expect((await admin.ask('users.erase', { id })).status).to.equal(200)
    await upkeep('upkeep.erase')
    const log = await database('audit_log').whereIn('request_id', ['keys', 'guest']).orderBy('id')
    expect(log.map(({ actor_name, before }) => [actor_name, before])).to.deep.equal([
      ['Token', named],
      ['Token', { booking_info: 'x', erased: true }],
    ])
    expect(await database('bookings').where({ id: kept }).first()).to.deep.include(strangers)
    const gone = { guest_name: null, guest_email: null, booking_info: 'x' }
    expect(await database('bookings').where({ id: emptied }).first()).to.deep.include(gone)
    expect((await database('events').where({ id: event }).first()).name).to.equal('Event')
    await database('erasures').delete()

    const texts: Array<[object, boolean]> = [
      [{ guest_name: 'with our guest' }, true],
      [{ guest_name: 'guest@example.com' }, false],
      [{ guest_email: 'guest@example.com', guest: 'Guest' }, false],
      [{ user: { name: 'GUEST' } }, true],
      [{ body: JSON.stringify({ user: { name: 'Guest' } }) }, true],
      [{ bookable: { name: 'Guest room' } }, false],
      [{ license_plates: ['x', 'Guest'] }, true],
      [{ extensionAttribute2: 'x' }, false],
      [{ x: 'extensionAttribute2' }, true],
    ]
    const terms = ['Guest', 'extensionAttribute2']
    for (const [value, isFound] of texts) {
      const text = JSON.stringify(value)
      expect(createPayloadPattern({ terms, userId: 7 }).test(text), text).to.equal(isFound)
      const found = `SELECT ${containsPersonalDataSql('CAST(CAST(:text AS jsonb) AS text)')} AS found`
      const { rows } = await database.raw(found, { ...createTermValues(terms), text })
      expect(rows[0].found, `${text} in Postgres`).to.equal(isFound)
    }
  })

  it('removes the user’s name from the purpose and the guest of other people’s bookings', async () => {
    const { database } = world
    const id = await createUser(database, { name: 'Ada King', email: 'ada.k@example.com' })
    const { user_id } = await createDesk(database)
    const bob = { guest_name: 'Bob', guest_email: 'bob@example.com', license_plate: 'B-OB 1' }
    const rows = [
      { ...bob, booking_info: 'meets Ada King' },
      { ...bob, booking_info: 'on time', guest_name: 'Ada King' },
      { ...bob, booking_info: 'on time', guest_email: 'ada.k@example.com' },
    ]
    const ids: number[] = []
    for (const row of rows)
      ids.push(
        await createBooking(database, { user_id, from: hoursFromNow(50), to: hoursFromNow(51), ...row }),
      )
    await admin.ask('users.erase', { id })
    await upkeep('upkeep.erase')
    const noGuest = { guest_name: null, guest_email: null, license_plate: 'B-OB 1', booking_info: 'on time' }
    expect(
      await database('bookings').whereIn('id', ids).orderBy('id').select(Object.keys(noGuest)),
    ).to.deep.equal([{ ...bob, booking_info: null }, noGuest, noGuest])
    await database('erasures').delete()
  })

  it('searches a hundred waiting jobs, for a hundred terms at a time', async () => {
    const { database } = world
    await database('erasures').delete()
    const queue = queueOf('upkeep')
    await queue.obliterate({ force: true })
    const data = { info: 'somebody else' }
    const jobs = Array.from({ length: 250 }, (_, index) => ({
      name: 'x',
      data,
      opts: { jobId: `j${index}` },
    }))
    await queue.addBulk([{ name: 'x', data: { info: 'by Term 1250' } }, ...jobs])
    const terms = Array.from({ length: 300 }, (_, index) => `Term ${1000 + index}`)
    await database('erasures').insert({
      user_id: 1,
      terms,
      searched_at: database.raw("now() - interval '1 hour'"),
      created_at: database.raw("now() + interval '1 minute'"),
    })
    let [reading, most] = [0, 0]
    const counting = new Proxy(queue, {
      get(target, key) {
        const value = Reflect.get(target, key)
        if (typeof value !== 'function' || !['getJob', 'getJobs'].includes(String(key))) return value
        return async (...args: unknown[]) => {
          most = Math.max(most, ++reading)
          const found = await value.apply(target, args)
          reading--
          if (Array.isArray(found)) most = Math.max(most, found.length)
          return found
        }
      },
    })
    await searchErasures(database, (name) => (name === 'upkeep' ? counting : queueOf(name)), silent)
    expect(most).to.equal(100)
    expect(await database('erasures'), 'the oldest names them').to.have.length(1)
    for (const pattern of createTermValues(terms).patterns) expect(pattern.match(/Term/g)).to.have.length(100)
    await queue.obliterate({ force: true })
    await database('erasures').delete()
  })

  it('searches for the user even if the search for another user fails', async () => {
    const { database } = world
    await database('erasures').delete()
    const broken = { user_id: 1, terms: database.raw('ARRAY[NULL]::text[]') }
    const ids = await database('erasures')
      .insert([broken, { user_id: 2, terms: [] }, { user_id: 3, terms: [] }])
      .returning('id')
    const searched = async () =>
      (await database('erasures').whereNotNull('searched_at').orderBy('id').pluck('user_id')).map(Number)
    await upkeep('upkeep.erase')
    expect(await searched()).to.deep.equal([2, 3])
    await database('erasures').where(ids[0]).delete()
    await database('erasures').update({ searched_at: null })
    await database.transaction(async (trx) => {
      await lockImports(trx)
      await upkeep('upkeep.erase')
      expect(await searched(), 'during an import, which alone writes users').to.deep.equal([])
    })
    await searchErasures(database, queueOf, silent, 0)
    expect(await searched()).to.deep.equal([2])
    await database('erasures').delete()
  })

  it('skips old bookings, which become anonymous after the configured number of months', async () => {
    const { database } = world
    const user_id = await createUser(database)
    const guest = { guest_name: 'A guest', guest_email: 'guest@example.com', booking_info: 'x' }
    const day = (days: number) => hoursFromNow(-24 * days)
    const book = (from: number, to: number | null, row = {}) =>
      createBooking(database, {
        user_id,
        from: day(from),
        to: to === null ? null : day(to),
        ...guest,
        ...row,
      })
    const old = [await book(100, 99, { license_plate: 'B-ER 9' }), await book(95, 94), await book(95, 94)]
    const kept = [await book(10, 9), await book(100, 9), await book(100, null)]
    const event = await createEvent(database, {
      from: day(100),
      to: day(99),
      organizer_user_id: user_id,
      name: 'Secret',
    })
    const recent = await createEvent(database, {
      from: day(10),
      to: day(9),
      organizer_user_id: user_id,
      name: 'Known',
    })
    for (const event_id of [event, recent]) {
      await database('event_attendees').insert({ event_id, user_id })
      await database('invitations').insert({ event_id, email: 'guest@visitor.example' })
    }
    const find = (ids: number[]) => database('bookings').whereIn('id', ids).orderBy('id')
    const before = await find([...old, ...kept])
    await anonymizeOldBookings(database, 0, silent)
    expect(await find([...old, ...kept])).to.deep.equal(before)

    for (let time = 0; time < 2; time++) await anonymizeOldBookings(database, 3, silent)
    const { id: anonymous } = await database('users').where({ is_anonymous: true }).first('id')
    const none = {
      user_id: anonymous,
      guest_name: null,
      guest_email: null,
      booking_info: null,
      license_plate: null,
    }
    for (const row of await find(old)) expect(row).to.deep.include(none)
    expect(await find(kept)).to.deep.equal(before.slice(old.length))
    expect(await database('events').where({ id: event }).first()).to.include({
      name: 'Event',
      organizer_user_id: anonymous,
    })
    expect(await database('events').where({ id: recent }).first()).to.include({
      name: 'Known',
      organizer_user_id: user_id,
    })
    expect(await database('event_attendees').where({ user_id }).pluck('event_id')).to.deep.equal([recent])
    expect(
      await database('invitations').whereIn('event_id', [event, recent]).pluck('event_id'),
    ).to.deep.equal([recent])
  })

  it('causes a warning at worker start if the audit log keeps data longer than bookings', () => {
    const isWarned = (bookingsAnonymousAfterMonths: number, auditLogKeptMonths: number) => {
      const warnings: unknown[] = []
      const log = createLog('test', 'silent')
      log.warn = (...args: unknown[]) => warnings.push(args)
      warnAboutAuditLog({ bookingsAnonymousAfterMonths, auditLogKeptMonths }, log)
      return warnings.length === 1
    }
    expect([isWarned(0, 0), isWarned(0, 12), isWarned(6, 6), isWarned(12, 6)]).to.not.include(true)
    expect([isWarned(6, 0), isWarned(6, 7)]).to.not.include(false)
  })
})
