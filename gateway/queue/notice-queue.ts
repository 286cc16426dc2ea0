// Hands the notices of calendar providers to the workers. Providers do not repeat a notice that Berth has accepted, so a notice
// that cannot be queued is kept in memory and tried again.
import { randomUUID } from 'node:crypto'
import type { Notice } from '../../shared/room-calendars/notifications.ts'
import { NOTICES_MAX } from '../../shared/room-calendars/room-calendar-jobs.ts'
import type { Config } from '../../shared/settings/config.ts'
import { formatInstant } from '../../shared/utilities/date-times.ts'
import { FaultLog } from '../../shared/utilities/fault-log.ts'
import type { Log } from '../../shared/utilities/log.ts'
import type { Dispatcher } from './dispatch.ts'

const WAITING_NOTICES_MAX = 20_000
const RETRY_AFTER_MS = 3_000

type NoticeServices = { dispatcher: Dispatcher; config: Config; now: () => number; log: Log }

/** Sends one job at a time. Notices that arrive meanwhile go into the next job together, each once. */
export class NoticeQueue {
  readonly #services: NoticeServices
  readonly #faults: FaultLog
  readonly #waiting = new Map<string, Notice>()
  #sending: Promise<void> | undefined
  #retry: NodeJS.Timeout | undefined
  #isClosing = false

  constructor(services: NoticeServices) {
    this.#services = services
    this.#faults = new FaultLog(services.log, 'notifications of calendars are handed on again')
  }

  add(notices: Notice[]) {
    this.#keep(notices)
    if (this.#retry === undefined) void this.#send()
  }

  /** Tries once more to hand on the notices that are waiting. */
  async close(): Promise<void> {
    this.#isClosing = true
    await this.#send()
  }

  // The map is bounded: a notice that is lost only delays the reading, because Berth looks at each calendar from time to time.
  #keep(notices: Notice[]) {
    for (const notice of notices)
      if (this.#waiting.size < WAITING_NOTICES_MAX)
        this.#waiting.set(`${notice.event} ${notice.watch}`, notice)
  }

  #send(): Promise<void> {
    clearTimeout(this.#retry)
    this.#retry = undefined
    this.#sending ??= this.#sendWaiting()
    return this.#sending
  }

  async #sendWaiting(): Promise<void> {
    await this.#sendBatches()
    this.#sending = undefined
    // A notice may have arrived after the last look at what is waiting.
    if (this.#waiting.size > 0 && this.#retry === undefined && !this.#isClosing) void this.#send()
  }

  async #sendBatches(): Promise<void> {
    while (this.#waiting.size > 0) {
      const batch = [...this.#waiting].slice(0, NOTICES_MAX)
      // A notice that arrives from now on counts as new, because the calendar may be read before it arrives.
      for (const [key] of batch) this.#waiting.delete(key)
      const notices = batch.map(([, notice]) => notice)
      if (await this.#dispatch(notices)) continue
      this.#keep(notices)
      if (!this.#isClosing) this.#retry = setTimeout(() => this.#send(), RETRY_AFTER_MS).unref()
      return
    }
  }

  /** Returns whether the notices were handed on. */
  async #dispatch(notices: Notice[]): Promise<boolean> {
    const { dispatcher, config, now } = this.#services
    try {
      await dispatcher.dispatch(
        'room-calendars.notice',
        { notices },
        {
          actor: { type: 'system', id: null, name: 'calendar' },
          requestId: randomUUID(),
          baseUrl: config.publicUrl ?? '',
          receivedAt: formatInstant(now()),
          idempotency: null,
        },
      )
      this.#faults.over()
      return true
    } catch (error) {
      this.#faults.fault(error, 'notifications of calendars were not handed on')
      return false
    }
  }
}
