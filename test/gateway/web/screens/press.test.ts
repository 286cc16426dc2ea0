// Tests the buttons of a door screen: a press takes effect once, follows the rules and is in the audit log.
// The secret URL is in no log.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createBookable, createBooking, createEvent, createUser } from '../../../support/factories.ts'
import { holdStatements } from '../../../support/gate.ts'
import { createScreen, followScreen } from '../../../support/screens/screens.ts'
import { useWorld } from '../../../support/world.ts'

const minutesFromNow = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

describe('a press on a door screen', () => {
  const lines: string[] = []
  const world = useWorld({ onLog: (line) => lines.push(line) })
  const database = () => world.database

  async function press(path: string, fields: Record<string, unknown>) {
    const body = new URLSearchParams()
    for (const [name, value] of Object.entries(fields)) body.set(name, String(value))
    const headers = { Accept: 'application/json' }
    const answer = await fetch(`${world.url}${path}`, { method: 'POST', headers, body })
    const text = await answer.text()
    const { message = '', ended = '' } = text === '' ? {} : JSON.parse(text)
    return { status: answer.status, message, ...(ended !== '' && { ended }) }
  }
  async function createRoom(rules: object = {}, screen: object = {}) {
    const bookable_id = await createBookable(database(), {
      name: 'Aspen',
      type: 2,
      rules: JSON.stringify(rules),
    })
    const booking_user_id = await createUser(database(), { name: 'Front desk' })
    return { bookable_id, ...(await createScreen(database(), { bookable_id, booking_user_id, ...screen })) }
  }
  const bookingsOf = (bookable_id: number) => database()('bookings').where({ bookable_id }).orderBy('id')
  const open = async (path: string) => (await fetch(`${world.url}${path}`)).text()

  it('books only once, even if the same press arrives several times', async () => {
    const { id, bookable_id, path } = await createRoom()
    const fields = { action: 'book', minutes: 15, key: randomUUID() }
    const answers = await Promise.all([press(path, fields), press(path, fields), press(path, fields)])
    expect(answers.filter(({ status }) => status === 204)).to.not.have.length(0)
    expect(await press(path, fields)).to.deep.include({ status: 204 })
    const [booking, ...others] = await bookingsOf(bookable_id)
    expect(others).to.deep.equal([])
    const entry = await database()('audit_log')
      .where({ resource: 'bookings', resource_id: booking.id })
      .first()
    expect(entry).to.include({ action: 'bookings.create', actor_name: 'Screen Door' })
    expect(Number(entry.actor_id)).to.equal(id)
  })

  it('books once if two screens of the same room send it at the same moment', async () => {
    const { bookable_id, path } = await createRoom()
    const booking_user_id = await createUser(database())
    const other = await createScreen(database(), { bookable_id, booking_user_id })
    const answers = await Promise.all(
      [path, other.path].map((each) => press(each, { action: 'book', minutes: 30 })),
    )
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([204, 409])
    expect(answers.find(({ status }) => status === 409)?.message).to.match(/^Aspen is taken from /)
    expect(await bookingsOf(bookable_id)).to.have.length(1)
  })

  it('can book only until the next booking and within the rules; other presses show a reason', async () => {
    const { bookable_id, path } = await createRoom({ minutes_max: 30 })
    const labels = (page: string) => [...page.matchAll(/>(\d+) min</g)].map(([, minutes]) => Number(minutes))
    expect(labels(await open(path))).to.deep.equal([15, 30])
    expect(await press(path, { action: 'book', minutes: 60 })).to.deep.equal({
      status: 409,
      message: 'Aspen can be booked for at most 30 minutes.',
    })
    await createBooking(database(), { bookable_id, from: minutesFromNow(20), to: minutesFromNow(60) })
    expect(labels(await open(path))).to.deep.equal([15])
    expect((await press(path, { action: 'book', minutes: 30 })).status).to.equal(409)
    expect(await bookingsOf(bookable_id)).to.have.length(1)
  })

  it('books nothing if the screen has no person for its bookings, or if that person has left', async () => {
    const { bookable_id, path } = await createRoom({}, { booking_user_id: null })
    expect(await open(path)).to.not.include('15 min')
    expect(await press(path, { action: 'book', minutes: 15 })).to.deep.equal({
      status: 409,
      message: 'Nobody can book at this screen.',
    })
    const left = await createUser(database(), { deactivated_at: new Date() })
    await database()('screens').where({ bookable_id }).update({ booking_user_id: left })
    expect((await press(path, { action: 'book', minutes: 15 })).status).to.equal(409)
    expect(await bookingsOf(bookable_id)).to.deep.equal([])
  })

  it('checks in to a booking or meeting, or shows that it is too early', async () => {
    for (const isMeeting of [false, true]) {
      const { bookable_id, path } = await createRoom()
      const span = { from: minutesFromNow(-3), to: minutesFromNow(60) }
      const event_id = isMeeting ? await createEvent(database(), span) : undefined
      const window = { check_in_from: minutesFromNow(-6), check_in_until: minutesFromNow(12) }
      const booking = await createBooking(database(), {
        bookable_id,
        ...span,
        ...window,
        ...(event_id && { event_id }),
      })
      expect(await open(path)).to.include('Check in by ')
      expect((await press(path, { action: 'check-in', booking })).status).to.equal(204)
      expect((await press(path, { action: 'check-in', booking })).status, 'again').to.equal(204)
      const [row] = await bookingsOf(bookable_id)
      expect(row.checked_in_at).to.not.equal(null)
      expect(await open(path)).to.not.include('Check in by ')
    }
  })

  it('ends a booking or meeting of its room, but no later one and no meeting with other rooms', async () => {
    for (const isMeeting of [false, true]) {
      const { bookable_id, path } = await createRoom()
      const span = { from: minutesFromNow(-30), to: minutesFromNow(60) }
      const event_id = isMeeting ? await createEvent(database(), span) : undefined
      const booking = await createBooking(database(), { bookable_id, ...span, ...(event_id && { event_id }) })
      const elsewhere = await createRoom()
      expect((await press(elsewhere.path, { action: 'end', booking })).status).to.equal(422)
      expect((await press(path, { action: 'end', booking })).status).to.equal(200)
      // The meeting now has a new booking of its room.
      expect((await press(path, { action: 'end', booking })).status, 'again').to.equal(isMeeting ? 422 : 204)
      expect(await open(path)).to.include('Free')
    }
    const { bookable_id, path } = await createRoom()
    const later = await createBooking(database(), {
      bookable_id,
      from: minutesFromNow(120),
      to: minutesFromNow(180),
    })
    expect((await press(path, { action: 'end', booking: later })).status).to.equal(422)
    const span = { from: minutesFromNow(-30), to: minutesFromNow(60) }
    const event_id = await createEvent(database(), span)
    const booking = await createBooking(database(), { bookable_id, event_id, ...span })
    await createBooking(database(), { bookable_id: await createBookable(database()), event_id, ...span })
    expect(await open(path)).to.not.include('End now')
    expect((await press(path, { action: 'end', booking })).status).to.equal(422)
  })

  for (const isMeeting of [false, true]) {
    const what = isMeeting ? 'a meeting' : 'a booking'
    const createRunning = async () => {
      const room = await createRoom()
      const { bookable_id } = room
      const span = { from: minutesFromNow(-30), to: minutesFromNow(60) }
      const event_id = isMeeting ? await createEvent(database(), span) : undefined
      const booking = await createBooking(database(), { bookable_id, ...span, ...(event_id && { event_id }) })
      const end = async () => (await bookingsOf(bookable_id)).map(({ during }) => during.split(',')[1])
      return { ...room, booking, event_id, end, before: await end() }
    }

    it(`asks before it ends ${what}, even without scripts, and can undo the end`, async () => {
      const { path, booking, before, end } = await createRunning()
      const page = await open(path)
      // The button that ends the booking is in a part that opens on touch.
      expect(page).to.match(
        /<details class="door-confirm"><summary[^>]*>.*?End now.*?name="action" value="end".*?<\/details>/s,
      )
      expect(page).to.match(/<form[^>]*id="undo" hidden/)
      const { ended } = await press(path, { action: 'end', booking })
      expect(await end()).to.not.deep.equal(before)
      const fields = { action: 'undo', ended, key: randomUUID() }
      expect(await press(path, fields)).to.deep.equal({ status: 204, message: '' })
      expect(await end()).to.deep.equal(before)
      // Repeating the same press changes nothing, and a new press comes too late.
      await press(path, fields)
      expect((await press(path, { action: 'undo', ended })).status).to.equal(422)
      expect(await end()).to.deep.equal(before)
    })

    it(`can undo the end of ${what} in a room that needs approval`, async () => {
      const { path, booking, bookable_id, before, end } = await createRunning()
      const rules = JSON.stringify({ approvers: { user_ids: [await createUser(database())] } })
      await database()('bookables').where({ id: bookable_id }).update({ rules })
      const { ended } = await press(path, { action: 'end', booking })
      expect(await end()).to.not.deep.equal(before)
      expect(await press(path, { action: 'undo', ended })).to.deep.equal({ status: 204, message: '' })
      expect(await end()).to.deep.equal(before)
    })

    it(`undoes the end of ${what} while every connection for other pages is in use`, async () => {
      const { path, booking, before, end } = await createRunning()
      const { ended } = await press(path, { action: 'end', booking })
      const openGate = holdStatements('berth-gateway')
      try {
        expect(await press(path, { action: 'undo', ended })).to.deep.equal({ status: 204, message: '' })
        expect(await end()).to.deep.equal(before)
      } finally {
        openGate()
      }
    })

    it(`leads without scripts to a page that undoes the end of ${what} for ten seconds`, async () => {
      const { path, booking, before, end } = await createRunning()
      const body = new URLSearchParams({ action: 'end', booking: String(booking) })
      const answer = await fetch(`${world.url}${path}`, { method: 'POST', body, redirect: 'manual' })
      expect(answer.status).to.equal(303)
      const address = new URL(answer.headers.get('Location') ?? '', world.url)
      const page = await (await fetch(address)).text()
      expect(page).to.match(/<form[^>]*id="undo" data-seconds/)
      expect(page).to.match(/http-equiv="refresh" content="10;url=[^?"]*"/)
      const [, ended = ''] = /name="ended" value="([^"]*)"/.exec(page) ?? []
      expect((await press(path, { action: 'undo', ended })).status).to.equal(204)
      expect(await end()).to.deep.equal(before)
    })

    it(`cannot undo the end of ${what} after ten seconds, at another screen, or after another change`, async () => {
      const { path, booking, bookable_id, event_id, end } = await createRunning()
      const { ended } = await press(path, { action: 'end', booking })
      const after = await end()
      const other = await createScreen(database(), { bookable_id })
      const tooLate = { status: 422, message: 'It is too late to undo this.' }
      expect(await press(other.path, { action: 'undo', ended })).to.deep.equal(tooLate)
      const resource_id = event_id ?? booking
      await database()('audit_log')
        .where({ resource_id })
        .update({ at: minutesFromNow(-1) })
      expect(await press(path, { action: 'undo', ended })).to.deep.equal(tooLate)
      expect(await open(`${path}?ended=${ended}`)).to.match(/<form[^>]*id="undo" hidden/)
      await database()('audit_log')
        .where({ resource_id })
        .update({ at: minutesFromNow(0) })
      // The next meeting has begun in the room. Undo neither ends it nor restores the previous meeting.
      const client = await world.client()
      const { location_id } = await database()('bookables').where({ id: bookable_id }).first()
      const user_id = await createUser(database())
      const next = { bookable_id, location_id, user_id, to_time: minutesFromNow(30) }
      expect((await client.post('bookings', next)).status).to.equal(200)
      expect((await press(path, { action: 'undo', ended })).status).to.equal(409)
      expect((await press(path, { action: 'end', booking })).status).to.equal(isMeeting ? 422 : 204)
      expect(await end())
        .to.include.members(after)
        .and.have.length(2)
    })
  }

  it('gets its answer in the language of the screen', async () => {
    const { bookable_id, path } = await createRoom({}, { language: 'de' })
    await createBooking(database(), { bookable_id, from: minutesFromNow(6), to: minutesFromNow(180) })
    expect(await open(path))
      .to.include('Frei')
      .and.include('lang="de"')
    expect((await press(path, { action: 'book', minutes: 60 })).message).to.match(/^Aspen ist .* belegt/)
  })

  it('is refused at a revoked or replaced URL, and ends no booking elsewhere', async () => {
    const { id, bookable_id, path } = await createRoom()
    await database()('screens')
      .where({ id })
      .update({ hash: Buffer.from(randomUUID()) })
    expect((await press(path, { action: 'book', minutes: 15 })).status).to.equal(404)
    expect((await followScreen(world.url, path)).status).to.equal(404)
    expect(await bookingsOf(bookable_id)).to.deep.equal([])
  })

  it('leaves no secret in a log, a metric or the request log', async () => {
    const { secret, path } = await createRoom()
    await open(path)
    await open(`${path}/feed/nothing`)
    await press(path, { action: 'book', minutes: 15 })
    await press(path, { action: 'book', minutes: 15 })
    const feed = await followScreen(world.url, path)
    feed.close()
    const metrics = await (await fetch(`${world.url}/metrics`)).text()
    expect(metrics).to.include('/screens/{secret}')
    expect(lines.some((line) => line.includes('/screens/{secret}'))).to.equal(true)
    for (const all of [metrics, ...lines]) expect(all).to.not.include(secret)
  })
})

describe('requests for unknown screen URLs', () => {
  const world = useWorld({ workers: [], environment: { FAILED_SIGN_INS_PER_MINUTE: '5' } })

  it('are refused for a while after a few attempts from an address', async () => {
    const statuses: number[] = []
    for (let count = 0; count < 7; count++)
      statuses.push((await fetch(`${world.url}/screens/screen_${randomUUID()}`)).status)
    expect(statuses.slice(0, 5)).to.deep.equal([404, 404, 404, 404, 404])
    expect(statuses.at(-1)).to.equal(429)
  })
})
