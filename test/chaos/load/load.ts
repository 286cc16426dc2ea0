// All clients of a run, and what is asked of them: to write, to be answered again after the faults, to repeat.
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../../harness/random.ts'
import { openApiOf } from '../../support/http/openapi.ts'
import { eventually } from '../../support/time.ts'
import { decisiveTry, type History } from '../history.ts'
import type { Stage } from '../stage/stage.ts'
import { Booker, type BookerKind } from './booker.ts'
import { Clerk } from './clerk.ts'
import { Importer } from './importer.ts'
import type { Office } from './office.ts'
import { Sender } from './sender.ts'
import { Waiter } from './waiter.ts'

export type LoadParts = {
  stage: Stage
  office: Office
  history: History
  random: Random
  clients: number
  importers: number
  leavesShare?: number
  kinds?: BookerKind[]
}

// Longer than a gateway takes with a write that is called off at last.
const PATIENCE_MS = 8_000
const LEAVES_SHARE = 0.15
const ACT_MS = 20_000
const RECOVERED_MS_MAX = 60_000
const IMPORT_PAUSE_MS = 1_000
const WARM_UP_WRITES = 3

type Actor = { act(forMs: number): Promise<unknown> }

export class Load {
  readonly sender: Sender
  readonly #parts: LoadParts
  readonly #bookers: Booker[]
  readonly #importers: Importer[]
  readonly #waiters: Waiter[]
  readonly #clerks: Clerk[]
  /** Asks, when the faults are over, whether all is well again. */
  readonly #probe: Booker
  #isOver = false

  constructor(parts: LoadParts) {
    const { stage, office, history, random, clients, kinds } = parts
    this.#parts = parts
    const urls = stage.gateways.map(({ front }) => front.url.replace(/\/$/, ''))
    const network = {
      urls,
      tokens: office.tokens,
      patienceMs: stage.waitMs + PATIENCE_MS,
      leavesShare: parts.leavesShare ?? LEAVES_SHARE,
    }
    this.sender = new Sender(network, history, random.fork())
    const contended = { next: 0 }
    const booker = (index: number, own: BookerKind[] | undefined) =>
      new Booker({
        office,
        contended,
        history,
        index,
        clients,
        sender: this.sender,
        random: random.fork(),
        ...(own ? { kinds: own } : {}),
      })
    this.#bookers = Array.from({ length: clients - 1 }, (_, index) => booker(index, kinds))
    this.#probe = booker(clients - 1, ['book'])
    this.#importers = Array.from(
      { length: parts.importers },
      (_, index) => new Importer({ sender: this.sender, history, index, wantsAsync: index % 2 === 1 }),
    )
    this.#waiters = office.waiting.map(
      (person) => new Waiter({ stage, office, random: random.fork(), person }),
    )
    this.#clerks = office.counters.map((counter, index) => {
      const own = { counter, index, random: random.fork() }
      return new Clerk({ stage, office, history, sender: this.sender, ...own })
    })
  }

  /** The document that answers are held against, and the first of them. */
  async warmUp(): Promise<void> {
    for (const { front } of this.#parts.stage.gateways) await openApiOf(front.url.replace(/\/$/, ''))
    const { history, clients } = this.#parts
    await eventually(() => {
      if (history.decided < WARM_UP_WRITES * clients) throw new Error('The clients have hardly begun')
    }, RECOVERED_MS_MAX)
  }

  /** Everybody writes until that is over. */
  async during(happen: () => Promise<void>): Promise<void> {
    const clients = [
      ...this.#bookers.map((booker) => this.#keepActing(booker, 0)),
      ...this.#importers.map((importer) => this.#keepActing(importer, IMPORT_PAUSE_MS)),
      ...this.#waiters.map((waiter) => this.#keepActing(waiter, 0)),
      ...this.#clerks.map((clerk) => this.#keepActing(clerk, 0)),
    ]
    try {
      await happen()
    } finally {
      this.#isOver = true
      await Promise.all(clients)
    }
  }

  /** Until writes are done again; a run in which they never are has found something. */
  async recover(): Promise<void> {
    const deadlineMs = Date.now() + RECOVERED_MS_MAX
    for (let good = 0; good < WARM_UP_WRITES; ) {
      const write = await this.#probe.act(ACT_MS)
      good = decisiveTry(write)?.status === 200 ? good + 1 : 0
      if (Date.now() < deadlineMs) continue
      this.#parts.history.find('not well again when the faults were over', write, 'still no answer of 200')
      return
    }
  }

  /** Some of what was decided, once more with the same key. */
  async repeatSome(share: number): Promise<void> {
    const { history, random } = this.#parts
    const repeatable = history.writes.filter((write) => {
      const status = decisiveTry(write)?.status ?? 500
      return status < 500 && write.kind !== 'reuse a key'
    })
    const some = repeatable.filter(() => random.chance(share))
    await inTurns(some, (write) => this.sender.repeat(write))
  }

  async #keepActing(actor: Actor, pauseMs: number): Promise<void> {
    while (!this.#isOver) {
      await actor.act(ACT_MS)
      if (pauseMs > 0) await wait(pauseMs)
    }
  }
}

const AT_ONCE = 8

/** Several at a time. */
export async function inTurns<Item>(items: Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  const left = items.values()
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const item of left) await work(item)
    }),
  )
}
