// Synchronizes the bookings in Berth with the entries of another calendar, in both directions. Run this program every
// minute with cron or a systemd timer, but never twice at the same time. If a run is stopped, the next run finishes its
// work without creating duplicates.
//
// Here, the other calendar is a small HTTP service. Replace `calendar` with calls to your own. An entry has these fields:
// { id, version, email, desk, start, end, deleted, changed_by }
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { BerthError, createClient, NotFoundError } from '@berth/client'

const { BERTH_URL, BERTH_TOKEN, CALENDAR_URL, STATE_FILE = 'calendar-sync.json' } = process.env
const berth = createClient({ url: BERTH_URL, token: BERTH_TOKEN })
const PROGRAM_NAME = 'berth'
const WEEK_MS = 7 * 24 * 3_600_000

// `after` and `since` are the positions up to which the changes of Berth and of the calendar have been
// processed. `bookings` maps each entry that a person made in the calendar to the id of its booking. An entry
// that this program makes is named after its booking: berth-815. `booking` is the entry that is being booked.
const state = existsSync(STATE_FILE)
  ? JSON.parse(readFileSync(STATE_FILE, 'utf8'))
  : { since: 0, bookings: {} }

function saveState() {
  writeFileSync(`${STATE_FILE}.new`, JSON.stringify(state))
  renameSync(`${STATE_FILE}.new`, STATE_FILE)
}

async function calendar(method, path, body) {
  const headers = { 'Content-Type': 'application/json', 'X-Changed-By': PROGRAM_NAME }
  const signal = AbortSignal.timeout(10_000)
  const response = await fetch(CALENDAR_URL + path, { method, headers, signal, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`The calendar answered ${response.status} to ${method} ${path}`)
  return response.status === 204 ? undefined : response.json()
}

function findEntryId(bookingId) {
  const made = Object.entries(state.bookings).find(([, id]) => id === bookingId)
  return made ? made[0] : `berth-${bookingId}`
}

const getEntryPath = (entryId) => `/entries/${encodeURIComponent(entryId)}`

const findBookingId = (entry) => state.bookings[entry.id] ?? Number(/^berth-(\d+)$/.exec(entry.id)?.[1])

const showInCalendar = ({ id, user, bookable, from, to }) =>
  calendar('PUT', getEntryPath(findEntryId(id)), {
    email: user.email,
    desk: bookable.id,
    start: from,
    end: to,
  })

async function copyFromBerth() {
  const me = await berth.tokens.me()
  if (!state.after) {
    // On the first run, remembers the current position of the feed, and then copies the bookings of the next
    // seven days.
    const { next } = await berth.changes.list()
    const from = new Date()
    const to = new Date(from.getTime() + WEEK_MS)
    for await (const booking of berth.bookings.list({ from, to })) await showInCalendar(booking)
    state.after = next
    saveState()
  }
  for (;;) {
    const { data, next } = await berth.changes.list({ after: state.after, types: 'booking' })
    for (const { actor, id, data: booking } of data) {
      // Skips changes that this program made, because they came from the calendar and would otherwise be
      // copied back and forth forever.
      if (actor.type === 'token' && actor.id === me.id) continue
      if (booking) await showInCalendar(booking)
      else await calendar('DELETE', getEntryPath(findEntryId(id)))
    }
    state.after = next
    saveState()
    if (data.length === 0) return
  }
}

// A repeated request with the same key gets the same response, and does not create a second booking.
const createIdempotencyKey = ({ id, version }) =>
  createHash('sha256').update(`${id} ${version}`).digest('hex')

const toBookingTimes = ({ start, end }) => ({ from_time: start, to_time: end })

async function applyToBerth(entry) {
  const bookingId = findBookingId(entry)
  const options = { idempotencyKey: createIdempotencyKey(entry) }
  if (entry.deleted) return bookingId ? berth.bookings.delete(bookingId, {}, options) : undefined
  if (!bookingId) return bookEntry(entry)
  const times = toBookingTimes(entry)
  const { bookable } = await berth.bookings.get(bookingId)
  if (bookable.id === entry.desk) return berth.bookings.update(bookingId, times, {}, options)
  return berth.bookings.move(bookingId, { bookable_id: entry.desk, ...times }, options)
}

// Stores the entry first. If the program is stopped, its next run repeats the booking with the same key and
// learns the booking's id, even if the entry has changed since then.
async function bookEntry(entry) {
  state.booking = entry
  saveState()
  const user = await berth.users.getByEmail(entry.email)
  const desk = await berth.bookables.get(entry.desk)
  const body = {
    bookable_id: desk.id,
    location_id: desk.location.id,
    user_id: user.id,
    ...toBookingTimes(entry),
  }
  const [booking] = await berth.bookings.create(body, { idempotencyKey: createIdempotencyKey(entry) })
  state.bookings[entry.id] = booking.id
}

async function copyFromCalendar() {
  const { entries } = await calendar('GET', `/entries?since=${state.since}`)
  for (const entry of entries) {
    if (entry.changed_by !== PROGRAM_NAME)
      await applyToBerth(entry).catch((error) => reportRefusal(entry, error))
    state.since = entry.version
    delete state.booking
    saveState()
  }
}

/** Tells the person in the calendar why Berth refuses their change. If the failure may be temporary, ends
 * this run instead. */
async function reportRefusal(entry, error) {
  throwUnlessRefusal(error)
  if (entry.deleted && error instanceof NotFoundError) return
  await calendar('PUT', getEntryPath(entry.id), { ...entry, refused: error.message })
}

function throwUnlessRefusal(error) {
  const isRefusal =
    error instanceof BerthError && error.status >= 400 && error.status < 429 && error.status !== 401
  if (!isRefusal) throw error
}

if (state.booking) await bookEntry(state.booking).catch(throwUnlessRefusal)
// Changes in Berth are copied first: if somebody changed the same booking on both sides, the change in Berth
// wins.
await copyFromBerth()
await copyFromCalendar()
