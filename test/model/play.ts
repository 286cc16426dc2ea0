// Plays a sequence of writes on a stage of its own, batch by batch, and compares it with the model: for each batch
// there must be an order, one after the other, in which the model gives every answer and ends in the same state.
import { isDeepStrictEqual } from 'node:util'
import type { Rules } from '../../shared/rules/rules.ts'
import type { Answered, Client } from '../support/http/http.ts'
import { passMidnight } from '../support/time.ts'
import type { World } from '../support/world.ts'
import type { Command, Content, Hour, Times, Wanted } from './commands.ts'
import * as model from './model.ts'
import type { Expected } from './refusals.ts'
import { checkIn, setRules } from './rules.ts'
import { type BatchBody, createBatch, createSeries, deleteSeries, type SeriesBody } from './several.ts'
import { photograph, setStage } from './stage.ts'
import { picture, type State } from './state.ts'

type Body = Record<string, unknown>
type Request = { method: string; path: string; body?: Body }

/** What was sent, what was answered, and how the model does the same. */
type Played = {
  command: Command
  request: Request
  answer: Answered
  requestId: string
  apply(state: State): Expected
}

const HOUR_MS = 3_600_000
const SEVERAL = new Set<Command['write']>(['createBatch', 'createSeries', 'deleteSeries'])
const MEMBERS = ['code', 'errors', 'conflict', 'alternatives', 'index'] as const

let counter = 0

export async function play(world: World, client: Client, batches: Command[][]): Promise<void> {
  const player = new Player(world, client, await setStage(world))
  for (const batch of batches) {
    // Which day it is counts for days_ahead_max.
    await passMidnight(10_000)
    await player.playBatch(batch)
  }
}

class Player {
  readonly #world: World
  readonly #client: Client
  readonly #startMs = Date.now()
  #state: State
  // Deleted ones included: to name one is a write too.
  #bookings: number[] = []
  #events: number[] = []
  #series: number[] = []

  constructor(world: World, client: Client, state: State) {
    this.#world = world
    this.#client = client
    this.#state = state
  }

