// Keeps the bookings in Berth and the entries of another calendar the same, in both directions. Run it every minute, by cron
// or a systemd timer, one at a time. If it is stopped, the next run repeats what was not finished, and nothing is there twice.
//
// The other calendar is a small HTTP service. Replace `calendar` by calls of yours. An entry:
// { id, version, email, desk, start, end, deleted, changed_by }
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { BerthError, createClient, NotFoundError } from '@berth/client'

const { BERTH_URL, BERTH_TOKEN, CALENDAR_URL, STATE_FILE = 'calendar-sync.json' } = process.env
const berth = createClient({ url: BERTH_URL, token: BERTH_TOKEN })
const ME = 'berth'
const WEEK_MS = 7 * 24 * 3_600_000

// `after` and `since` say how far the changes of Berth and of the calendar are done. `bookings` has the id of the booking
// of each entry that a person made in the calendar. An entry that this program makes is called after its booking: berth-815.
// `booking` is the entry that is being booked.
const state = existsSync(STATE_FILE)
  ? JSON.parse(readFileSync(STATE_FILE, 'utf8'))
  : { since: 0, bookings: {} }

function save() {
  writeFileSync(`${STATE_FILE}.new`, JSON.stringify(state))
  renameSync(`${STATE_FILE}.new`, STATE_FILE)
}

async function calendar(method, path, body) {
  const headers = { 'Content-Type': 'application/json', 'X-Changed-By': ME }
  const signal = AbortSignal.timeout(10_000)
  const response = await fetch(CALENDAR_URL + path, { method, headers, signal, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`The calendar answered ${response.status} to ${method} ${path}`)
  return response.status === 204 ? undefined : response.json()
}

function entryIdOf(bookingId) {
  const made = Object.entries(state.bookings).find(([, id]) => id === bookingId)
  return made ? made[0] : `berth-${bookingId}`
}

const addressOf = (entryId) => `/entries/${encodeURIComponent(entryId)}`

const bookingIdOf = (entry) => state.bookings[entry.id] ?? Number(/^berth-(\d+)$/.exec(entry.id)?.[1])

const showInCalendar = ({ id, user, bookable, from, to }) =>
  calendar('PUT', addressOf(entryIdOf(id)), { email: user.email, desk: bookable.id, start: from, end: to })

async function fromBerth() {
  const me = await berth.tokens.me()
  if (!state.after) {
    // The first run: remember where the feed is now, then copy what is booked for the next seven days.
    const { next } = await berth.changes.list()
    const from = new Date()
    const to = new Date(from.getTime() + WEEK_MS)
    for await (const booking of berth.bookings.list({ from, to })) await showInCalendar(booking)
    state.after = next
    save()
  }
  for (;;) {
    const { data, next } = await berth.changes.list({ after: state.after, types: 'booking' })
    for (const { actor, id, data: booking } of data) {
      // What this program changed came from the calendar. Without this line changes would go round in circles.
      if (actor.type === 'token' && actor.id === me.id) continue
      if (booking) await showInCalendar(booking)
      else await calendar('DELETE', addressOf(entryIdOf(id)))
    }
    state.after = next
    save()
    if (data.length === 0) return
  }
}

// A repeated request with the same key has the same answer, and books nothing again.
const keyOf = ({ id, version }) => createHash('sha256').update(`${id} ${version}`).digest('hex')

const timesOf = ({ start, end }) => ({ from_time: start, to_time: end })

async function changeInBerth(entry) {
  const bookingId = bookingIdOf(entry)
  const options = { idempotencyKey: keyOf(entry) }
  if (entry.deleted) return bookingId ? berth.bookings.delete(bookingId, options) : undefined
  if (!bookingId) return book(entry)
  const times = timesOf(entry)
  const { bookable } = await berth.bookings.get(bookingId)
  if (bookable.id === entry.desk) return berth.bookings.update(bookingId, times, options)
  return berth.bookings.move(bookingId, { bookable_id: entry.desk, ...times }, options)
}

// The entry is stored first: the next run of a program that was stopped books the same again, with the same key, and learns
// the booking, even if the entry has changed since.
async function book(entry) {
  state.booking = entry
  save()
  const user = await berth.users.getByEmail(entry.email)
  const desk = await berth.bookables.get(entry.desk)
  const body = { bookable_id: desk.id, location_id: desk.location.id, user_id: user.id, ...timesOf(entry) }
  const [booking] = await berth.bookings.create(body, { idempotencyKey: keyOf(entry) })
  state.bookings[entry.id] = booking.id
}

async function fromCalendar() {
  const { entries } = await calendar('GET', `/entries?since=${state.since}`)
  for (const entry of entries) {
    if (entry.changed_by !== ME) await changeInBerth(entry).catch((error) => refuse(entry, error))
    state.since = entry.version
    delete state.booking
    save()
  }
}

/** Tells the person in the calendar why Berth refuses their change. A failure that may pass ends this run instead. */
async function refuse(entry, error) {
  throwUnlessRefusal(error)
  if (entry.deleted && error instanceof NotFoundError) return
  await calendar('PUT', addressOf(entry.id), { ...entry, refused: error.message })
}

function throwUnlessRefusal(error) {
  const isRefusal =
    error instanceof BerthError && error.status >= 400 && error.status < 429 && error.status !== 401
  if (!isRefusal) throw error
}

if (state.booking) await book(state.booking).catch(throwUnlessRefusal)
// Berth goes first: if both sides changed the same booking, Berth wins.
await fromBerth()
await fromCalendar()
