// A client that books, moves and cancels, plans events and sets states, one write after the other. The client must get
// the slots that nobody else wants, and may be refused slots that others want too.

import type { Random } from '../../harness/random.ts'
import { determineVerdict, findDecisiveTry, type History, type Kind, type Write } from '../history.ts'
import {
  findAnswerMismatch,
  findBookableMismatch,
  findBookingMismatch,
  findEventMismatch,
} from './mismatch.ts'
import { getSlot, type Office } from './office.ts'
import type { Sender } from './sender.ts'

/** The number of the next slot for which several clients compete. */
export type ContendedSlots = { next: number }

type NewWrite = Pick<Write, 'request' | 'refusals'> &
  Partial<Pick<Write, 'isWrong' | 'isForGood' | 'mismatch' | 'key'>>

const WRITE_KIND_WEIGHTS = {
  book: 20,
  compete: 20,
  move: 14,
  shift: 10,
  cancel: 8,
  'cancel again': 1,
  'book a blocked one': 4,
  meet: 5,
  'meet in contended rooms': 6,
  rearrange: 7,
  'answer an invitation': 4,
  'set a state': 6,
  'check in': 6,
  request: 5,
  decide: 8,
  'reuse a key': 1,
} satisfies Partial<Record<Kind, number>>
export type BookerKind = keyof typeof WRITE_KIND_WEIGHTS

// The number of clients that want the same slot, one after the other or at the same moment.
const RIVALS_PER_SLOT = 3
// From this hour on, clients move bookings, which may conflict with moving bookings of other clients.
const CROWDED_FROM_HOUR = 100_000
const CROWDED_HOURS = 8
const CONFLICT_CODES = ['booking_conflict']
const RECENT_REQUEST_COUNT = 4
const DAY_MS = 86_400_000

export type BookerOptions = {
  office: Office
  contended: ContendedSlots
  sender: Sender
  history: History
  random: Random
  /** The number of the client. */
  index: number
  clients: number
  /** The kinds of writes; defaults to all. */
  kinds?: BookerKind[]
}

export class Booker {
  readonly #parts: BookerOptions
  readonly #weights: Record<string, number>
  readonly #token: number
  #number = 0
  #hour = 0
  #bookings: number[] = []
  #events: number[] = []
  /** The colleague's last answer to each event, by the event's id. */
  readonly #answers = new Map<number, number>()
  #shifting: number | undefined
  #cancelled: number | undefined
  #toCheckIn: number | undefined
  #booked: Write | undefined

  constructor(parts: BookerOptions) {
    this.#parts = parts
    this.#token = parts.index % 2
    const kinds = parts.kinds ?? (Object.keys(WRITE_KIND_WEIGHTS) as BookerKind[])
    this.#weights = Object.fromEntries(kinds.map((kind) => [kind, WRITE_KIND_WEIGHTS[kind]]))
  }

  /** Sends one write, and repeats it until it is decided or the time has run out. */
  async act(forMs: number): Promise<Write> {
    const { history, random, sender } = this.#parts
    const kind = random.pickKey(this.#weights) as BookerKind
    const mark = `c${this.#parts.index}-${++this.#number}`
    const asked = this.#ask(kind, mark)
    const token = this.#token
    // Each pair of clients has the same idempotency keys, but different tokens.
    const key = `k${Math.floor(this.#parts.index / 2)}-${this.#number}`
    const write = history.begin({ mark, kind, token, key, ...asked })
    await sender.perform(write, forMs)
    this.#remember(write)
    return write
  }

  #ask(kind: BookerKind, mark: string): NewWrite {
    const { random, office } = this.#parts
    switch (kind) {
      case 'book':
        return this.#book(mark, this.#desk(), this.#nextHour(), [])
      case 'compete':
        return { ...this.#compete(mark), isForGood: true }
      case 'book a blocked one':
        return this.#book(mark, random.pick(office.states), this.#nextHour(), ['bookable_blocked'])
      case 'move':
        return this.#move(mark)
      case 'shift':
        return this.#shift(mark)
      case 'cancel':
        return this.#cancel(mark)
      case 'cancel again':
        return this.#cancelAgain(mark)
      case 'meet':
        return this.#meet(mark, [random.pick(office.halls)], this.#nextHour(), [])
      case 'meet in contended rooms':
        return { ...this.#meetRivals(mark), isForGood: true }
      case 'rearrange':
        return this.#rearrange(mark)
      case 'answer an invitation':
        return this.#answer(mark)
      case 'set a state':
        return this.#setState(mark)
      case 'check in':
        return this.#checkIn(mark)
      case 'request':
        return this.#request(mark)
      case 'decide':
        return this.#decide(mark)
      case 'reuse a key':
        return this.#reuseKey(mark)
    }
  }

  #remember(write: Write): void {
    const id = Number(findDecisiveTry(write)?.id)
    const { kind } = write
    if (determineVerdict(write) !== 'done') {
      if (determineVerdict(write) === 'unknown') this.#forget(write)
      return
    }
    const { method } = write.request
    if (method === 'POST' && (kind === 'book' || kind === 'move' || kind === 'cancel'))
      this.#bookings.push(id)
    if (write.request.path === 'events' && kind !== 'meet in contended rooms') this.#events.push(id)
    if (kind === 'answer an invitation' && write.request.path !== 'events')
      this.#answers.set(id, this.#nextAnswer(id))
    if (write.request.path === 'booking-requests') this.#parts.office.requests.push(id)
    if (kind === 'shift') this.#shifting = id
    if (kind === 'check in' && write.request.path === 'bookings') this.#toCheckIn = id
    if (kind === 'book') this.#booked = write
    if (kind === 'cancel' && method === 'DELETE') this.#cancelled = Number(write.request.path.split('/')[1])
  }

  // Does not change a booking again after a write with an unknown outcome. The load repeats the write after
  // the faults.
  #forget({ kind, request }: Write): void {
    const id = Number(request.path.split('/')[1])
    this.#bookings = this.#bookings.filter((each) => each !== id)
    this.#events = this.#events.filter((each) => each !== id)
    if (kind === 'shift') this.#shifting = undefined
  }

