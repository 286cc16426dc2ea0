// A person who plans their weeks: is away, sets days in My week, lends their own desk and borrows those of others, names
// team days, and repeats bookings and meetings. The bookings of a person wait for each other: after a write whose
// outcome is unknown, the next person goes on. check/weeks.ts checks what is left of it.
import { setTimeout as wait } from 'node:timers/promises'
import type { Random } from '../../harness/random.ts'
import { Browser, parseForms } from '../../support/dashboard/dashboard.ts'
import { createSignInLink } from '../../support/people/person.ts'
import { determineVerdict, findDecisiveTry, type History, type Kind, type Request } from '../history.ts'
import type { Stage } from '../stage/stage.ts'
import { encodeFields, limitPageTime } from './clerk.ts'
import { findSeriesId, findTimes, getSlot, type Office, type Plan, type PlannedSeries } from './office.ts'
import type { Sender } from './sender.ts'

export type PlannerOptions = {
  stage: Stage
  office: Office
  history: History
  sender: Sender
  random: Random
  plans: Plan[]
  index: number
}

const KIND_WEIGHTS = {
  'be away': 4,
  'come back': 3,
  lend: 4,
  'end a loan': 4,
  borrow: 6,
  'give back': 4,
  'name a team day': 3,
  'drop a team day': 3,
  'set a day': 8,
  repeat: 4,
  'change a series': 8,
  'end a series': 3,
} satisfies Partial<Record<Kind, number>>
export type PlannerKind = keyof typeof KIND_WEIGHTS

type NewWrite = {
  request: Request
  refusals: string[]
  onDone?(id: number): void
  /** The series that the write creates. */
  series?: Omit<PlannedSeries, 'created' | 'steps'>
  /** What the write does to a series. */
  step?: { series: PlannedSeries; times: number[] }
}

const DAY_MS = 86_400_000
const SERIES_COUNT = 4
const PAUSE_MS = 50
const DAYS_AHEAD = 11
const RECENT_LOAN_COUNT = 8

export class Planner {
  readonly #parts: PlannerOptions
  #plan: Plan | undefined
  #browser: Browser | undefined
  #number = 0
  #repeats = 0
  #absences: number[] = []
  #loans: number[] = []
  #borrowed: number[] = []
  #teamDays: number[] = []
  /** All series of the person, including those that do not exist. */
  #series: PlannedSeries[] = []

  constructor(parts: PlannerOptions) {
    this.#parts = parts
    this.#plan = parts.plans.shift()
  }

  async act(forMs: number): Promise<void> {
    await wait(PAUSE_MS)
    const plan = this.#plan
    if (!plan) return
    const { history, sender, random, index } = this.#parts
    const kind = random.pickKey(KIND_WEIGHTS)
    const mark = `p${index}-${++this.#number}`
    const asked = await this.#ask(kind, plan, mark).catch(() => undefined)
    if (!asked) return
    const { request, refusals } = asked
    const write = history.begin({ mark, kind, token: 0, key: mark, request, refusals, rowsMax: SERIES_COUNT })
    if (asked.series) this.#noteSeries({ ...asked.series, created: write, steps: [] })
    if (asked.step) asked.step.series.steps.push({ write, times: asked.step.times })
    await sender.perform(write, forMs)
    const verdict = determineVerdict(write)
    if (verdict === 'done') asked.onDone?.(Number(findDecisiveTry(write)?.id))
    if (verdict === 'unknown') this.#retire()
  }

