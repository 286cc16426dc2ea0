// Keeps the screens that are on up to date. One loop serves all screens of this process. It checks their
// content when something has changed, and every few seconds, because not everything that a screen shows is in
// the outbox.
import { setTimeout as wait } from 'node:timers/promises'
import type pg from 'pg'
import { SERVED_HORIZON_SQL } from '../../../shared/changes/read.ts'
import { getOnlyRow } from '../../../shared/database/database.ts'
import { SCREEN_KINDS, type ScreenKind } from '../../../shared/screens/screens.ts'
import { formatInstant } from '../../../shared/utilities/date-times.ts'
import { FaultLog } from '../../../shared/utilities/fault-log.ts'
import type { Services } from '../../server/services/services.ts'
import type { Screen, ScreenContent, ScreenView } from './screen/views.ts'

export type ScreenListener = {
  screen: Pick<Screen, 'id' | 'kind' | 'hash'>
  /** The version of the content that the screen already shows. */
  version: string
  send(content: ScreenContent): void
  /** Called when an administrator has switched the screen off or renewed its address. */
  switchOff(): void
  /** Called when this process stops or cannot serve the screen. */
  end(): void
}

export const LISTENERS_MAX = 2_000
// The maximum number of feeds per screen. A tablet needs one feed, but its old feed stays open for a while
// when the tablet's network changes.
export const LISTENERS_PER_SCREEN_MAX = 4
// The minimum time between two checks. One check covers many changes, because several things per second
// change in a busy office.
const CHECK_EVERY_MS_MIN = 1_000
const CHECK_EVERY_MS_MAX = 5_000
// How long to gather screens that connect at about the same time, so that they are looked up together.
const GATHER_MS = 100
const RECORD_EVERY_MS = 300_000

export class ScreenFeed {
  readonly #services: Services
  readonly #views: Record<ScreenKind, ScreenView>
  readonly #listeners = new Set<ScreenListener>()
  readonly #faults: FaultLog
  readonly #seenFaults: FaultLog
  readonly #noted = new Map<number, number>()
  #isRunning = false
  #arrival: AbortController | undefined

  constructor(services: Services, views: Record<ScreenKind, ScreenView>) {
    this.#services = services
    this.#views = views
    this.#faults = new FaultLog(services.log, 'the screens are brought up to date again')
    this.#seenFaults = new FaultLog(services.log, 'the last-seen times of screens are stored again')
  }

  /** Returns whether this screen already has the maximum number of feeds. */
  isFullFor(screenId: number): boolean {
    if (this.#services.isStopping || this.#listeners.size >= LISTENERS_MAX) return true
    const own = [...this.#listeners].filter(({ screen }) => screen.id === screenId)
    return own.length >= LISTENERS_PER_SCREEN_MAX
  }

  /** Adds a listener. Returns a function that removes it. */
  listen(listener: ScreenListener): () => void {
    this.#listeners.add(listener)
    if (this.#isRunning) this.#arrival?.abort()
    else this.#run()
    return () => this.#listeners.delete(listener)
  }

  /** Records at intervals that these screens are on. Their content does not depend on this, so a failure is
   * only logged. */
  async noteSeen(ids: number[]): Promise<void> {
    const nowMs = Date.now()
    const due = ids.filter((id) => nowMs - (this.#noted.get(id) ?? 0) >= RECORD_EVERY_MS)
    if (due.length === 0) return
    for (const id of due) this.#noted.set(id, nowMs)
    try {
      await this.#services.reserved.screens.query({
        name: 'note-screens',
        text: 'UPDATE screens SET last_seen_at = now() WHERE id = ANY($1::bigint[])',
        values: [due],
      })
      this.#seenFaults.over()
    } catch (error) {
      for (const id of due) this.#noted.delete(id)
      this.#seenFaults.fault(error, 'the last-seen times of screens cannot be stored; trying again')
    }
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    const { changePoller } = this.#services
    while (this.#listeners.size > 0 && !this.#services.isStopping) {
      this.#arrival = new AbortController()
      await wait(GATHER_MS)
      const begunMs = Date.now()
      const position = await this.#look().catch((error: unknown) => {
        this.#faults.fault(error, 'the screens cannot be brought up to date; trying again')
        return undefined
      })
      if (position) this.#faults.over()
      const { signal } = this.#arrival
      if (position) await changePoller.wait(position, CHECK_EVERY_MS_MAX, signal)
      const leftMs = begunMs + CHECK_EVERY_MS_MIN - Date.now()
      if (!signal.aborted || !position)
        await wait(Math.max(0, leftMs), undefined, { signal }).catch(() => undefined)
    }
    this.#isRunning = false
    for (const listener of this.#services.isStopping ? [...this.#listeners] : []) listener.end()
  }

  async #look(): Promise<{ horizon: number; sequence: number }> {
    const { screens } = this.#services.reserved
    const { rows } = await screens.query<{ horizon: number }>({
      name: 'find-newest-horizon',
      text: `SELECT ${SERVED_HORIZON_SQL} AS horizon`,
    })
    await this.#switchOffRevoked(screens)
    for (const kind of SCREEN_KINDS) await this.#update(screens, kind)
    await this.noteSeen([...new Set([...this.#listeners].map(({ screen }) => screen.id))])
    return { horizon: getOnlyRow(rows).horizon, sequence: 0 }
  }

  /** Switches off the listeners whose secret address no longer works. */
  async #switchOffRevoked(pool: pg.Pool): Promise<void> {
    const listeners = [...this.#listeners]
    const { rows } = await pool.query<{ hash: string }>({
      name: 'find-screen-hashes',
      text: `SELECT encode(hash, 'hex') AS hash FROM screens WHERE id = ANY($1::bigint[]) AND revoked_at IS NULL`,
      values: [[...new Set(listeners.map(({ screen }) => screen.id))]],
    })
    const hashes = new Set(rows.map(({ hash }) => hash))
    for (const listener of listeners) if (!hashes.has(listener.screen.hash)) this.#switchOff(listener)
  }

  #switchOff(listener: ScreenListener) {
    this.#listeners.delete(listener)
    listener.switchOff()
  }

  async #update(pool: pg.Pool, kind: ScreenKind): Promise<void> {
    const listeners = [...this.#listeners].filter(({ screen }) => screen.kind === kind)
    if (listeners.length === 0) return
    const now = formatInstant(this.#services.now())
    const ids = [...new Set(listeners.map(({ screen }) => screen.id))]
    const versions = await this.#views[kind].findVersions(pool, ids, now)
    const behind = listeners.filter(({ screen, version }) => versions.get(screen.id) !== version)
    const asked = [...new Set(behind.map(({ screen }) => screen.id))].filter((id) => versions.has(id))
    const contents = asked.length === 0 ? new Map() : await this.#views[kind].findContents(pool, asked, now)
    for (const listener of behind) {
      const content: ScreenContent | undefined = contents.get(listener.screen.id)
      if (content) {
        listener.version = content.version
        listener.send(content)
      } else if (!versions.has(listener.screen.id)) this.#switchOff(listener)
    }
  }
}