  #desk(): number {
    return this.#parts.office.desks[this.#parts.index] ?? 0
  }

  /** Returns an hour that nobody else uses on any bookable. */
  #nextHour(): number {
    return this.#hour++ * this.#parts.clients + this.#parts.index
  }

  #crowdedHour(): number {
    return CROWDED_FROM_HOUR + this.#parts.random.below(CROWDED_HOURS)
  }

  #book(mark: string, bookable_id: number, hour: number, refusals: string[]): NewWrite {
    const { office } = this.#parts
    const { location_id, user_id } = office
    const body = { bookable_id, location_id, user_id, ...getSlot(office, hour), guest_name: mark }
    return {
      request: { method: 'POST', path: 'bookings', body },
      refusals,
      mismatch: findBookingMismatch(body),
    }
  }

  #meet(mark: string, rooms: number[], hour: number, refusals: string[], id?: number): NewWrite {
    const { office } = this.#parts
    const attendees = [
      { type: 'user', id: office.colleague },
      ...rooms.map((room) => ({ type: 'bookable', id: room })),
    ]
    const organizer_user_id = office.user_id
    const body = { name: mark, organizer_user_id, ...getSlot(office, hour), attendees }
    const request =
      id === undefined
        ? { method: 'POST', path: 'events', body }
        : { method: 'PUT', path: `events/${id}`, body }
    return { request, refusals, mismatch: findEventMismatch({ name: mark, rooms, ...(id ? { id } : {}) }) }
  }

  #contendedSlot(): number {
    return Math.floor(this.#parts.contended.next++ / RIVALS_PER_SLOT)
  }

  #compete(mark: string): NewWrite {
    const slot = this.#contendedSlot()
    const { rooms } = this.#parts.office
    return this.#book(mark, rooms[slot % rooms.length] ?? 0, slot, CONFLICT_CODES)
  }

  // Books two contended bookables in random order, while other clients want only one of them.
  #meetRivals(mark: string): NewWrite {
    const { office, random } = this.#parts
    const slot = this.#contendedSlot()
    const first = random.below(office.rooms.length)
    const rooms = [0, 1].map((next) => office.rooms[(first + next) % office.rooms.length] ?? 0)
    return this.#meet(mark, rooms, slot, CONFLICT_CODES)
  }

  #move(mark: string): NewWrite {
    const { random, office } = this.#parts
    if (this.#bookings.length === 0) return this.#book(mark, this.#desk(), this.#nextHour(), [])
    const id = random.pick(this.#bookings)
    return this.#moveTo(id, getSlot(office, this.#nextHour()), [])
  }

  #moveTo(id: number, slot: { from_time: string; to_time: string }, refusals: string[]): NewWrite {
    const method = this.#parts.random.pick(['PUT', 'PATCH'])
    const request = { method, path: `bookings/${id}`, body: slot }
    return { request, refusals, mismatch: findBookingMismatch({ id, ...slot }) }
  }

  #shift(mark: string): NewWrite {
    const { office } = this.#parts
    if (this.#shifting === undefined) return this.#book(mark, office.shifting, this.#nextHour(), [])
    return this.#moveTo(this.#shifting, getSlot(office, this.#crowdedHour(), 2), CONFLICT_CODES)
  }

  #cancel(mark: string): NewWrite {
    const id = this.#bookings.pop()
    if (id === undefined) return this.#book(mark, this.#desk(), this.#nextHour(), [])
    return { request: { method: 'DELETE', path: `bookings/${id}` }, refusals: [] }
  }

  #cancelAgain(mark: string): NewWrite {
    if (this.#cancelled === undefined) return this.#setState(mark)
    const request = { method: 'DELETE', path: `bookings/${this.#cancelled}` }
    return { request, refusals: ['not_found'], isWrong: true }
  }

  #rearrange(mark: string): NewWrite {
    const { random, office } = this.#parts
    if (this.#events.length === 0) return this.#meet(mark, [random.pick(office.halls)], this.#nextHour(), [])
    const rooms = office.halls.filter(() => random.chance(0.6))
    return this.#meet(mark, rooms, this.#crowdedHour(), CONFLICT_CODES, random.pick(this.#events))
  }

  /** Gives another answer than the last time, because the same answer would change nothing. */
  #answer(mark: string): NewWrite {
    const { random, office } = this.#parts
    if (this.#events.length === 0) return this.#meet(mark, [random.pick(office.halls)], this.#nextHour(), [])
    const id = random.pick(this.#events)
    const body = { status: this.#nextAnswer(id) }
    const request = { method: 'POST', path: `events/${id}/attendees/${office.colleague}/answer`, body }
    return { request, refusals: [], mismatch: findAnswerMismatch({ id, ...body }) }
  }

  #nextAnswer(event: number): number {
    return ((this.#answers.get(event) ?? 0) % 3) + 1
  }

  #setState(mark: string): NewWrite {
    const { random, office } = this.#parts
    const id = random.pick(office.states)
    const status = random.below(2)
    const request = { method: 'PATCH', path: `bookables/${id}`, body: { status, tags: [mark] } }
    return { request, refusals: [], mismatch: findBookableMismatch({ id, tag: mark, status }) }
  }

  /** Checks in to the client's latest booking. A late check-in must be refused. */
  #checkIn(mark: string): NewWrite {
    const { home: bookable_id, location_id, user_id } = this.#parts.office
    if (this.#toCheckIn === undefined) {
      const to_time = new Date(Date.now() + DAY_MS).toISOString()
      const body = { bookable_id, location_id, user_id, to_time, guest_name: mark }
      return { request: { method: 'POST', path: 'bookings', body }, refusals: [] }
    }
    const id = this.#toCheckIn
    this.#toCheckIn = undefined
    const request = { method: 'POST', path: `bookings/${id}/check-in` }
    return { request, refusals: ['booking_ended'], mismatch: findBookingMismatch({ id }) }
  }

  #request(mark: string): NewWrite {
    const { guarded, guardedRoom, colleague, location_id, user_id } = this.#parts.office
    const slot = getSlot(this.#parts.office, this.#crowdedHour())
    const common = { location_id, user_id, ...slot }
    const body =
      this.#parts.random.below(2) === 0
        ? { ...common, bookable_id: guarded, guest_name: mark }
        : { ...common, bookable_id: guardedRoom, title: mark, attendees: [{ type: 'user', id: colleague }] }
    const request = { method: 'POST', path: 'booking-requests', body }
    return {
      request,
      refusals: [...CONFLICT_CODES, 'too_many_open_requests'],
      mismatch: findBookingMismatch(body),
    }
  }

  /** Decides a request that other clients may be deciding too. */
  #decide(mark: string): NewWrite {
    const { office, random } = this.#parts
    const latest = office.requests.slice(-RECENT_REQUEST_COUNT)
    if (latest.length === 0) return this.#request(mark)
    const path = `booking-requests/${random.pick(latest)}`
    const refusals = ['request_decided']
    const verb = random.pick(['approve', 'decline', 'withdraw'])
    if (verb === 'withdraw') return { request: { method: 'DELETE', path }, refusals }
    return { request: { method: 'POST', path: `${path}/${verb}`, body: {} }, refusals }
  }

  /** Sends a different request with the key of a write that is done. */
  #reuseKey(mark: string): NewWrite {
    if (!this.#booked) return this.#setState(mark)
    const other = this.#book(mark, this.#desk(), this.#nextHour(), ['idempotency_key_reused'])
    return { ...other, key: this.#booked.key, isWrong: true }
  }
}
