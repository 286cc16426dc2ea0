// Plays a sequence of writes on a separate stage, batch by batch, and compares it with the model: for each batch there
// must be an order in which the model gives every answer and ends in the same state.
import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { JobName } from '../../shared/jobs/jobs.ts'
import type { Admin } from '../support/dashboard/admin.ts'
import { ApiAnswer, Client } from '../support/http/http.ts'
import { waitPastMidnight } from '../support/time.ts'
import type { World } from '../support/world.ts'
import { createApply, listBatchIds, listSeriesIds } from './apply.ts'
import { type Command, endsRunning } from './commands.ts'
import type { ExpectedAnswer } from './refusals.ts'
import { type Body, createRequest, formatMicroseconds, isJob, type Known, type Request } from './requests.ts'
import { createStage, readEnds, readInsertedBookings, readStage } from './stage.ts'
import { picture, type State } from './state.ts'

/** A request, its answer, and a function that applies the request to the model. */
type PlayedWrite = {
  command: Command
  request: Request
  answer: ApiAnswer
  requestId: string
  apply(state: State): ExpectedAnswer
}

const WRITES_OF_SEVERAL_BOOKINGS = new Set<Command['write']>([
  'createBatch',
  'createSeries',
  'createEventSeries',
  'createAbsence',
  'deleteSeries',
  'cancelEventSeries',
])
/** Writes that may change nothing, such as a repeated check-in or link, or many rows. */
const WRITES_OF_ANY_NUMBER = new Set<Command['write']>([
  'checkIn',
  'answer',
  'setDays',
  'cancelEvent',
  'linkCalendar',
])
const COMPARED_MEMBERS = ['code', 'errors', 'conflict', 'alternatives', 'index'] as const

/** Writes that may split a booking in two. */
const INSERTING_WRITES = new Set<Command['write']>(['createAbsence', 'setDays'])
const MINUTE_MS = 60_000
const PAUSE_MS = 300

let counter = 0

/** What sends the writes of all sequences. */
export type Senders = { world: World; client: Client; admin: Admin }

export async function play(senders: Senders, batches: Command[][]): Promise<void> {
  const { state, tokens } = await createStage(senders.world)
  const people = tokens.map((token) => new Client(senders.world.url, token))
  const player = new Player(senders, people, state)
  for (const batch of batches) {
    // Avoids midnight, because days_ahead_max depends on the date.
    await waitPastMidnight(10_000)
    await player.playBatch(batch)
  }
}

class Player {
  readonly #senders: Senders
  /** Clients with the personal tokens of the users. */
  readonly #people: Client[]
  readonly #known: Known

  constructor(senders: Senders, people: Client[], state: State) {
    this.#senders = senders
    this.#people = people
    const ids = {
      bookings: [],
      events: [],
      series: [],
      eventSeries: [],
      loans: [],
      absences: [],
      teamDays: [],
    }
    this.#known = { state, ids, count: 0, startMs: Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS }
  }

