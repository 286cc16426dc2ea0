// Sends reads and writes to a gateway at regular intervals during an outage, even while earlier requests are pending.
// Afterwards it reports the answers by time, and compares them with the database.
import { expect } from 'chai'
import { createDesk, hoursFromNow } from '../factories.ts'
import type { ApiAnswer, Client } from '../http/http.ts'
import { eventually, promised } from '../time.ts'
import type { World } from '../world.ts'

const REQUEST_INTERVAL_MS = 200

export type Sample = {
  kind: 'read' | 'write'
  sentMs: number
  tookMs: number
  status: number
  code?: string
  said?: string
}
type Write = Sample & { from: string }

export class Observer {
  readonly #world: World
  readonly #client: Client
  readonly #desk: Awaited<ReturnType<typeof createDesk>>
  readonly #samples: Sample[] = []
  readonly #pending = new Set<Promise<void>>()
  readonly #timer: NodeJS.Timeout
  #slots = 0
  #failure: unknown

  static async start(world: World, client: Client): Promise<Observer> {
    return new Observer(world, client, await createDesk(world.database))
  }

  private constructor(world: World, client: Client, desk: Awaited<ReturnType<typeof createDesk>>) {
    this.#world = world
    this.#client = client
    this.#desk = desk
    this.#timer = setInterval(() => this.#ask(), REQUEST_INTERVAL_MS)
  }

  /** Stops sending, and waits for pending responses. */
  async stop() {
    clearInterval(this.#timer)
    await Promise.all(this.#pending)
    if (this.#failure) throw this.#failure
  }

  /** Returns the requests sent in a period that have been answered by now. */
  samples(kind: Sample['kind'], fromMs = 0, untilMs = Number.POSITIVE_INFINITY): Sample[] {
    return this.#samples.filter(
      (sample) => sample.kind === kind && sample.sentMs >= fromMs && sample.sentMs < untilMs,
    )
  }

  /** Returns the requests sent and answered in a period, because later events may affect later answers. */
  answered(kind: Sample['kind'], fromMs: number, untilMs: number): Sample[] {
    return this.samples(kind, fromMs).filter(({ sentMs, tookMs }) => sentMs + tookMs < untilMs)
  }

  /** Returns the time until the first request of a kind succeeds with 200. */
  async recovery(kind: Sample['kind'], fromMs: number, waitMs?: number): Promise<number> {
    return eventually(() => {
      const good = this.samples(kind, fromMs).filter(({ status }) => status === 200)
      if (good.length === 0) throw new Error(`No ${kind} has been answered with 200`)
      return Math.min(...good.map(({ sentMs, tookMs }) => sentMs + tookMs - fromMs))
    }, waitMs)
  }

  /** Waits until every request has been answered with 200 for at least a second. */
  calm(kind: Sample['kind'], fromMs: number, waitMs: number): Promise<number> {
    return eventually(() => {
      const answered = this.samples(kind, fromMs)
      const failed = answered.filter(({ status }) => status !== 200)
      const sinceMs = Math.max(fromMs, ...failed.map(({ sentMs }) => sentMs + 1))
      const calmMs = Math.max(...answered.map(({ sentMs }) => sentMs)) - sinceMs
      if (calmMs < 1_000) throw new Error(`There is no second yet in which each ${kind} is answered with 200`)
      return sinceMs
    }, waitMs)
  }

  /**
   * Expects the bookings of all writes answered with 200 to exist, and no others. A write answered with 504 may exist.
   */
  async expectTruth() {
    const rows = await this.#world
      .database('bookings')
      .where({ bookable_id: this.#desk.bookable_id })
      .select(this.#world.database.raw('lower(during) AS "from"'))
    const booked = new Set(rows.map((row: { from: string }) => new Date(row.from).toISOString()))
    const writes = this.samples('write') as Write[]
    const lies = writes.filter(({ from, status }) => status !== 504 && booked.has(from) !== (status === 200))
    expect(lies).to.deep.equal([])
  }

  #ask() {
    const from = hoursFromNow(24 + 2 * this.#slots)
    const to = hoursFromNow(25 + 2 * this.#slots++)
    const slot = { ...this.#desk, from_time: from, to_time: to }
    this.#note({ kind: 'read' }, this.#client.get('groups'))
    this.#note({ kind: 'write', from }, this.#client.post('bookings', slot))
  }

  #note(about: Pick<Sample, 'kind'> & Partial<Write>, asked: Promise<ApiAnswer>) {
    const sentMs = Date.now()
    const noted = asked.then((answer) => {
      const { status } = answer
      const { code, detail: said } = status === 200 ? {} : answer.json
      this.#samples.push({ ...about, sentMs, tookMs: Date.now() - sentMs, status, code, said })
    })
    const settled = noted
      .catch((error: unknown) => {
        // Stops sending, because a failed test may have left the observer running after its world was closed.
        clearInterval(this.#timer)
        this.#failure ??= error
      })
      .finally(() => this.#pending.delete(settled))
    this.#pending.add(settled)
  }
}

/** Expects each request to be answered in time with one of the given statuses. */
export function expectAnswers(samples: Sample[], { statuses, ms }: { statuses: string[]; ms: number }) {
  expect(samples).to.not.have.length(0)
  const wrong = samples.filter(
    ({ status, code, tookMs }) =>
      !statuses.includes([status, code].join(' ').trim()) || tookMs > promised(ms),
  )
  expect(wrong).to.deep.equal([])
}