  #noteSeries(series: PlannedSeries): void {
    this.#parts.office.series.push(series)
    this.#series.push(series)
  }

  /** Goes on with another person, about whom no write is open. */
  #retire(): void {
    this.#plan = this.#parts.plans.shift()
    this.#browser = undefined
    for (const list of [this.#absences, this.#loans, this.#borrowed, this.#teamDays, this.#series])
      list.length = 0
  }

  async #ask(kind: PlannerKind, plan: Plan, mark: string): Promise<NewWrite | undefined> {
    const { office, random } = this.#parts
    const { person, desk, group } = plan
    switch (kind) {
      case 'be away': {
        const body = { ...this.#days(), release_bookings: true }
        const onDone = (id: number) => this.#absences.push(id)
        return { ...post(`users/${person}/absences`, body), refusals: ['already_away'], onDone }
      }
      case 'come back':
        // A day that was set since has deleted the absence.
        return this.#removeOne(this.#absences, (id) => `users/${person}/absences/${id}`, ['not_found'])
      case 'lend': {
        const days = this.#days()
        const onDone = (id: number) => {
          this.#loans.push(id)
          office.lent.push({ desk, date: days.from })
        }
        return { ...post(`bookables/${desk}/loans`, days), refusals: ['in_use'], onDone }
      }
      case 'end a loan':
        return this.#removeOne(this.#loans, (id) => `bookables/${desk}/loans/${id}`, ['in_use'], false)
      case 'borrow':
        return this.#borrow(plan, mark)
      case 'give back':
        return this.#removeOne(this.#borrowed, (id) => `bookings/${id}`, [])
      case 'name a team day': {
        const when = random.chance(0.5) ? { weekday: 1 + random.below(5) } : { date: this.#days().from }
        const onDone = (id: number) => this.#teamDays.push(id)
        const request = post(`groups/${group}/team-days`, { ...when, note: mark })
        // A group has one team day on each weekday and date.
        return { ...request, refusals: ['import_running', 'validation_failed'], onDone }
      }
      case 'drop a team day':
        return this.#removeOne(this.#teamDays, (id) => `groups/${group}/team-days/${id}`, ['import_running'])
      case 'set a day':
        return this.#setDay(plan)
      case 'repeat':
        return this.#repeat(plan, mark)
      case 'change a series':
        return this.#changeSeries(mark)
      case 'end a series':
        return this.#endSeries()
    }
  }

  /** One to three days within two weeks. */
  #days(): { from: string; to: string } {
    const { random } = this.#parts
    const first = random.below(DAYS_AHEAD)
    return { from: dateAt(first), to: dateAt(first + random.below(3)) }
  }

  #removeOne(
    ids: number[],
    pathOf: (id: number) => string,
    refusals: string[],
    isForgotten = true,
  ): NewWrite | undefined {
    if (ids.length === 0) return undefined
    const id = this.#parts.random.pick(ids)
    const forget = () => ids.splice(ids.indexOf(id), 1)
    if (isForgotten) forget()
    return {
      request: { method: 'DELETE', path: pathOf(id) },
      refusals,
      onDone: isForgotten ? () => {} : forget,
    }
  }

  /** Books the desk of somebody else, who often lends it on this day. */
  #borrow({ person }: Plan, mark: string): NewWrite {
    const { office, random } = this.#parts
    const lent = office.lent.slice(-RECENT_LOAN_COUNT)
    const other = { desk: random.pick(office.owned), date: this.#days().from }
    const { desk: bookable_id, date } = random.pick([other, ...lent])
    const times = { from_time: `${date}T10:00:00Z`, to_time: `${date}T11:00:00Z` }
    const place = { bookable_id, location_id: office.weekFloor }
    return {
      ...post('bookings', { ...place, user_id: person, ...times, guest_name: mark }),
      refusals: ['bookable_assigned', 'booking_conflict'],
      onDone: (id) => this.#borrowed.push(id),
    }
  }

  async #setDay({ person }: Plan): Promise<NewWrite | undefined> {
    const { stage, random } = this.#parts
    if (!this.#browser) {
      const browser = new Browser(random.pick(stage.gateways).front.url.replace(/\/$/, ''))
      await limitPageTime(browser.open(await createSignInLink(stage.database, person)))
      await limitPageTime(browser.submit('Sign in'))
      this.#browser = browser
    }
    // Uses a separate browser, so that a late press changes no other page.
    const browser = new Browser(this.#browser.url)
    for (const [name, value] of this.#browser.cookies) browser.cookies.set(name, value)
    await limitPageTime(browser.open('/my/week'))
    if (!browser.page.path.startsWith('/my/week')) this.#browser = undefined
    const form = parseForms(browser.page.text).find(({ buttons }) => buttons.includes('Office'))
    const dates = [...browser.page.text.matchAll(/value="(\d{4}-\d\d-\d\d) office"/g)].map(([, date]) => date)
    if (!form || dates.length === 0) return undefined
    const day = `${random.pick(dates)} ${random.pick(['office', 'office', 'home', 'away'])}`
    const fields = `${encodeFields(form)}&${new URLSearchParams({ day })}`
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const request = { method: 'POST', path: form.address, form: { fields, cookie } }
    return { request, refusals: ['form 409', 'form 422'] }
  }

  /** Repeats a booking or a meeting daily, far ahead, where nobody else books. */
  #repeat({ person, desk, hall }: Plan, mark: string): NewWrite {
    const { office, random } = this.#parts
    const slot = getSlot(office, (200 + ++this.#repeats * (SERIES_COUNT + 2)) * 24)
    const repeat = { every: 'day', count: SERIES_COUNT }
    const times = Array.from({ length: SERIES_COUNT }, (_, day) => Date.parse(slot.from_time) + day * DAY_MS)
    const rows = random.pick(['bookings', 'events'] as const)
    const body =
      rows === 'bookings'
        ? { bookable_id: desk, location_id: office.weekFloor, user_id: person }
        : { name: mark, organizer_user_id: person, attendees: [{ type: 'bookable', id: hall }] }
    return {
      ...post(`${rows}/series`, { ...body, ...slot, repeat }),
      refusals: [],
      series: { rows, firstTimes: times },
    }
  }

  /** Moves some or all bookings or events of a series by hours. */
  #changeSeries(mark: string): Promise<NewWrite | undefined> {
    return this.#withSeries((series, before, { named, concerned }) => {
      const { random } = this.#parts
      const [ms, hours] = [before[named] ?? 0, 1 + random.below(3)]
      const byMs = ((new Date(ms).getUTCHours() < 12 ? 1 : -1) * hours * DAY_MS) / 24
      const times = before.map((time, index) => (concerned(index) ? time + byMs : time))
      const from_time = new Date(ms + byMs).toISOString()
      const to_time = new Date(ms + byMs + DAY_MS / 24).toISOString()
      const name = series.rows === 'events' ? { name: mark } : {}
      return { method: 'PATCH', body: { from_time, to_time, ...name }, times }
    })
  }

  #endSeries(): Promise<NewWrite | undefined> {
    return this.#withSeries((_series, before, { concerned }) => {
      const times = before.filter((_, index) => !concerned(index))
      return { method: 'DELETE', times }
    })
  }

  async #withSeries(
    change: (
      series: PlannedSeries,
      before: number[],
      asked: { named: number; concerned(index: number): boolean },
    ) => { method: string; body?: object; times: number[] },
  ): Promise<NewWrite | undefined> {
    const { random, stage } = this.#parts
    const known = this.#series.filter((each) => findSeriesId(each) && findTimes(each).length > 0)
    if (known.length === 0) return undefined
    const series = random.pick(known)
    const series_id = findSeriesId(series)
    const before = findTimes(series)
    const condition = series.rows === 'events' ? { status: 1 } : {}
    const ids: number[] = await stage
      .database(series.rows)
      .where({ series_id, ...condition })
      .orderByRaw('lower(during)')
      .pluck('id')
    if (ids.length === 0 || ids.length !== before.length) return undefined
    const [named, scope] = [random.below(ids.length), random.pick(['following', 'all'])]
    const { method, body, times } = change(series, before, {
      named,
      concerned: (index) => scope === 'all' || index >= named,
    })
    const path = `${series.rows}/${ids[named]}?scope=${scope}`
    return {
      request: { method, path, ...(body && { body }) },
      refusals: [],
      step: { series, times },
    }
  }
}

const post = (path: string, body: object) => ({ request: { method: 'POST', path, body } })

/** Returns the date of a day, counted from tomorrow. */
const dateAt = (day: number) => new Date(Date.now() + (day + 1) * DAY_MS).toISOString().slice(0, 10)
