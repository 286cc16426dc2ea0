// Creates random bookings, requests, offers and meetings while mail processes are killed and restarted and the mail server
// refuses mail for a while. Then compares the mailbox with the outbox and the bookings: no mail is lost, sent twice or
// outdated, and calendars match the bookings. STEPS and TEST_SEED configure the run.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { parseCalendar } from '../gateway/api/rest/calendars/parse-icalendar.ts'
import { hasPython, readWithPython } from '../gateway/api/rest/calendars/python-icalendar.ts'
import { Random } from '../harness/random.ts'
import { useAdmin } from '../support/dashboard/admin.ts'
import { createBookable, createBooking, createLocation, hoursFromNow } from '../support/factories.ts'
import { type Child, killChildren, startWorkerProcess } from '../support/processes.ts'
import { testSeed } from '../support/seed.ts'
import { eventually } from '../support/time.ts'
import { useClient, useWorld } from '../support/world.ts'
import {
  book,
  createMailSettings,
  createPerson,
  type MailedPerson,
} from '../workers/pollers/mail/mailed-person.ts'
import { type ReceivedMail, useSmtp } from '../workers/pollers/mail/smtp-server.ts'

const STEPS = Number(process.env.STEPS ?? 160)
const PERSON_COUNT = 5
const RESPONSE_DELAY_MS_MAX = 400

