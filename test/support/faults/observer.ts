// Asks a gateway again and again while something happens to it: a read and a write every so often, whatever the ones
// before are waiting for. Afterwards it tells what was answered when, and holds it against the database.
import { expect } from 'chai'
import { createDesk, hoursFromNow } from '../factories.ts'
import type { Answered, Client } from '../http/http.ts'
import { eventually, promised } from '../time.ts'
import type { World } from '../world.ts'

const ASKED_EVERY_MS = 200

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
    this.#timer = setInterval(() => this.#ask(), ASKED_EVERY_MS)
  }

  /** Waits for the answers that are still to come. */
  async stop() {
    clearInterval(this.#timer)
    await Promise.all(this.#pending)
    if (this.#failure) throw this.#failure
  }

  /** What was sent in that time and has been answered by now. */
  samples(kind: Sample['kind'], fromMs = 0, untilMs = Number.POSITIVE_INFINITY): Sample[] {
    return this.#samples.filter(
      (sample) => sample.kind === kind && sample.sentMs >= fromMs && sample.sentMs < untilMs,
    )
  }

  /** What was sent and answered in that time: whoever is answered later may have met what came after. */
  answered(kind: Sample['kind'], fromMs: number, untilMs: number): Sample[] {
    return this.samples(kind, fromMs).filter(({ sentMs, tookMs }) => sentMs + tookMs < untilMs)
  }

  /** How long after that moment the first request of this kind was answered with 200. */
  async recovery(kind: Sample['kind'], fromMs: number, waitMs?: number): Promise<number> {
    return eventually(() => {
      const good = this.samples(kind, fromMs).filter(({ status }) => status === 200)
      if (good.length === 0) throw new Error(`No ${kind} has been answered with 200`)
      return Math.min(...good.map(({ sentMs, tookMs }) => sentMs + tookMs - fromMs))
    }, waitMs)
  }

  /** Since when whatever was sent has been answered with 200, for a second at least. */
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

  /** Every write is there that was answered with 200, and no other; but where the answer was 504 it may be there. */
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

  #note(about: Pick<Sample, 'kind'> & Partial<Write>, asked: Promise<Answered>) {
    const sentMs = Date.now()
    const noted = asked.then((answer) => {
      const { status } = answer
      const { code, detail: said } = status === 200 ? {} : answer.json
      this.#samples.push({ ...about, sentMs, tookMs: Date.now() - sentMs, status, code, said })
    })
    const settled = noted
      .catch((error: unknown) => {
        // Nothing is asked any more: a test that failed may have left it running, and its world is gone.
        clearInterval(this.#timer)
        this.#failure ??= error
      })
      .finally(() => this.#pending.delete(settled))
    this.#pending.add(settled)
  }
}

/** That each was answered in time, and with one of these statuses. */
export function expectAnswers(samples: Sample[], { statuses, ms }: { statuses: string[]; ms: number }) {
  expect(samples).to.not.have.length(0)
  const wrong = samples.filter(
    ({ status, code, tookMs }) =>
      !statuses.includes([status, code].join(' ').trim()) || tookMs > promised(ms),
  )
  expect(wrong).to.deep.equal([])
}
