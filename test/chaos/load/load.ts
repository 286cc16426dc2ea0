// All clients of a run, and what they do: write, get answers again after the faults, and repeat earlier writes.
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../../harness/random.ts'
import { openApiOf } from '../../support/http/openapi.ts'
import { eventually } from '../../support/time.ts'
import { findDecisiveTry, type History } from '../history.ts'
import { measureSlowness } from '../slowness.ts'
import type { Stage } from '../stage/stage.ts'
import { Booker, type BookerKind } from './booker.ts'
import { Clerk } from './clerk.ts'
import { Importer } from './importer.ts'
import type { Office } from './office.ts'
import { Planner } from './planner.ts'
import { RoomEditor } from './room-editor.ts'
import { Sender } from './sender.ts'
import { Waiter } from './waiter.ts'

export type LoadOptions = {
  stage: Stage
  office: Office
  history: History
  random: Random
  clients: number
  importers: number
  leavesShare?: number
  kinds?: BookerKind[]
}

// Longer than a gateway takes before it cancels a write.
const PATIENCE_MS = 8_000
const LEAVING_CLIENT_SHARE = 0.15
const ACTION_MS_MAX = 20_000
const RECOVERED_MS_MAX = 60_000
const IMPORT_PAUSE_MS = 1_000
const WARM_UP_WRITE_COUNT = 3

type Actor = { act(forMs: number): Promise<unknown> }

export class Load {
  readonly sender: Sender
  readonly editors: RoomEditor[]
  readonly #parts: LoadOptions
  readonly #bookers: Booker[]
  readonly #importers: Importer[]
  readonly #waiters: Waiter[]
  readonly #clerks: Clerk[]
  readonly #planners: Planner[]
  /** Sends writes after the faults, to find out whether writes work again. */
  readonly #probe: Booker
  #isOver = false

  constructor(parts: LoadOptions) {
    const { stage, office, history, random, clients, kinds } = parts
    this.#parts = parts
    const urls = stage.gateways.map(({ front }) => front.url.replace(/\/$/, ''))
    const network = {
      urls,
      tokens: office.tokens,
      patienceMs: stage.waitMs + PATIENCE_MS,
      leavesShare: parts.leavesShare ?? LEAVING_CLIENT_SHARE,
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
    this.#planners = office.plans.map((plans, index) => {
      const own = { plans: [...plans], index, random: random.fork() }
      return new Planner({ stage, office, history, sender: this.sender, ...own })
    })
    this.editors = stage.calendars.worlds.map(
      (calendar, index) =>
        new RoomEditor({ stage, calendar, history, sender: this.sender, random: random.fork(), index }),
    )
  }

  /** Links rooms to their calendars. */
  async open(): Promise<void> {
    for (const { edits } of this.editors) await edits.open()
  }

  close(): void {
    for (const { edits } of this.editors) edits.close()
  }

  /** Loads the OpenAPI document, against which the answers are checked, and sends the first writes. */
  async warmUp(): Promise<void> {
    for (const { front } of this.#parts.stage.gateways) await openApiOf(front.url.replace(/\/$/, ''))
    const { history, clients } = this.#parts
    await eventually(() => {
      if (history.decided < WARM_UP_WRITE_COUNT * clients) throw new Error('The clients have hardly begun')
    }, RECOVERED_MS_MAX * measureSlowness())
  }

  /** Keeps all clients writing until `happen` has finished. */
  async during(happen: () => Promise<void>): Promise<void> {
    const clients = [
      ...this.#bookers.map((booker) => this.#keepActing(booker, 0)),
      ...this.#importers.map((importer) => this.#keepActing(importer, IMPORT_PAUSE_MS)),
      ...this.#waiters.map((waiter) => this.#keepActing(waiter, 0)),
      ...this.#clerks.map((clerk) => this.#keepActing(clerk, 0)),
      ...this.#planners.map((planner) => this.#keepActing(planner, 0)),
      // Each editor makes two edits at a time, so that it edits calendars while a write to Berth waits for its answer.
      ...[...this.editors, ...this.editors].map((editor) => this.#keepActing(editor, 0)),
    ]
    try {
      await happen()
    } finally {
      this.#isOver = true
      await Promise.all(clients)
    }
  }

  /** Waits until writes succeed again; otherwise the run reports a finding. */
  async recover(): Promise<void> {
    const deadlineMs = Date.now() + RECOVERED_MS_MAX * measureSlowness()
    for (let good = 0; good < WARM_UP_WRITE_COUNT; ) {
      const write = await this.#probe.act(ACTION_MS_MAX)
      good = findDecisiveTry(write)?.status === 200 ? good + 1 : 0
      if (Date.now() < deadlineMs) continue
      this.#parts.history.find('not recovered after the faults', write, 'still no answer of 200')
      return
    }
  }

  /** Repeats some of the decided writes with the same key. */
  async repeatSome(share: number): Promise<void> {
    const { history, random } = this.#parts
    const repeatable = history.writes.filter((write) => {
      const status = findDecisiveTry(write)?.status ?? 500
      return status < 500 && write.kind !== 'reuse a key'
    })
    const some = repeatable.filter(() => random.chance(share))
    await forEachConcurrently(some, (write) => this.sender.repeat(write))
  }

  async #keepActing(actor: Actor, pauseMs: number): Promise<void> {
    while (!this.#isOver) {
      await actor.act(ACTION_MS_MAX)
      if (pauseMs > 0) await wait(pauseMs)
    }
  }
}

const CONCURRENCY = 8

/** Processes the items, several at a time. */
export async function forEachConcurrently<Item>(
  items: Item[],
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const left = items.values()
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (const item of left) await work(item)
    }),
  )
}