describe('mail during random failures', function () {
  this.timeout(600_000)
  const smtp = useSmtp()
  const world = useWorld(() => ({ workers: ['writes'], environment: createMailSettings(smtp) }))
  const client = useClient(world)
  const admin = useAdmin(world)
  const random = new Random(testSeed)
  const senders: Child[] = []
  let kills = 0
  const start = async () => {
    const { databaseUrl: DATABASE_URL, redisUrl: REDIS_URL } = world
    const settings = { DATABASE_URL, REDIS_URL, PEOPLE_PAGES: 'on', ...createMailSettings(smtp) }
    senders.push(await startWorkerProcess(settings, ['upkeep']))
  }
  after(killChildren)

  const people: MailedPerson[] = []
  /** People whose mails become obsolete before they are sent. */
  let [settled, approver, spared] = [{}, {}, {}] as [MailedPerson, MailedPerson, MailedPerson]
  let [asked, sparedPlace] = [{}, {}] as Array<{ bookable_id: number; location_id: number }>
  const booked: Array<{ id: number; person: MailedPerson; hour: number }> = []
  const requested: number[] = []
  const meetings: Array<{ id: number; organizer: MailedPerson }> = []
  let hour = 30

  const createAsked = async ({ user_id }: MailedPerson) => {
    const rules = JSON.stringify({ approvers: { user_ids: [user_id] } })
    const location_id = await createLocation(world.database, { rules })
    return { location_id, bookable_id: await createBookable(world.database, { location_id }) }
  }
  const nextHour = () => {
    hour += 3
    return hour
  }
  /** Returns attendees for a meeting: some of the people, and a guest or none. */
  const attendees = () => [
    ...people.filter(() => random.chance(0.6)).map(({ user_id: id }) => ({ type: 'user', id })),
    ...(random.chance(0.6) ? [{ type: 'visitor', email: `guest-${random.below(3)}@visitor.example` }] : []),
  ]
  const nextTimes = () => {
    const from = nextHour()
    return { from_time: hoursFromNow(from), to_time: hoursFromNow(from + 1) }
  }
  const take = () => booked.splice(random.below(booked.length), 1)[0]
  const request = async (place: typeof asked, by: MailedPerson) => {
    const from = nextHour()
    const times = { from_time: hoursFromNow(from), to_time: hoursFromNow(from + 1) }
    const made = await client.post('booking-requests', { ...place, user_id: by.user_id, ...times })
    expect(made.status, made.text).to.be.oneOf([200, 409])
    return made.status === 200 ? Number(made.json.data.id) : undefined
  }
  /** Makes some of the mails due, including mails of processes that died. */
  const passTime = (share = 2) =>
    world.database.raw('UPDATE mails SET next_at = now() WHERE next_at > now() AND id % ? = 0', [share])

  const STEP = {
    async book() {
      const person = random.pick(people)
      const at = nextHour()
      booked.push({ id: await book(client, person, at), person, hour: at })
    },
    async move() {
      const one = booked.length > 0 ? random.pick(booked) : undefined
      if (!one) return
      const bookable_id = await createBookable(world.database, { location_id: one.person.location_id })
      expect((await client.post(`bookings/${one.id}/move`, { bookable_id })).status).to.equal(200)
    },
    async cancel() {
      const one = take()
      if (one) expect((await client.delete(`bookings/${one.id}`)).status).to.equal(204)
    },
    async undo() {
      const one = booked.length > 0 ? random.pick(booked) : undefined
      if (!one) return
      expect((await admin.ask('bookings.delete', { id: one.id })).status).to.equal(204)
      if (random.chance(0.5)) await passTime(1)
      const entry = { resource: 'bookings', resource_id: one.id, action: 'bookings.delete' }
      const { id } = await world.database('audit_log').where(entry).orderBy('id', 'desc').first('id')
      expect((await admin.ask('audit-entries.undo', { id })).status).to.be.oneOf([200, 204])
    },
    async bookAndCancel() {
      await client.delete(`bookings/${await book(client, settled, nextHour())}`)
    },
    async request() {
      const id = await request(asked, random.pick(people))
      if (id !== undefined) requested.push(id)
    },
    async decide() {
      const [id] = requested.splice(random.below(requested.length), 1)
      if (id === undefined) return
      const verb = random.pick(['approve', 'decline'])
      await client.post(`booking-requests/${id}/${verb}`, {})
    },
    async requestAndWithdraw() {
      const id = await request(sparedPlace, settled)
      if (id !== undefined) await client.delete(`booking-requests/${id}`)
    },
    async offer() {
      const one = take()
      if (!one) return
      const { bookable_id } = await world.database('bookings').where({ id: one.id }).first('bookable_id')
      const during = world.database.raw('tstzrange(?, ?)', [
        hoursFromNow(one.hour),
        hoursFromNow(one.hour + 2),
      ])
      const { user_id } = random.pick(people)
      await world.database('waits').insert({ user_id, bookable_id, during }).onConflict().ignore()
      await client.delete(`bookings/${one.id}`)
    },
    async checkIn() {
      const [from, until] = [new Date(Date.now() - 20 * 60_000), new Date(Date.now() + 15 * 60_000)]
      const times = {
        from: from.toISOString(),
        to: hoursFromNow(8),
        check_in_from: from,
        check_in_until: until,
      }
      const { user_id } = random.pick(people)
      await createBooking(world.database, { user_id, ...times, created_at: from })
      await createBooking(world.database, {
        user_id: spared.user_id,
        ...times,
        created_at: from,
        checked_in_at: from,
      })
    },
    async meet() {
      const organizer = random.pick(people)
      const body = {
        name: 'Plans',
        organizer_user_id: organizer.user_id,
        attendees: attendees(),
        ...nextTimes(),
      }
      const made = await client.post('events?invite=true', body)
      expect(made.status, made.text).to.equal(200)
      meetings.push({ id: Number(made.json.data.id), organizer })
    },
    async changeMeeting() {
      if (meetings.length === 0) return
      const changes = [{ name: `Plans ${nextHour()}` }, { attendees: attendees() }, nextTimes()]
      const { status } = await client.patch(`events/${random.pick(meetings).id}`, random.pick(changes))
      expect(status).to.equal(200)
    },
    async answerMeeting() {
      if (meetings.length === 0) return
      const { id, organizer } = random.pick(meetings)
      const { data } = (await client.get(`events/${id}`)).json
      const others = data.attendees.filter((each: { id: number }) => each.id !== organizer.user_id)
      if (others.length === 0) return
      const path = `events/${id}/attendees/${random.pick<{ id: number }>(others).id}/answer`
      expect((await client.post(path, { status: 1 + random.below(3) })).status).to.equal(200)
    },
    async cancelMeeting() {
      const [one] = meetings.splice(random.below(meetings.length), 1)
      if (one) expect((await client.delete(`events/${one.id}`)).status).to.equal(204)
    },
    async passTime() {
      await passTime(random.pick([1, 2, 3]))
    },
    async refuse() {
      smtp.refusing = smtp.refusing === undefined && random.chance(0.6) ? 450 : undefined
    },
    async kill() {
      const [victim] = senders.splice(random.below(senders.length), 1)
      victim?.kill('SIGKILL')
      await victim?.ended
      kills++
      await start()
    },
  }
  const WEIGHTS: Record<keyof typeof STEP, number> = {
    book: 8,
    move: 5,
    cancel: 3,
    undo: 3,
    bookAndCancel: 3,
    request: 3,
    decide: 3,
    requestAndWithdraw: 2,
    offer: 2,
    checkIn: 1,
    meet: 4,
    changeMeeting: 7,
    answerMeeting: 8,
    cancelMeeting: 1,
    passTime: 14,
    refuse: 2,
    kill: 3,
  }

  const messageOf = ({ headers }: ReceivedMail) => /^Message-ID: <([\da-f-]+)@/m.exec(headers)?.[1] ?? headers
  const eventOf = ({ calendar = '' }: ReceivedMail) => {
    const file = parseCalendar(calendar)
    const of = (name: string) => file.components[0]?.properties.get(name) ?? ''
    const [uid, sequence, name] = [of('UID'), Number(of('SEQUENCE')), of('SUMMARY')]
    return { method: file.properties.get('METHOD'), uid, sequence, name, calendar }
  }

  it('is sent exactly once, and the last mail shows the current bookings', async () => {
    for (let number = 0; number < PERSON_COUNT; number++) people.push(await createPerson(world))
    settled = await createPerson(world)
    approver = await createPerson(world)
    spared = await createPerson(world)
    asked = await createAsked(approver)
    sparedPlace = await createAsked(spared)
    await start()
    await start()
    await eventually(async () => expect(await world.database('mail_position')).to.have.length(1))
    // Slows down the mail server, so that some processes are killed while they wait for a response.
    smtp.beforeAnswer = () => wait(random.below(RESPONSE_DELAY_MS_MAX))
    for (let step = 0; step < STEPS; step++) await STEP[random.pickKey(WEIGHTS)]()
    await comeToRest()

    const mailbox = smtp.received.map(messageOf)
    expect(mailbox.length, `kills: ${kills}`).to.be.greaterThan(STEPS / 8)
    expect(mailbox, 'none twice').to.have.length(new Set(mailbox).size)
    const sent = await world.database('mails').whereNotNull('sent_at').pluck('message')
    expect(
      [...mailbox].filter((message) => !sent.includes(message)),
      'all are known',
    ).to.deep.equal([])
    const lost = sent.filter((message) => !mailbox.includes(message))
    expect(lost, 'none lost').to.deep.equal([])
    for (const { email } of [settled, spared]) expect(smtp.sentTo(email), email).to.deep.equal([])
    await checkCalendars()
    await checkAnswers()
  })

  async function comeToRest(): Promise<void> {
    smtp.refusing = undefined
    const { rows } = await world.database.raw('SELECT max(sequence) AS newest FROM changes')
    await eventually(async () => {
      const [position] = await world.database('mail_position')
      expect(Number(position.sequence)).to.be.at.least(Number(rows[0].newest))
    })
    await eventually(async () => {
      await passTime(1)
      expect(await world.database('mails').whereNotNull('next_at')).to.deep.equal([])
    }, 200_000)
  }

  /** Checks what the calendar program of each person has read, in the order of the mails. */
  async function checkCalendars(): Promise<void> {
    const invitations = smtp.received.filter(({ calendar }) => calendar !== undefined)
    const last = new Map<string, ReturnType<typeof eventOf>>()
    for (const mail of invitations) {
      const event = eventOf(mail)
      const before = last.get(`${mail.to} ${event.uid}`)
      expect(event.sequence, `${mail.to} ${event.uid}`).to.be.greaterThan(before?.sequence ?? -1)
      if (before === undefined)
        expect(event.method, 'nobody reads of the end of what they do not know').to.equal('REQUEST')
      last.set(`${mail.to} ${event.uid}`, event)
      if (hasPython())
        expect(readWithPython(event.calendar).events.map(({ errors }) => errors)).to.deep.equal([[]])
    }
    const { rows } = await world.database.raw(
      `SELECT users.email || ' booking-' || bookings.id || '@' || identity.id || '.berth' AS key, bookables.name
       FROM identity, bookings JOIN users ON users.id = user_id JOIN bookables ON bookables.id = bookable_id
       WHERE lower(during) > now() + interval '1 day'
       UNION ALL
       SELECT coalesce(users.email, attending.email) || ' event-' || events.id || '@' || identity.id || '.berth', events.name
       FROM identity, event_attendees AS attending JOIN events ON events.id = event_id LEFT JOIN users ON users.id = user_id
       WHERE events.status = 1`,
    )
    const known = [...last]
      .filter(([, { method }]) => method === 'REQUEST')
      .map(([key, { name }]) => `${key} ${name}`)
    expect(known.sort()).to.deep.equal(
      rows.map(({ key, name }: Record<string, string>) => `${key} ${name}`).sort(),
    )
  }
  /** Checks that the last mail to the organizer that mentions an attendee mentions their current answer. */
  async function checkAnswers(): Promise<void> {
    const WORDS = ['', 'will come.', 'might come.', 'will not come.']
    let answers = 0
    for (const { id, organizer } of meetings) {
      const lines = smtp
        .sentTo(organizer.email)
        .filter(
          ({ calendar, text }) => calendar === undefined && new RegExp(`/my/meetings/${id}\\b`).test(text),
        )
        .flatMap(({ text }) => text.split('\r\n'))
      const { data } = (await client.get(`events/${id}`)).json
      for (const { id: attendee, name, status } of data.attendees) {
        if (status === 0 || attendee === organizer.user_id) continue
        expect(lines.filter((line) => line.startsWith(`${name} `)).at(-1)).to.equal(
          `${name} ${WORDS[status]}`,
        )
        answers++
      }
    }
    expect(answers).to.be.greaterThan(0)
  }
})