  async playBatch(batch: Command[]): Promise<void> {
    const played = await Promise.all(batch.map((command) => this.#send(command)))
    const seen = await photograph(this.#world, this.#state)
    const next = permutations(played)
      .map((order) => this.#replay(order))
      .find((state) => state && isDeepStrictEqual(picture(state), seen))
    if (!next) throw new Error(this.#describe(played, seen))
    await this.#expectAudited(played)
    this.#state = next
    this.#bookings.push(...idsOfNew(played, 'createBooking'), ...played.flatMap(idsOfSeveral))
    this.#series.push(...idsOfNew(played, 'createSeries'))
    this.#events.push(...idsOfNew(played, 'createEvent'))
  }

  /** The state after these in this order; undefined where one of them would have been answered otherwise. */
  #replay(order: Played[]): State | undefined {
    const state = structuredClone(this.#state)
    const fits = order.every(({ apply, answer }) => isDeepStrictEqual(apply(state), read(answer)))
    return fits ? state : undefined
  }

  async #send(command: Command): Promise<Played> {
    const request = this.#requestOf(command)
    const requestId = `model-${++counter}`
    const sentMs = Date.now()
    const headers = {
      'X-Request-Id': requestId,
      ...(request.body ? { 'Content-Type': 'application/json' } : {}),
    }
    const answer = await this.#client.ask(request.path, { ...request, headers })
    const now =
      command.write === 'deleteSeries'
        ? await this.#endOfRunning(request, sentMs)
        : nowOf(request, answer, sentMs)
    return { command, request, answer, requestId, apply: applying(command, request, answer, now) }
  }

  // When the one that ran was ended, which is the now of that write.
  async #endOfRunning({ path }: Request, sentMs: number): Promise<string> {
    const series = await this.#client.get(path.replace(/\?.*/, ''))
    const ends: string[] = (series.json.data?.bookings ?? []).map(({ to }: { to: string }) => to)
    return ends.find((to) => Date.parse(to) >= sentMs && Date.parse(to) <= Date.now()) ?? micros(sentMs)
  }

  #requestOf(command: Command): Request {
    switch (command.write) {
      case 'createBatch': {
        const bookings = command.items.map((item) => this.#bookingBody(item))
        return { method: 'POST', path: 'bookings/batch', body: { bookings, atomic: command.atomic } }
      }
      case 'createSeries': {
        const { interval, count, skips } = command
        const repeat = { every: 'day', interval, count }
        const on_conflict = skips ? 'skip' : 'refuse'
        const body = { ...this.#bookingBody(command), repeat, on_conflict }
        return { method: 'POST', path: 'bookings/series', body }
      }
      case 'deleteSeries': {
        const { from } = command
        const search = from === null ? '' : `?${new URLSearchParams({ from: this.#instant(from) })}`
        return { method: 'DELETE', path: `series/${at(this.#series, command.series)}${search}` }
      }
      case 'createBooking':
        return { method: 'POST', path: 'bookings', body: this.#bookingBody(command) }
      case 'updateBooking': {
        const { method, vehicle } = command
        const body = { ...this.#times(command), ...this.#vehicle(vehicle) }
        return { method, path: `bookings/${at(this.#bookings, command.booking)}`, body }
      }
      case 'deleteBooking':
        return { method: 'DELETE', path: `bookings/${at(this.#bookings, command.booking)}` }
      case 'checkIn':
        return { method: 'POST', path: `bookings/${at(this.#bookings, command.booking)}/check-in` }
      case 'updateBookable': {
        const { id } = this.#state.bookables[command.bookable] as { id: number }
        return { method: 'PATCH', path: `bookables/${id}`, body: command.changes }
      }
      case 'setRules': {
        const { id } = this.#state.bookables[Number(command.place)] ?? { id: undefined }
        const path = id === undefined ? `locations/${this.#state.location.id}` : `bookables/${id}`
        const groups = command.isForGroup ? { group_ids: [this.#state.group] } : {}
        const approvers = command.needsApproval ? { approvers: { group_ids: [this.#state.group] } } : {}
        const { closed: hour } = command
        const times =
          hour === null ? [] : [{ from: this.#instant(hour), to: this.#instant(hour + 2), reason: 'r' }]
        const closed = hour === null ? {} : { closed: times }
        return {
          method: 'PUT',
          path: `${path}/rules`,
          body: { ...command.rules, ...groups, ...approvers, ...closed },
        }
      }
      case 'createEvent':
        return { method: 'POST', path: 'events', body: this.#eventBody(command) }
      case 'replaceEvent':
        return {
          method: 'PUT',
          path: `events/${at(this.#events, command.event)}`,
          body: this.#eventBody(command),
        }
    }
  }

  #bookingBody(command: Wanted): Body {
    const { vehicle, guest } = command
    return {
      bookable_id: this.#state.bookables[command.bookable]?.id,
      location_id: this.#state.location.id,
      user_id: this.#user(command.user),
      ...this.#times(command),
      ...this.#vehicle(vehicle),
      ...(guest ? { guest_name: `Guest ${counter}` } : {}),
    }
  }

  #eventBody(command: Content & { organizer: number | 'absent' }): Body {
    const { organizer, rooms, users, visitors, classification } = command
    return {
      name: `Event ${counter}`,
      ...this.#times(command),
      ...(organizer === 'absent' ? {} : { organizer_user_id: this.#user(organizer) }),
      ...(classification === 'absent' ? {} : { classification }),
      attendees: [
        ...rooms.map((room) => ({ type: 'bookable', id: this.#state.bookables[room]?.id })),
        ...users.map((user) => ({ type: 'user', id: this.#user(user) })),
        ...visitors.map((visitor) => ({ type: 'visitor', email: `visitor${visitor}@example.com` })),
      ],
    }
  }

  #user(place: number): number | undefined {
    return this.#state.users[place]?.id
  }

  #times({ from, hours }: Times): Body {
    const start = from === 'absent' ? {} : { from_time: from === 'now' ? null : this.#instant(from) }
    return { ...start, to_time: this.#instant((typeof from === 'number' ? from : 0) + hours) }
  }

  #vehicle(vehicle: number | null | 'absent'): Body {
    if (vehicle === 'absent') return {}
    return { user_vehicle_id: vehicle === null ? null : this.#state.users[vehicle]?.vehicle }
  }

  // Half an hour aside: no hour is anywhere near to now.
  #instant(hour: Hour): string {
    return micros(this.#startMs + (hour - 0.5) * HOUR_MS)
  }

  // A second check-in changes nothing, and a batch of refusals neither. Several bookings have several entries.
  async #expectAudited(all: Played[]): Promise<void> {
    const played = all.filter(
      ({ command, answer }) =>
        command.write !== 'checkIn' && (command.write !== 'createBatch' || idsOfBatch(answer).length > 0),
    )
    const done = played.filter(({ answer }) => answer.status < 300).map(({ requestId }) => requestId)
    const rows = await this.#world
      .database('audit_log')
      .whereIn(
        'request_id',
        played.map(({ requestId }) => requestId),
      )
      .select('request_id')
    const several = new Set(
      played.filter(({ command }) => SEVERAL.has(command.write)).map(({ requestId }) => requestId),
    )
    const logged = rows
      .map(({ request_id }) => request_id)
      .filter((id, index, every) => !several.has(id) || every.indexOf(id) === index)
    if (isDeepStrictEqual(logged.sort(), done.sort())) return
    throw new Error(`The audit log has ${logged}, and done were ${done}`)
  }

  #describe(played: Played[], seen: unknown): string {
    const state = structuredClone(this.#state)
    const lines = played.map(({ request, answer, apply }) => {
      const { method, path, body } = request
      const expected = JSON.stringify(apply(state))
      return `${method} ${path} ${JSON.stringify(body)}\n  answered ${JSON.stringify(read(answer))}\n  expected ${expected}`
    })
    const before = JSON.stringify(picture(this.#state))
    return [
      'There is no order in which the model does the same. In the order of sending:',
      ...lines,
      `before: ${before}`,
      `database: ${JSON.stringify(seen)}`,
      `model: ${JSON.stringify(picture(state))}`,
    ].join('\n')
  }
}

function applying(command: Command, { path, body }: Request, answer: Answered, now: string): Played['apply'] {
  const id = Number(path.split('/')[1])
  const data = answer.status === 200 ? answer.json.data : undefined
  const given = {
    id: data?.id ?? -1,
    attendeeIds: (data?.attendees ?? []).map((each: { id: number }) => each.id),
  }
  switch (command.write) {
    case 'createBatch':
      return (state) => createBatch(state, sent<BatchBody>(body, now), idsOfBatch(answer))
    case 'createSeries':
      return (state) =>
        createSeries(state, sent<SeriesBody>(body, now), { id: given.id, ids: idsOfSeries(answer) })
    case 'deleteSeries': {
      const { pathname, searchParams } = new URL(path, 'http://stage/')
      const from = searchParams.get('from') ?? undefined
      return (state) => deleteSeries(state, Number(pathname.split('/')[2]), from, now)
    }
    case 'createBooking':
      return (state) => model.createBooking(state, sent(body, now), data?.[0].id ?? -1)
    case 'updateBooking':
      return (state) => model.updateBooking(state, id, sent(body, now))
    case 'deleteBooking':
      return (state) => model.deleteBooking(state, id)
    case 'checkIn':
      return (state) => checkIn(state, id, now)
    case 'updateBookable':
      return (state) => model.updateBookable(state, id, command.changes)
    case 'setRules':
      return (state) => setRules(state, path.startsWith('bookables') ? id : undefined, body as Rules)
    case 'createEvent':
      return (state) => model.createEvent(state, sent(body, now), given)
    case 'replaceEvent':
      return (state) => model.replaceEvent(state, id, sent(body, now), given)
  }
}

// What a request means is the model's to say; that its body is of this form was the generator's.
function sent<Of>(body: Body | undefined, now: string): model.Sent<Of> {
  return { body: body as Of, now }
}

/** An answer as the model gives one: of a refusal what programs read. */
function read(answer: Answered): Expected {
  const { status } = answer
  if (answer.text === '') return { status, body: null }
  const body: Body = answer.json
  // What is said of one who has checked in has a test of its own.
  if ('checked_in_at' in Object(body.data)) return { status, body: null }
  if (status < 300) return { status, body: withoutDetails(body) }
  const members = MEMBERS.filter((name) => name in body).map((name) => [name, body[name]])
  return { status, body: Object.fromEntries(members) }
}

// What people read is not the model's to say.
function withoutDetails(body: Body): Body {
  const each = (items: Body[]) => items.map(({ detail, ...rest }) => rest)
  const { data } = body as { data?: Body | Body[] }
  if (Array.isArray(data)) return { ...body, data: each(data) }
  return Array.isArray(data?.skipped) ? { ...body, data: { ...data, skipped: each(data.skipped) } } : body
}

type Item = { booking?: { id: number } }

function idsOfBatch({ status, json }: Answered): number[] {
  return status === 200 ? json.data.flatMap(({ booking }: Item) => booking?.id ?? []) : []
}

function idsOfSeries({ status, json }: Answered): number[] {
  return status === 200 ? json.data.created.map(({ id }: { id: number }) => id) : []
}

function idsOfSeveral({ command, answer }: Played): number[] {
  if (command.write === 'createBatch') return idsOfBatch(answer)
  return command.write === 'createSeries' ? idsOfSeries(answer) : []
}

// Between sending and answering; which moment it was the answer tells, where it is one of success.
function nowOf({ body }: Request, answer: Answered, sentMs: number): string {
  const meansNow = body?.from_time === null || (body && !('from_time' in body))
  if (!meansNow || answer.status !== 200) return micros(sentMs)
  const { data } = answer.json
  const from: string = (Array.isArray(data) ? data[0] : data).from
  const fromMs = Date.parse(from)
  const isNow = fromMs >= sentMs && fromMs <= Date.now()
  return isNow ? from : micros(sentMs)
}

function micros(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z')
}

// Never an id of somebody else's, where there is none yet.
function at(ids: number[], place: number): number {
  return ids[place % Math.max(1, ids.length)] ?? Number.MAX_SAFE_INTEGER
}

function idsOfNew(played: Played[], write: Command['write']): number[] {
  return played
    .filter(({ command, answer }) => command.write === write && answer.status === 200)
    .map(({ answer }) => [answer.json.data].flat()[0].id)
}

function permutations<T>(items: T[]): T[][] {
  if (items.length < 2) return [items]
  return items.flatMap((item, place) =>
    permutations(items.filter((_, other) => other !== place)).map((rest) => [item, ...rest]),
  )
}