  async playBatch(batch: Command[]): Promise<void> {
    const { state, ids } = this.#known
    const played = await Promise.all(batch.map((command) => this.#send(command)))
    const seen = await readStage(this.#senders.world, state)
    const next = listPermutations(played)
      .map((order) => this.#replay(order))
      .find((each) => each && isDeepStrictEqual(picture(each), seen))
    if (!next) throw new Error(this.#describe(played, seen))
    await this.#expectAudited(played)
    this.#known.state = next
    ids.bookings.push(...listNewIds(played, 'createBooking'), ...played.flatMap(listCreatedIds))
    ids.series.push(...listNewIds(played, 'createSeries'))
    ids.eventSeries.push(...listNewIds(played, 'createEventSeries'))
    ids.loans.push(...listNewIds(played, 'createLoan'))
    ids.absences.push(...listNewIds(played, 'createAbsence'))
    ids.teamDays.push(...listNewIds(played, 'createTeamDay'))
    ids.events.push(...listNewIds(played, 'createEvent'), ...played.flatMap(listEventIds))
  }

  /**
   * Returns the model's state after the writes in the given order, or undefined if the model answers one of them
   * differently.
   */
  #replay(order: PlayedWrite[]): State | undefined {
    const state = structuredClone(this.#known.state)
    const fits = order.every(({ apply, answer }) => isDeepStrictEqual(apply(state), read(answer)))
    return fits ? state : undefined
  }

  async #send(command: Command): Promise<PlayedWrite> {
    this.#known.count++
    const request = createRequest(this.#known, command)
    const requestId = `model-${++counter}`
    let sentMs = Date.now()
    let answer = await this.#ask(command, request, { requestId, sentMs })
    // On a busy machine, a write may be answered with 503, which promises that nothing was done.
    while (answer.status === 503) {
      await wait(PAUSE_MS)
      sentMs = Date.now()
      answer = await this.#ask(command, request, { requestId, sentMs })
    }
    const { world } = this.#senders
    const [end] = endsRunning(command) ? await readEnds(world, this.#known.state, sentMs) : []
    const now = end ?? (isJob(request) ? formatMicroseconds(sentMs) : findNow(request, answer, sentMs))
    const inserted = INSERTING_WRITES.has(command.write) ? await readInsertedBookings(world, requestId) : []
    const sent = { ...request, answer, now, inserted, sender: this.#userOf(command) }
    return { command, request, answer, requestId, apply: createApply(command, sent) }
  }

  #userOf(command: Command): number | undefined {
    if (!('sender' in command) || command.sender === null) return undefined
    return this.#known.state.users[command.sender]?.id
  }

  async #ask(
    command: Command,
    request: Request,
    { requestId, sentMs }: { requestId: string; sentMs: number },
  ): Promise<ApiAnswer> {
    const { client, admin } = this.#senders
    if (isJob(request)) {
      const options = { requestId, receivedAt: formatMicroseconds(sentMs) }
      const { status, json } = await admin.ask(request.path as JobName, request.body, options)
      return new ApiAnswer(status, new Headers(), json === null ? '' : JSON.stringify(json))
    }
    const sender = 'sender' in command ? this.#people[command.sender ?? -1] : undefined
    const headers = {
      'X-Request-Id': requestId,
      ...(request.body ? { 'Content-Type': 'application/json' } : {}),
    }
    return (sender ?? client).ask(request.path, { ...request, headers })
  }

  // Some writes add no audit entry if they change nothing. Writes of several bookings add several entries.
  async #expectAudited(all: PlayedWrite[]): Promise<void> {
    const played = all.filter(
      ({ command, answer }) =>
        !WRITES_OF_ANY_NUMBER.has(command.write) &&
        !('scope' in command && command.scope !== 'one') &&
        (command.write !== 'createBatch' || listBatchIds(answer).length > 0),
    )
    const done = played.filter(({ answer }) => answer.status < 300).map(({ requestId }) => requestId)
    const rows = await this.#senders.world
      .database('audit_log')
      .whereIn(
        'request_id',
        played.map(({ requestId }) => requestId),
      )
      .select('request_id')
    const several = new Set(
      played
        .filter(({ command }) => WRITES_OF_SEVERAL_BOOKINGS.has(command.write))
        .map(({ requestId }) => requestId),
    )
    const logged = rows
      .map(({ request_id }) => request_id)
      .filter((id, index, every) => !several.has(id) || every.indexOf(id) === index)
    if (isDeepStrictEqual(logged.sort(), done.sort())) return
    throw new Error(`The audit log has ${logged}, and done were ${done}`)
  }

  #describe(played: PlayedWrite[], seen: unknown): string {
    const state = structuredClone(this.#known.state)
    const lines = played.map(({ request, answer, apply }) => {
      const { method, path, body } = request
      const expected = JSON.stringify(apply(state))
      return `${method} ${path} ${JSON.stringify(body)}\n  answered ${JSON.stringify(read(answer))}\n  expected ${expected}`
    })
    const before = JSON.stringify(picture(this.#known.state))
    return [
      'There is no order in which the model does the same. In the order of sending:',
      ...lines,
      `before: ${before}`,
      `database: ${JSON.stringify(seen)}`,
      `model: ${JSON.stringify(picture(state))}`,
    ].join('\n')
  }
}

/** Reduces an answer to the parts that the model returns. Of a refusal, keeps only the fields that programs read. */
function read(answer: ApiAnswer): ExpectedAnswer {
  const { status } = answer
  if (answer.text === '') return { status, body: null }
  const body: Body = answer.json
  // Ignores the answers to check-ins and links, which have their own tests.
  if (['checked_in_at', 'linked_at'].some((name) => name in Object(body.data))) return { status, body: null }
  if (status < 300) return { status, body: withoutDetails(body) }
  const members = COMPARED_MEMBERS.filter((name) => name in body).map((name) => [name, body[name]])
  return { status, body: Object.fromEntries(members) }
}

// Removes texts for people, which the model does not predict.
function withoutDetails(body: Body): Body {
  const each = (items: Body[]) => items.map(({ detail, ...rest }) => rest)
  const { data } = body as { data?: Body | Body[] }
  if (Array.isArray(data)) return { ...body, data: each(data) }
  return Array.isArray(data?.skipped) ? { ...body, data: { ...data, skipped: each(data.skipped) } } : body
}

function listCreatedIds({ command, answer }: PlayedWrite): number[] {
  if (command.write === 'createBatch') return listBatchIds(answer)
  if (command.write === 'setDays') return listBatchIds(answer)
  return command.write === 'createSeries' ? listSeriesIds(answer) : []
}

function listEventIds({ command, answer }: PlayedWrite): number[] {
  return command.write === 'createEventSeries' ? listSeriesIds(answer) : []
}

// Returns the “now” of a write: from a successful answer, or else the time at which the request was sent.
function findNow({ body }: Request, answer: ApiAnswer, sentMs: number): string {
  const meansNow = body?.from_time === null || (body && !('from_time' in body))
  if (!meansNow || answer.status !== 200) return formatMicroseconds(sentMs)
  const { data } = answer.json
  const from: string = (Array.isArray(data) ? data[0] : data).from
  const fromMs = Date.parse(from)
  const isNow = fromMs >= sentMs && fromMs <= Date.now()
  return isNow ? from : formatMicroseconds(sentMs)
}

function listNewIds(played: PlayedWrite[], write: Command['write']): number[] {
  return played
    .filter(({ command, answer }) => command.write === write && answer.status === 200)
    .map(({ answer }) => [answer.json.data].flat()[0].id)
}

function listPermutations<T>(items: T[]): T[][] {
  if (items.length < 2) return [items]
  return items.flatMap((item, place) =>
    listPermutations(items.filter((_, other) => other !== place)).map((rest) => [item, ...rest]),
  )
}
