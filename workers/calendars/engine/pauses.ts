// Remembers which providers ask for a pause, so that no round begins for their calendars. Most providers count requests for each
// mailbox, so one throttled calendar holds up no other; all calendars pause once several are throttled shortly after each other.
import { getRetryMs } from '../../../shared/room-calendars/providers/faults.ts'
import { isFault, type ProviderFault } from '../../../shared/room-calendars/providers/provider.ts'
import type { CalendarProviderName } from '../../../shared/room-calendars/room-calendars.ts'
import type { CalendarLink } from '../calendar-link.ts'

const THROTTLED_CALENDARS_MIN = 3
const THROTTLED_WITHIN_MS = 60_000

type PausedCalendar = Pick<CalendarLink, 'provider' | 'bookableId'>
type State = {
  untilMs: number
  /** Pauses since a calendar of the provider was last read. */
  pauses: number
  throttled: Map<number, number>
}

export class Pauses {
  readonly #states = new Map<CalendarProviderName, State>()
  readonly #now: () => number

  constructor(now = () => performance.now()) {
    this.#now = now
  }

  isPaused(provider: CalendarProviderName): boolean {
    return this.#find(provider).untilMs > this.#now()
  }

  /** Takes note of a fault of a calendar. */
  noteFault({ provider, bookableId }: PausedCalendar, error: unknown) {
    if (!isFault(error, 'throttled', 'credentials_refused')) return
    const state = this.#find(provider)
    if (!isOfProvider(error) && !this.#areSeveralThrottled(state, bookableId)) return
    // Rounds that were under way when the pause began fail as well, and do not count as further pauses.
    if (state.untilMs <= this.#now()) state.pauses++
    state.untilMs = Math.max(state.untilMs, this.#now() + getRetryMs(error, state.pauses))
  }

  /** Takes note that a calendar was read. */
  noteReading({ provider, bookableId }: PausedCalendar) {
    const state = this.#find(provider)
    state.pauses = 0
    state.throttled.delete(bookableId)
  }

  #areSeveralThrottled({ throttled }: State, bookableId: number): boolean {
    throttled.set(bookableId, this.#now())
    for (const [id, atMs] of throttled) if (atMs < this.#now() - THROTTLED_WITHIN_MS) throttled.delete(id)
    return throttled.size >= THROTTLED_CALENDARS_MIN
  }

  #find(provider: CalendarProviderName): State {
    const state = this.#states.get(provider) ?? { untilMs: 0, pauses: 0, throttled: new Map() }
    this.#states.set(provider, state)
    return state
  }
}

const isOfProvider = ({ kind, isOfProvider }: ProviderFault) => kind === 'credentials_refused' || isOfProvider
